"""Work of a stream that outlasts later work, against a plain reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.indexing import scratch
from tilescope.tiler.indexing.tracks.overruns import StreamOverruns
from tilescope.tiler.indexing.tracks.track_data import TrackData

IS_WORK = np.array([True, False, False])  # by name, the last of those without one

Row = tuple[int, int, int]  # start, duration, name


def track(rows: list[Row]) -> TrackData:
    start, duration, name = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    none = np.zeros(0, np.int64)
    flags, args = np.zeros(len(rows), np.uint8), np.zeros(0, np.uint8)
    names, row = name.astype(np.int32), np.zeros(len(rows), np.uint32)
    return TrackData(start, duration, row, names, flags, None, none, args, 1, 0)


def plain(rows: list[Row], *, by_name: bool) -> list[tuple[int, int, int, int]]:
    work = [(k, a, a + n) for k, (a, n, name) in enumerate(rows) if n > 0 and (name == 0 or not by_name)]
    found = []
    for place, (ordinal, start, end) in enumerate(work):
        later = work[place + 1 :]
        if any(stop < end for _, _, stop in later[:2]) and 4 * (end - later[0][1]) > end - start:
            found.append((ordinal, start, end, sum(begin < end for _, begin, _ in later)))
    is_exception = len(found) <= max(3, len(work) // 100) and 2 * len(found) < len(work)
    return found if is_exception else []


@given(
    rows=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 12), st.integers(-1, 1)), min_size=1, max_size=60),
    long=st.lists(st.tuples(st.integers(0, 400), st.integers(50, 300), st.just(0)), max_size=3),
    by_name=st.booleans(),
    part=st.integers(1, 9),
)
@settings(max_examples=examples(200))
def test_overruns(rows: list[Row], long: list[Row], part: int, *, by_name: bool) -> None:
    ordered = sorted([*rows, *long], key=lambda row: (row[0], -row[1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scratch, "_PART", part)
        overruns = StreamOverruns(track(ordered), IS_WORK if by_name else None).overruns()
    assert overruns == plain(ordered, by_name=by_name)
