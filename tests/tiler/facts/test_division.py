"""Division of time among kinds of work, against sets of ticks in plain Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.windows import pairs
from tilescope.tiler import _native
from tilescope.tiler.facts.busy import FIELDS
from tilescope.tiler.facts.division import Division, TimeFrames, divided
from tilescope.tiler.facts.work import Work
from tilescope.tiler.pages.leaf_spans import KINDS
from tilescope.tiler.windows import Windows

Spans = list[tuple[int, int]]

SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda s: (s[0], s[0] + s[1])), max_size=6)
TRACKS = st.lists(st.dictionaries(st.sampled_from([*FIELDS, Work.CONTROL]), SPANS), max_size=3)
BORDERS = st.lists(st.integers(0, 60), max_size=8, unique=True).map(sorted)


def windows_of(spans: Spans) -> Windows:
    return Windows.from_spans([start for start, _ in spans], [stop for _, stop in spans])


def ticks(windows: Windows) -> set[int]:
    return {tick for start, stop in pairs(windows) for tick in range(start, stop)}


def work_of(spans: dict[Work, Spans]) -> list[Windows]:
    return [windows_of(spans.get(kind, [])) for kind in [*Work, *[Work.NONE] * (KINDS - len(Work))]]


# A track with so many spans that the others are gone through apart from it.
MANY: list[dict[Work, Spans]] = [{Work.COMPUTATION: [(k, k + 2) for k in range(0, 60, 3)]}]


@given(TRACKS, BORDERS, st.booleans(), st.integers(0, 1), st.booleans())
def test_each_tick_is_of_the_first_kind_that_runs(
    spans: list[dict[Work, Spans]], borders: list[int], touch: bool, counted: int, has_many: bool
) -> None:
    spans = MANY + spans if has_many else spans
    stretches = list(pairwise(borders))[:: 1 if touch else 2]
    begin, end = (np.array([stretch[end] for stretch in stretches], np.int64) for end in (0, 1))
    tracks = [work_of(kinds) for kinds in spans]
    division = divided(windows_of(stretches), tracks, TimeFrames(begin, end), counted)
    check(division, [set(range(*stretch)) for stretch in stretches], tracks, counted)


def check(division: Division, stretches: list[set[int]], tracks: list[list[Windows]], counted: int) -> None:
    left = set[int]().union(*stretches)
    for place, kind in enumerate(FIELDS):
        running = set[int]().union(*(ticks(kinds[kind]) for kinds in tracks))
        for kinds in tracks if kind is Work.COMPUTATION else ():
            running |= ticks(kinds[Work.CONTROL]).difference(*(ticks(kinds[other]) for other in FIELDS))
        own = left & running
        assert division.ticks[place].tolist() == [len(own & stretch) for stretch in stretches]
        if place >= counted:
            part = division.exposed.kinds[place]
            assert ticks(part) == own
            assert pairs(part) == pairs(Windows.from_spans(part.starts, part.stops))  # ascending, and apart
        if kind is not Work.COMPUTATION and not counted:
            assert ticks(division.work.kinds[place]) == running
        left -= own
    assert ticks(division.idle) == left


def test_who_counts_computation_cannot_ask_for_all_work() -> None:
    stretches = TimeFrames(np.array([0]), np.array([9]))
    tracks = [work_of({Work.COMPUTATION: [(0, 3)], Work.COMMUNICATION: [(2, 5)]})]
    assert ticks(divided(stretches.windows, tracks, stretches).work.communication) == {2, 3, 4}
    assert not divided(stretches.windows, [], stretches).work.any
    counting = divided(stretches.windows, tracks, stretches, counted=1)
    with pytest.raises(AssertionError, match="keeps no work"):
        _ = counting.work


@given(BORDERS, st.lists(st.integers(0, 60), min_size=1, max_size=3, unique=True).map(sorted))
def test_stretches_of_pieces_are_all_of_them(borders: list[int], cuts: list[int]) -> None:
    begin, end = np.array(borders[:-1], np.int64), np.array(borders[1:], np.int64)
    stretches = TimeFrames(begin, end)
    total = np.zeros(len(begin), np.int64)
    for first, last in pairwise([0, *cuts, 61]):
        windows = stretches.windows.clipped(first, last)
        if len(windows):
            part = stretches.within(windows)
            total[part.numbers] += part.end - part.begin
    assert total.tolist() == (end - begin).tolist()


def test_sets_of_no_part_are_refused() -> None:
    none = np.zeros(0, np.int64)
    with pytest.raises(ValueError, match="of no part"):
        _native.divided_time(none, none, [(none, none)], [2], 2, 0)
    with pytest.raises(ValueError, match="more parts"):
        _native.divided_time(none, none, [], [], 1, 2)
    with pytest.raises(ValueError, match="its part"):
        _native.divided_time(none, none, [], [0], 1, 0)
