"""Tests of what a thread does at each instant, against a reference that looks at every tick."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.facts.findings.host_time import cut, segments
from tilescope.tiler.query.events import Events
from tilescope.tiler.windows import Windows

KINDS = (HostKind.NONE, HostKind.INPUT, HostKind.SYNC, HostKind.LAUNCH)
NAMES = 6

# The kind of each name, that of slices without one first.
NAME_KINDS = st.lists(st.sampled_from(KINDS), min_size=NAMES + 1, max_size=NAMES + 1)


@st.composite
def nested(draw: st.DrawFn, start: int = 0, stop: int = 60, depth: int = 0) -> list[tuple[int, int, int, int]]:
    """Slices of a thread: start, stop, row, name. Inner ones lie in outer ones, and may start and end with these."""
    slices = []
    for _ in range(draw(st.integers(0, 3 if depth < 3 else 0))):
        if start >= stop:
            break
        first = draw(st.integers(start, stop - 1))
        last = draw(st.integers(first + 1, stop))
        slices.append((first, last, depth, draw(st.integers(-1, NAMES - 1))))
        slices += draw(nested(first, last, depth + 1))
        start = last
    return slices


def events_of(slices: Sequence[tuple[int, int, int, int]]) -> Events:
    table = np.array(sorted(slices, key=lambda row: (row[0], row[0] - row[1])), np.int64).reshape(-1, 4).T
    start, stop, row, name = table
    none = np.zeros(len(start), np.int64)
    return Events(0, np.arange(len(start)), start, stop - start, row, name, none, none.astype(np.float64))


@given(slices=nested(), kinds=NAME_KINDS)
@settings(max_examples=examples(400), deadline=None)
def test_segments_are_what_is_innermost_at_each_tick(
    slices: list[tuple[int, int, int, int]], kinds: list[HostKind]
) -> None:
    result = segments(events_of(slices), np.array(kinds, np.uint8))
    assert (result.stop > result.start).all()
    assert (result.start[1:] >= result.stop[:-1]).all()
    by_tick = {}
    for row in range(len(result)):
        for tick in range(int(result.start[row]), int(result.stop[row])):
            by_tick[tick] = row
    for tick in range(60):
        around = sorted((entry for entry in slices if entry[0] <= tick < entry[1]), key=lambda entry: entry[2])
        assert (tick in by_tick) == bool(around)
        if not around:
            continue
        row = by_tick[tick]
        assert result.name[row] == around[-1][3]
        of_kind = [entry for entry in around if kinds[entry[3] + 1] != HostKind.NONE]
        holder = of_kind[-1] if of_kind else around[0]
        assert result.kind[row] == kinds[holder[3] + 1]
        assert (result.holder_start[row], result.holder_stop[row], result.holder[row]) == (
            holder[0],
            holder[1],
            holder[3],
        )


def test_a_thread_without_slices_has_no_segments() -> None:
    result = segments(events_of([]), np.zeros(NAMES + 1, np.uint8))
    assert len(result) == 0
    assert len(result.take(np.zeros(0, np.int64))) == 0


SPANS = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9)), max_size=6)


def disjoint(spans: Sequence[tuple[int, int]]) -> Windows:
    ends = np.array(spans, np.int64).reshape(-1, 2)
    return Windows.from_spans(ends[:, 0], ends[:, 0] + ends[:, 1])


@given(spans=SPANS, pieces=SPANS)
@settings(max_examples=examples(300), deadline=None)
def test_cut_parts_are_what_spans_share_with_segments(
    spans: list[tuple[int, int]], pieces: list[tuple[int, int]]
) -> None:
    ours, theirs = disjoint(spans), disjoint(pieces)
    span, segment, start, stop = cut(ours.starts, ours.stops, theirs.starts, theirs.stops)
    ticks = set()
    for row in range(len(span)):
        for tick in range(int(start[row]), int(stop[row])):
            assert ours.starts[span[row]] <= tick < ours.stops[span[row]]
            assert theirs.starts[segment[row]] <= tick < theirs.stops[segment[row]]
            assert tick not in ticks
            ticks.add(tick)
    expected = [
        {tick for first, last in zip(w.starts.tolist(), w.stops.tolist(), strict=True) for tick in range(first, last)}
        for w in (ours, theirs)
    ]
    assert ticks == expected[0] & expected[1]
