"""Native sums of durations by the code of their kinds, and places of equal rows: against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native

KINDS, CODES = 4, 3
ops = st.lists(
    st.tuples(st.integers(0, KINDS - 1), st.integers(-1, KINDS - 1), st.integers(0, 99), st.booleans()), max_size=20
)


def native(of: list[tuple[int, int, int, bool]], codes: list[int]) -> list[int]:
    """The native sums."""
    kind, parent, duration = (np.array([one[at] for one in of], np.int64) for at in range(3))
    left_out = np.array([one[3] for one in of], np.uint8)
    found: list[int] = _native.sums_by_code(kind, parent, duration, left_out, np.array(codes, np.uint8), CODES).tolist()
    return found


@given(ops, st.lists(st.integers(0, CODES - 1), min_size=KINDS, max_size=KINDS))
def test_sums_are_plain_sums(of: list[tuple[int, int, int, bool]], codes: list[int]) -> None:
    plain = [0] * CODES
    for kind, parent, duration, is_left_out in of:
        if not is_left_out:
            plain[codes[kind]] += duration
            if parent >= 0:
                plain[codes[parent]] -= duration
    assert native(of, codes) == plain


@pytest.mark.parametrize(
    ("of", "codes"),
    [
        ([(KINDS, -1, 1, False)], [0] * KINDS),
        ([(0, KINDS, 1, False)], [0] * KINDS),
        ([(0, -1, -1, False)], [0] * KINDS),
        ([(0, -1, 1 << 62, False)] * 2, [0] * KINDS),
        ([(0, -1, 1, False)], [CODES] * KINDS),
    ],
)
def test_what_makes_no_sense_is_refused(of: list[tuple[int, int, int, bool]], codes: list[int]) -> None:
    with pytest.raises(ValueError, match=r"that there is not|too long together"):
        native(of, codes)


@given(st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), max_size=12))
def test_equal_rows_have_one_place(rows: list[list[int]]) -> None:
    places = _native.RowPlaces(2)
    found = [int(places.add(np.array(row, np.int32))[0]) for row in rows]
    again = places.add(np.array(rows, np.int32).reshape(-1))
    met = list(dict.fromkeys(map(tuple, rows)))
    assert found == again.tolist() == [met.index((row[0], row[1])) for row in rows]
    assert len(places) == len(met)
    assert places.rows(0).reshape(-1, 2).tolist() == [list(row) for row in met]


def test_rows_that_are_cut_short_are_refused() -> None:
    with pytest.raises(ValueError, match="cut short"):
        _native.RowPlaces(2).add(np.zeros(3, np.int32))
