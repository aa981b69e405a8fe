"""Windows against sets of ticks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.windows import pairs
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, windows_digest

SPANS = st.lists(st.tuples(st.integers(-3, 30), st.integers(-3, 30)), max_size=8)


def ticks(windows: Windows) -> set[int]:
    return {tick for start, stop in pairs(windows) for tick in range(start, stop)}


def of(spans: list[tuple[int, int]]) -> Windows:
    return Windows.from_spans([start for start, _ in spans], [stop for _, stop in spans])


@given(SPANS)
def test_they_are_the_union_of_the_spans_ascending_and_apart(spans: list[tuple[int, int]]) -> None:
    windows = of(spans)
    assert ticks(windows) == {tick for start, stop in spans for tick in range(max(start, 0), stop)}
    edges = [edge for pair in pairs(windows) for edge in pair]
    assert edges == sorted(set(edges))
    assert windows.ticks == len(ticks(windows))
    assert (windows.start, windows.stop) == ((edges[0], edges[-1]) if edges else (0, 0))


@given(st.lists(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 9)), max_size=30).map(sorted), max_size=8))
def test_stretches_that_ascend(stretches: list[list[tuple[int, int]]]) -> None:
    spans = [(start, start + length) for stretch in stretches for start, length in stretch]
    assert pairs(of(spans)) == pairs(of(sorted(spans)))


def test_many_stretches_that_ascend() -> None:
    spans = [(start, start + 2) for stretch in range(100) for start in range(7 * (stretch * 37 % 100), 1000, 400)]
    assert pairs(of(spans)) == pairs(of(sorted(spans)))


@given(SPANS, st.integers(-3, 30), st.integers(-3, 30))
def test_clipping_keeps_the_ticks_within(spans: list[tuple[int, int]], start: int, stop: int) -> None:
    assert ticks(of(spans).clipped(start, stop)) == {tick for tick in ticks(of(spans)) if start <= tick < stop}


@given(SPANS, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1))
def test_which_events_are_in_them(spans: list[tuple[int, int]], events: list[tuple[int, int]]) -> None:
    windows = of(spans)
    inside = ticks(windows)
    start = np.array([event[0] for event in events])
    end = start + np.array([event[1] for event in events])
    assert windows.hold(start).tolist() == [tick in inside for tick in start.tolist()]
    times = list(zip(start.tolist(), end.tolist(), strict=True))
    assert windows.meet(start, end).tolist() == [bool(inside & {a, *range(a, b)}) for a, b in times]
    assert windows.cover(start, end + 1).tolist() == [set(range(a, b + 1)) <= inside for a, b in times]


@given(SPANS, SPANS, SPANS, st.lists(st.integers(0, 40)))
def test_sets_of_ticks(
    one: list[tuple[int, int]], two: list[tuple[int, int]], three: list[tuple[int, int]], times: list[int]
) -> None:
    a, b, c = of(one), of(two), of(three)
    assert ticks(a.joined(b, c)) == ticks(a) | ticks(b) | ticks(c)
    assert ticks(a.without(b)) == ticks(a) - ticks(b)
    assert ticks(a.without(b, c)) == ticks(a) - ticks(b) - ticks(c)
    edges = [edge for pair in pairs(a.without(b)) for edge in pair]
    assert edges == sorted(set(edges))
    wanted = [sum(tick < time for tick in ticks(a)) for time in times]
    assert a.ticks_before(np.array(times, np.int64)).tolist() == wanted


@given(SPANS, st.lists(st.integers(0, 60), max_size=4))
def test_pieces_that_follow_one_another_are_one_again(whole: list[tuple[int, int]], cuts: list[int]) -> None:
    windows = of(whole)
    borders = [0, *sorted(cuts), 1 << 40]
    pieces = [windows.clipped(first, last) for first, last in pairwise(borders)]
    assert pairs(Windows.adjoined(pieces)) == pairs(windows)
    apart = Windows.apart(pieces)
    assert all(map(len, apart))
    assert [pair for piece in apart for pair in pairs(piece)] == pairs(windows)


@given(SPANS, st.integers(1, 4))
def test_windows_in_turn_are_all_of_them(whole: list[tuple[int, int]], count: int) -> None:
    parts = list(of(whole).parts(count))
    assert all(0 < len(part) <= count for part in parts)
    assert [pair for part in parts for pair in pairs(part)] == pairs(of(whole))


def test_nothing_lies_beyond_the_time_axis() -> None:
    assert pairs(Windows.single(-5, 1 << 62)) == [(0, TICK_LIMIT)]
    assert pairs(Windows.single(5, 5)) == pairs(Windows.from_spans([], [])) == []


@given(st.lists(SPANS, min_size=1, max_size=4), st.lists(SPANS, min_size=1, max_size=4))
def test_digests_are_the_same_for_the_same_windows_alone(first: list[list[tuple[int, int]]], second: Any) -> None:
    digests, tracks = [], []
    for spans in (first, second):
        windows = [of(track_spans) for track_spans in spans]
        digests.append(windows_digest(range(len(windows)), windows.__getitem__))
        tracks.append([pairs(track_windows) for track_windows in windows])
    assert (digests[0] == digests[1]) == (tracks[0] == tracks[1])
    shared = of(first[0])
    own = windows_digest([3, 4], lambda _track: of(first[0]))
    assert windows_digest([3, 4], lambda _track: shared) == own != windows_digest([4, 3], lambda _track: shared)
