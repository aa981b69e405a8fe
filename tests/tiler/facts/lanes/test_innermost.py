"""Spans of the innermost events against plain Python, tick by tick."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.lanes.innermost import innermost_spans

EVENTS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 25)), max_size=20)


def rows_of(events: list[tuple[int, int]]) -> list[int]:
    """The first row of each that is free."""
    ends: list[int] = []
    rows = []
    for start, length in events:
        row = next((row for row, end in enumerate(ends) if end <= start), len(ends))
        ends[row:] = [start + length, *ends[row + 1 :]]
        rows.append(row)
    return rows


@given(EVENTS, st.integers(0, 60), st.integers(1, 40))
def test_each_tick_is_the_event_s_that_began_last(events: list[tuple[int, int]], first: int, length: int) -> None:
    events = sorted(events, key=lambda event: (event[0], -event[1]))
    end = first + length
    expected: list[tuple[int, int, int]] = []
    for tick in range(first, end):
        expected += [(tick, tick, place) for place, event in enumerate(events) if event == (tick, 0)]
        running = [place for place, (start, ticks) in enumerate(events) if start <= tick < start + ticks]
        expected += [(tick, tick + 1, running[-1])] if running else []
    start, ticks = np.array(events, np.int64).reshape(-1, 2).T
    spans = innermost_spans(start, start + ticks, np.array(rows_of(events), np.int64), first, end)
    columns = (spans.start.tolist(), spans.stop.tolist(), spans.event.tolist())
    ours = []
    for begin, stop, event in zip(*columns, strict=True):
        ours += [(tick, tick + 1, event) for tick in range(begin, stop)] or [(begin, begin, event)]
    assert ours == expected
