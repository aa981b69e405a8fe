"""Sums of operations in windows, in times of another clock."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.step_times.core_sums import CoreSums, ReduceSums

# Short times, and any; below zero are operations that last longer than what they lie in.
PARTS = st.lists(st.integers(-20, 20) | st.integers(-(1 << 60), 1 << 60), min_size=3, max_size=3)
ROWS = st.lists(st.tuples(PARTS, st.integers(0, 100) | st.integers(0, 1 << 61)), max_size=4)


@given(ROWS)
def test_scaled_parts_add_up_and_keep_their_shares(rows: list[tuple[list[int], int]]) -> None:
    parts = np.array([row for row, _ in rows], np.int64).reshape(-1, 3)
    whole = np.array([ticks for _, ticks in rows], np.int64)
    window = np.arange(len(rows))
    sums = CoreSums(parts, ReduceSums(window, window, np.maximum(parts[:, 0], 0))).scaled(whole)
    assert (sums.parts >= 0).all()
    for (signed, ticks), scaled, reduces in zip(rows, sums.parts.tolist(), sums.reduces.ps.tolist(), strict=True):
        row = [max(own, 0) for own in signed]
        assert sum(scaled) == (ticks if sum(row) else 0)
        assert all(
            abs(part * max(sum(row), 1) - own * ticks) <= 3 * sum(row) for part, own in zip(scaled, row, strict=True)
        )
        assert reduces <= scaled[0]
