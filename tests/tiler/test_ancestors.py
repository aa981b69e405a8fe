"""Ancestors against a walk from row to row, in forests and where parents lead in a circle."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.ancestors import ancestors

PARENTS = st.integers(0, 40).flatmap(lambda n: st.lists(st.integers(-2, n - 1), min_size=n, max_size=n))


def walked(parent: list[int], row: int, steps: int) -> int:
    for _ in range(steps):
        row = parent[row]
        if row < 0:
            return -1
    return row


@given(PARENTS)
def test_each_turn_has_ancestors_twice_as_far(parent: list[int]) -> None:
    turns = list(ancestors(np.array(parent, np.int64)))
    for turn, (rows, above) in enumerate(turns):
        expected = {row: walked(parent, row, 2**turn) for row in range(len(parent))}
        assert dict(zip(rows.tolist(), above.tolist(), strict=True)) == {
            row: ancestor for row, ancestor in expected.items() if ancestor >= 0
        }
    in_circles = [row for row in range(len(parent)) if walked(parent, row, len(parent)) >= 0]
    if not in_circles:
        assert all(walked(parent, row, 2 ** len(turns)) < 0 for row in range(len(parent)))
