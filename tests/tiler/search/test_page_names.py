"""Which names start on which pages, compared with a plain count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native

# Few names that are met often, and high ones that are met now and then: they are ordered in different ways.
NAMES = st.lists(st.one_of(st.integers(-1, 3), st.sampled_from([60, 5_000])), max_size=12)
# The names of each leaf, and how many pages behind the one before it lies.
LEAVES = st.lists(st.tuples(NAMES, st.integers(0, 2)), max_size=12)


def found(
    leaves: list[tuple[list[int], int]], budget: _native.MemoryBudget | None = None
) -> tuple[list[int], list[int], list[int]]:
    """Name, number of its pages, and pages, of leaves that lie one behind the other on one track."""
    names = np.array([name for of_leaf, _ in leaves for name in of_leaf], np.int32)
    last = np.cumsum([len(of_leaf) for of_leaf, _ in leaves], dtype=np.int64)
    first = last - np.array([len(of_leaf) for of_leaf, _ in leaves], np.int64)
    page = np.array([page for _, page in leaves], np.int64)
    listed = _native.page_names([names], np.zeros(len(leaves), np.int64), first, last, page, budget)
    return listed[0].tolist(), listed[1].tolist(), listed[2].tolist()


@given(LEAVES)
def test_each_name_has_each_of_its_pages_once(leaves: list[tuple[list[int], int]]) -> None:
    page = 0
    placed: list[tuple[list[int], int]] = []
    pages_of: dict[int, set[int]] = {}
    for names, further in leaves:
        page += further
        placed.append((names, page))
        for one in names:
            pages_of.setdefault(one, set()).add(page)
    budget = _native.MemoryBudget(1 << 20)
    name, count, on = found(placed, budget)
    assert name == sorted(pages_of)
    assert count == [len(pages_of[one]) for one in name]
    assert on == [page for one in name for page in sorted(pages_of[one])]
    assert budget.taken == 0


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="not ordered by page"):
        found([([1], 2), ([1], 1)])
    with pytest.raises(ValueError, match="no such name"):
        found([([-2], 0)])
    with pytest.raises(ValueError, match="no such leaf"):
        found([([1], -1)])


def test_names_that_take_more_than_they_may_are_refused() -> None:
    budget = _native.MemoryBudget(1 << 10)
    with pytest.raises(MemoryError):
        found([(list(range(1_000)), 0)], budget)
    assert budget.taken == 0
