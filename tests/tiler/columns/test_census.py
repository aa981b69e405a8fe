"""Crowds of events: every event is in one, and its times are."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.indexing.event_chunks import chunk
from tilescope.tiler.columns import Census, Length, Span

PIECE = 1 << 48
NS = st.one_of(
    st.integers(0, 9),
    st.integers(PIECE - 3, PIECE + 3),
    st.sampled_from([-(2**63), 2**63 - 1, 2**63 - 2, -1, 2**61]),
    st.integers(-(2**63), 2**63 - 1),
)
LENGTH = st.one_of(st.integers(0, 9), st.sampled_from([2**61 // 2000 - 1, 2**61 // 2000, 2**60 - 1, 2**60, 2**63 - 1]))
EVENT = st.tuples(NS, st.integers(0, 999), LENGTH, st.integers(0, 999))
CHUNKS = st.lists(st.lists(EVENT, min_size=1, max_size=6), max_size=4)


def reference(events: list[tuple[int, int, int, int]]) -> dict[tuple[int, Length], tuple[Span, int]]:
    crowds: dict[tuple[int, Length], tuple[Span, int]] = defaultdict(lambda: (Span(), 0))
    for start, start_ps, length, length_ps in events:
        kind = Length.SHORT if length < 2**61 // 2000 else Length.LONG if length < 2**60 else Length.ENDLESS
        ps = start_ps + length_ps
        end = min(start + length, 2**63 - 1)
        end = min(end + ps // 1000, 2**63 - 1)
        span, count = crowds[start // PIECE, kind]
        span.join(Span(start, end, ps % 1000, start_ps != 0 or length_ps != 0))
        crowds[start // PIECE, kind] = span, count + 1
    return dict(crowds)


@given(CHUNKS)
def test_crowds_are_those_of_a_plain_count(chunks: list[list[tuple[int, int, int, int]]]) -> None:
    census = Census()
    for events in chunks:
        start, start_ps, length, length_ps = zip(*events, strict=True)
        census.add(chunk(start, time_ps=start_ps, duration_ns=length, duration_ps=length_ps))
    found = {((c.span.first_ns or 0) // PIECE, c.length): (c.span, c.events) for c in census}
    assert found == reference([event for events in chunks for event in events])


def test_a_chunk_of_an_honest_file_is_counted_at_once() -> None:
    census = Census()
    for first in range(0, 10**6, 10**5):
        census.add(chunk(range(first, first + 1000), duration_ns=[5] * 1000))
    ((crowd),) = census
    assert (crowd.length, crowd.span, crowd.events) == (Length.SHORT, Span(0, 901_004, 0, False), 10_000)


def test_lines_are_counted_by_their_spans() -> None:
    census = Census()
    assert census.add_span(Span(), 0)
    assert census.add_span(Span(5, 9, 3, True), 7)
    assert census.add_span(Span(2, 10**9), 1)
    assert not census.add_span(Span(0, PIECE), 2)
    ((crowd),) = census
    assert (crowd.span, crowd.events) == (Span(2, 10**9, 0, True), 8)


def test_a_copy_does_not_change() -> None:
    census = Census()
    census.add(chunk([1]))
    copy = census.copy()
    census.add(chunk([9]))
    assert (copy.span(), census.span()) == (Span(1, 1), Span(1, 9))
    assert np.sum([crowd.events for crowd in copy]) == 1
