"""First and last work in stretches of time, from leaves at their borders: it is that of a plain look at all slices."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.facts.launches.test_step_work import reading, x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches.stretch_bounds import start_bounds
from tilescope.tiler.facts.track_leaves import TrackLeaves
from tilescope.tiler.query import finish
from tilescope.tiler.ticks import TICK_LIMIT

TICKS = 1000  # in a microsecond

# The pause before some slices, their number, from one start to the next, and their length. Leaves, of some hundreds of
# slices each, are of several levels, as slices are near each other or far apart; longer ones overlap.
BURSTS = st.lists(
    st.tuples(st.integers(0, 50_000), st.integers(1, 2400), st.integers(0, 50), st.integers(0, 90)),
    min_size=1,
    max_size=6,
)
LONG = st.lists(st.tuples(st.integers(0, 300_000), st.integers(500, 300_000)), max_size=3)
BORDERS = st.lists(st.integers(0, 400_000), max_size=12)  # microseconds


def slices_of(bursts: list[tuple[int, int, int, int]], long: list[tuple[int, int]]) -> list[tuple[int, int, bool]]:
    """Start, length, and whether it is work; the first starts at 0."""
    slices, now = [(0, 1, True)], 1
    for pause, count, pitch, length in bursts:
        now += pause
        slices += [(now + pitch * number, length, number % 5 != 3) for number in range(count)]
        now += pitch * count
    return slices + [(start, length, True) for start, length in long]


@given(bursts=BURSTS, long=LONG, borders=BORDERS, empty=st.booleans())
@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bounds_are_those_of_all_slices(
    tmp_path_factory: pytest.TempPathFactory,
    bursts: list[tuple[int, int, int, int]],
    long: list[tuple[int, int]],
    borders: list[int],
    empty: bool,
) -> None:
    slices = slices_of(bursts, long)
    ticks = [0, *sorted(border * TICKS for border in borders), TICK_LIMIT]
    ticks += ticks[-1:] if empty else []  # a stretch without a tick
    wanted = [[-1, -1, -1] for _ in ticks[1:]]
    for start, length, is_work in slices:
        if is_work:
            row = wanted[min(bisect_right(ticks, start * TICKS) - 1, len(ticks) - 2)]
            row[0] = start * TICKS if row[0] < 0 else min(row[0], start * TICKS)
            row[1] = max(row[1], start * TICKS)
            row[2] = max(row[2], (start + length) * TICKS)
    events = [{"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}}]
    events += [x("work" if is_work else "none", 2, 7, *span, cat="kernel") for *span, is_work in slices]
    folder = tmp_path_factory.mktemp("bounds")
    with reading(write_trace(folder / "trace.json", events), folder) as reader:
        assert reader.tick_ps * TICKS == 1_000_000
        (device,) = finish(devices_of(reader))
        (track,) = device.tracks
        is_none = [False, *(reader.names[name].text == "none" for name in range(len(track.kinds) - 1))]
        track = replace(track, kinds=np.where(is_none, 0, track.kinds).astype(np.uint8))
        (bounds,) = finish(start_bounds(reader, [track], np.array(ticks)))
        assert np.stack([bounds.first, bounds.last, bounds.stop], axis=1).tolist() == wanted


def test_leaves_between_borders_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = [{"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}}]
    events += [x("work", 2, 7, start, 1, cat="kernel") for start in range(20_000)]
    read: list[int] = []
    parts = TrackLeaves.parts

    def counted(self: TrackLeaves, tiles: Any, windows: Any) -> Any:
        read.append(len(tiles))
        return parts(self, tiles, windows)

    monkeypatch.setattr(TrackLeaves, "parts", counted)
    with reading(write_trace(tmp_path / "trace.json", events), tmp_path) as reader:
        (device,) = finish(devices_of(reader))
        borders = np.array([0, 10_000 * TICKS, TICK_LIMIT])
        (bounds,) = finish(start_bounds(reader, device.tracks, borders))
        assert bounds.first.tolist() == [0, 10_000 * TICKS]
        assert bounds.last.tolist() == [9999 * TICKS, 19_999 * TICKS]
        assert bounds.stop.tolist() == [10_000 * TICKS, 20_000 * TICKS]
        assert 0 < sum(read) <= 4 < len(TrackLeaves(reader, device.tracks[0]).tiles)
