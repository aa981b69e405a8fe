"""Chunks that a range needs, as a plain reference finds them in their rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.memory.extents import Extents
from tilescope.tiler.windows import Windows

CHUNKS = st.lists(st.lists(st.integers(-5, 30), min_size=1, max_size=4), max_size=6)
TICKS = st.lists(st.integers(0, 35), max_size=5).map(sorted)


def extents(chunks: list[list[int]]) -> Extents:
    columns = range(len(chunks)), map(min, chunks), map(max, chunks)
    return Extents(*(np.array(list(column), np.int64) for column in columns))


@given(CHUNKS, TICKS)
def test_chunks_that_open_windows_have_all_rows_of_the_last_tick_before_each(
    chunks: list[list[int]], ticks: list[int]
) -> None:
    opening = extents(chunks).opening(np.array(ticks, np.int64)).tolist()
    for tick in ticks:
        before = [row for rows in chunks for row in rows if row < tick]
        last = max(before, default=None)
        for rows, is_opening in zip(chunks, opening, strict=True):
            assert is_opening or last is None or last not in rows


@given(CHUNKS, TICKS)
def test_no_chunk_opens_without_need(chunks: list[list[int]], ticks: list[int]) -> None:
    """Chunks in order: that with the tick in it, or else the last before it, and others that touch it."""
    ordered = sorted(sorted(rows) for rows in chunks)
    for tick in ticks:
        opening = np.flatnonzero(extents(ordered).opening(np.array([tick]))).tolist()
        assert all(min(ordered[place]) < tick for place in opening)
        for place in opening:
            assert place == max(opening) or max(ordered[place]) >= min(ordered[place + 1])


@given(CHUNKS, TICKS)
def test_chunks_that_hold_ticks_or_lie_in_windows(chunks: list[list[int]], ticks: list[int]) -> None:
    own = extents(chunks)
    holding = own.holding(np.array(ticks, np.int64)).tolist()
    assert holding == [any(min(rows) <= tick <= max(rows) for tick in ticks) for rows in chunks]
    windows = Windows.from_spans(ticks[:-1:2], ticks[1::2])
    for rows, is_within, is_near in zip(
        chunks, own.within(windows).tolist(), own.overlap(windows).tolist(), strict=True
    ):
        spans = list(zip(windows.starts.tolist(), windows.stops.tolist(), strict=True))
        assert is_within == any(start <= min(rows) and max(rows) < stop for start, stop in spans)
        assert is_near == any(min(rows) < stop and start <= max(rows) for start, stop in spans)
