"""Arguments in another order, against a plain reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.indexing.reading.arguments import gather_args
from tilescope.tiler.indexing.scratch import Scratch


@given(st.lists(st.binary(max_size=9), min_size=1, max_size=20), st.data())
def test_strings_are_put_behind_one_another(strings: list[bytes], data: st.DataObject) -> None:
    place = st.integers(0, len(strings) - 1)
    pairs = data.draw(st.lists(st.tuples(place, place | st.just(-1))))
    args_end = np.cumsum([len(string) for string in strings])
    args = np.frombuffer(b"".join(strings), np.uint8)
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    for behind in (np.ascontiguousarray(second), None):
        expected = [
            strings[one] + (strings[other] if other >= 0 and behind is not None else b"") for one, other in pairs
        ]
        ends, gathered = gather_args(Scratch(), args_end, args, np.ascontiguousarray(first), behind)
        assert gathered.tobytes() == b"".join(expected)
        assert ends.tolist() == np.cumsum([len(string) for string in expected]).tolist()


@pytest.mark.parametrize(
    ("order", "behind", "complaint"),
    [
        ([2], None, "out of range"),
        ([-1], None, "out of range"),
        ([0], [2], "out of range"),
        ([0], [-2], "out of range"),
        ([0, 1], [0], "different lengths"),
    ],
)
def test_places_that_are_not_there_are_refused(order: list[int], behind: list[int] | None, complaint: str) -> None:
    ends, out = np.array([1, 2]), np.zeros(len(order), np.int64)
    second = None if behind is None else np.array(behind)
    with pytest.raises(ValueError, match=complaint):
        _native.gather_ends(ends, 2, np.array(order), out, second)
