"""Sums of figures by group, against Python's integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.wide_sums import WideSums


@given(st.lists(st.tuples(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(0, 3), st.booleans()), max_size=20))
def test_sums_of_groups_are_exact(rows: list[tuple[int, int, bool]]) -> None:
    figures = np.ma.MaskedArray(np.array([row[0] for row in rows], np.int64), [row[2] for row in rows])
    groups = np.array([row[1] for row in rows], np.int64)
    expected = [sum(value for value, group, masked in rows if group == which and not masked) for which in range(4)]
    sums = WideSums.from_groups(figures, groups, 4)
    assert sums.integers() == expected
    assert sums.regrouped(np.array([0, 1, 0, 1]), 2).integers() == [
        expected[0] + expected[2],
        expected[1] + expected[3],
    ]
    assert sums.doubles().tolist() == pytest.approx(expected)
