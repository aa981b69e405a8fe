"""The least values of a column are those of a stable sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.first_places import first_places


@given(st.lists(st.integers(-3, 3), max_size=30), st.integers(0, 31))
def test_as_a_stable_sort_has_them(values: list[int], limit: int) -> None:
    places = first_places(np.array(values, np.int64), limit).tolist()
    assert places == sorted(range(len(values)), key=values.__getitem__)[:limit]
