"""Sums of lengths of operators that fetch data, against plain Python, also of those beyond 64 bits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.ascend.data_preparation.nodes import _sums
from tilescope.tiler.facts.tables import TableColumn
from tilescope.tiler.records.cells import Cells

SMALL = st.decimals(-10, 10**6, places=3).map(str)
LARGE = st.integers(0, 2**63 - 1).map(str)


@given(st.lists(st.tuples(st.integers(0, 3), SMALL | st.just("N/A")), max_size=12), st.lists(LARGE, max_size=2))
def test_sums_are_those_of_plain_python(rows: list[tuple[int, str]], large: list[str]) -> None:
    rows = [*rows, *((1, text) for text in large)]
    wanted: list[int | None] = [None] * 4
    for group, text in rows:
        if text != "N/A" and (length := math.floor(Fraction(text) * 10**6)) >= 0:
            wanted[group] = (wanted[group] or 0) + length
    column = TableColumn("c", [Cells.from_texts([text for _, text in rows])])
    assert _sums(column, 10**6, np.array([group for group, _ in rows], np.int64), 4) == wanted
