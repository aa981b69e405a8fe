"""The overview layer of many tracks, against entries that are put in order together."""

from __future__ import annotations

import numpy as np
import pytest

from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks import overview
from tilescope.tiler.indexing.tracks.overview import Overview
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import decompress
from tilescope.tiler.pages.overview import OverviewEntries

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
