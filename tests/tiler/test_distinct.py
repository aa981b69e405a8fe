"""Different values of a column, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tilescope.tiler.distinct import distinct


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@given(
    st.lists(
        st.integers(-3, 40) | st.sampled_from([-(1 << 31), (1 << 31) - 1]) | st.integers(-(1 << 31), (1 << 31) - 1)
    )
)
def test_distinct_values_are_those_of_numpy(kind: type[np.int32] | type[np.int64], values: list[int]) -> None:
    column: NDArray[np.signedinteger[Any]] = np.array(values, kind)
    used, place = distinct(column)
    expected, inverse = np.unique(column, return_inverse=True)
    assert used.dtype == kind
    assert used.tolist() == expected.tolist()
    assert place.tolist() == inverse.tolist()


def test_the_least_and_the_greatest_numbers_may_be_there() -> None:
    limits = np.iinfo(np.int64)
    used, place = distinct(np.array([limits.max, limits.min, limits.max], np.int64))
    assert (used.tolist(), place.tolist()) == ([limits.min, limits.max], [1, 0, 1])
