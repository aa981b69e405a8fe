"""Calls that end together: of different ranks, within a millisecond of the first."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.collectives.coinciding_ends import together

MS = 1_000_000  # ticks of a nanosecond
CALLS = st.lists(st.tuples(st.integers(0, 5 * MS), st.integers(0, 3)), max_size=30)


def groups(calls: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    numbers = together(np.array([end for end, _ in calls], np.int64), np.array([r for _, r in calls], np.int64), 1000)
    parts: dict[int, list[tuple[int, int]]] = {}
    for number, call in zip(numbers.tolist(), calls, strict=True):
        parts.setdefault(number, []).append(call)
    return [sorted(parts[number]) for number in sorted(parts)]


def test_ends_that_coincide() -> None:
    assert groups([(0, 0), (MS, 1), (MS + 1, 2)]) == [[(0, 0), (MS, 1)], [(MS + 1, 2)]]
    assert groups([(0, 0), (1, 0), (2, 1)]) == [[(0, 0)], [(1, 0), (2, 1)]]


@given(CALLS)
def test_groups_have_a_call_of_a_rank_within_a_millisecond(calls: list[tuple[int, int]]) -> None:
    parts = groups(calls)
    assert sorted(call for part in parts for call in part) == sorted(calls)
    for part in parts:
        assert len({rank for _, rank in part}) == len(part)
        assert part[-1][0] - part[0][0] <= MS
    for before, after in pairwise(parts):  # what follows could not have joined
        assert after[0][0] - before[0][0] > MS or after[0][1] in {rank for _, rank in before}
