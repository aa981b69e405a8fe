"""The overview layer of many tracks, against entries that are put in order together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks import overview
from tilescope.tiler.indexing.tracks.overview import Overview
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.overview import OverviewEntries

END = 4**9


def one_slice(start: int, duration: int, name: int) -> TrackData:
    none = np.zeros(0, np.int64)
    columns = np.array([start]), np.array([duration]), np.zeros(1, np.uint32), np.array([name], np.int32)
    return TrackData(*columns, np.zeros(1, np.uint8), None, none, none.astype(np.uint8), 1, duration)


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_pages_of_tracks_that_were_added_in_parts(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "_JOINED", at_once)
    made = Overview(END)
    width = 1 << (2 * made.grid.level)
    rng = np.random.default_rng(3)
    expected: dict[tuple[int, int], tuple[int, int]] = {}
    for track in rng.permutation(40).tolist():
        first, bins, name = int(rng.integers(made.grid.bins)), int(rng.integers(1, 50)), int(rng.integers(1 << 30))
        last = min(first + bins, made.grid.bins)
        data = one_slice(first * width, (last - first) * width, name)
        columns = data.start, data.duration, data.row, data.name, data.flags
        made.add(track, data, _native.slice_tiles(*columns, 9, overview_level=made.grid.level))
        expected |= {(bin, track): (255, name) for bin in range(first, last)}
    entries = [decompress(page) for _, page in made.entries()]
    pages = [OverviewEntries.decode(page, made.grid.level, number) for number, page in enumerate(entries)]
    assert len(pages) == made.grid.pages
    found_columns = [
        np.concatenate([getattr(page, name) for page in pages]).tolist() for name in OverviewEntries.__struct_fields__
    ]
    found = list(zip(*found_columns, strict=True))
    assert found == [(bin, track, *expected[bin, track]) for bin, track in sorted(expected)]


def bins_one_by_one(
    loads: list[NDArray[np.float64]], firsts: list[float], steps: list[float], bins: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Busy time of all loads in each bin, and where there is anything."""
    busy, used = np.zeros(bins), np.zeros(bins, np.bool_)
    for load, first, step in zip(loads, firsts, steps, strict=True):
        edges = first + step * np.arange(len(load) + 1)
        total = np.append(0.0, np.cumsum(load * step))
        busy += np.diff(np.interp(np.arange(bins + 1), edges, total))
        used[np.clip(edges[:-1][load > 0], 0, bins - 1).astype(np.int64)] = True
    return busy, used


LOADS = st.lists(
    st.tuples(
        st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.5]), min_size=1, max_size=20),
        st.sampled_from([-1e30, -7.5, 0.0, 0.3, 4.0, 39.5, 80.0]),
        st.sampled_from([1e-12, 0.01, 0.7, 1.0, 2.6, 1e9]),
    ),
    min_size=1,
    max_size=4,
)


@given(LOADS, st.integers(1, 40))
def test_activity_is_spread_over_bins(of: list[tuple[list[float], float, float]], bins: int) -> None:
    loads, firsts, steps = [np.array(load) for load, _, _ in of], [at for _, at, _ in of], [step for _, _, step in of]
    found, utilisation = _native.activity_bins(loads, firsts, steps, bins)
    busy, used = bins_one_by_one(loads, firsts, steps, bins)
    shown = np.zeros(bins)
    shown[found] = utilisation
    assert utilisation.min(initial=1) > 0
    assert (shown[used] > 0).all()
    assert (shown[busy > 1e-6] > 0).all()
    assert not shown[(busy == 0) & ~used].any()
    assert (np.abs(shown - np.clip(255 * busy / len(of), 0, 255)) <= 1.001).all()


def test_activity_without_places_is_refused() -> None:
    with pytest.raises(ValueError, match="place"):
        _native.activity_bins([np.zeros(1)], [], [1.0], 4)
    assert [len(column) for column in _native.activity_bins([], [], [], 0)] == [0, 0]
