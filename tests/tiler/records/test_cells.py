"""Cells of tables: each is restored as it was written, whatever it says."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.cells import Cells, CellState, decimal_text, pack_cells, parse_cells
from tilescope.tiler.records.packed_integers import IntegerReader, pack_integers

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=6).map(str)
SPECIAL = (
    "",
    "N/A",
    "-",
    "0",
    "-0",
    "-0.0",
    "00",
    "1.",
    ".5",
    "1e-05",
    "nan",
    "9223372036854775808",
    "-9223372036854775808",
)
TEXTS = st.one_of(
    st.none(),
    st.sampled_from(SPECIAL),
    INT64.map(str),
    DECIMALS,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
    st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{1,24})?", fullmatch=True),
)


def is_exact_number(text: str) -> bool:
    """The plain rule: 64 bits as a scaled integer restore the text."""
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]{1,22})?", text, re.ASCII) is None:
        return False
    digits = len(text.partition(".")[2])
    number = int(Decimal(text).scaleb(digits, None)) if len(text) < 28 else int(text.replace(".", ""))
    return -(1 << 63) <= number < 1 << 63 and not (number == 0 and text.startswith("-"))


@given(st.lists(TEXTS, max_size=60))
def test_cells_are_restored_as_they_were_written(texts: list[str | None]) -> None:
    cells = parse_cells(pack_cells(Cells.from_texts(texts)))
    assert cells.texts() == [None if text in (None, "", "N/A") else text for text in texts]
    for text, state in zip(texts, cells.states.tolist(), strict=True):
        if text is None:
            assert state == CellState.ABSENT
        elif text in ("", "N/A"):
            assert state == (CellState.NOT_AVAILABLE if text else CellState.EMPTY)
        else:
            assert state == (CellState.NUMBER if is_exact_number(text) else CellState.TEXT)


@given(st.lists(TEXTS, max_size=60), st.data())
def test_rows_of_cells_in_any_order(texts: list[str | None], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=60)) if texts else []
    whole = Cells.from_texts(texts)
    assert whole.rows(np.array(places, np.int64)).texts() == [whole.texts()[place] for place in places]


@given(INT64, st.integers(0, 22))
def test_decimals_are_exact(number: int, digits: int) -> None:
    assert Decimal(decimal_text(number, digits)).as_tuple() == Decimal(number).scaleb(-digits).as_tuple() or number == 0


@given(st.lists(INT64), st.booleans())
def test_integers_are_packed_modulo_two_to_the_64(values: list[int], ascending: bool) -> None:
    array = np.array(sorted(values) if ascending else values, np.int64)
    assert IntegerReader(pack_integers(array)).integers(len(array)).tolist() == array.tolist()


def plain_planes(planes: bytes, size: int, count: int, least: int, first: int | None) -> list[int]:
    """Integers as `unpacked_integers` returns them, one by one."""
    steps = [int.from_bytes(planes[k : size * count : count], "little") + least for k in range(count)]
    sums = steps if first is None else [first + sum(steps[:k]) for k in range(count + 1)]
    return [(integer + (1 << 63)) % (1 << 64) - (1 << 63) for integer in sums]


@given(st.binary(max_size=200), st.integers(0, 8), INT64, st.none() | INT64)
def test_planes_are_those_of_a_plain_reading(planes: bytes, size: int, least: int, first: int | None) -> None:
    count = len(planes) // size if size else 5
    integers = _native.unpacked_integers(b"head" + planes, 4, size, count, least, first)
    assert integers.tolist() == plain_planes(planes, size, count, least, first)


@pytest.mark.parametrize(
    ("offset", "size", "count"),
    [(0, 9, 1), (0, 8, 2), (3, 1, 13), (17, 0, 0), (0, 4, 1 << 62), (0, 2, (1 << 63) + 1), (0, 0, (1 << 64) - 1)],
)
def test_planes_beyond_the_data_are_refused(offset: int, size: int, count: int) -> None:
    with pytest.raises(ValueError, match=r"it is cut short|of no size"):
        _native.unpacked_integers(bytes(15), offset, size, count, 0)
    with pytest.raises(ValueError, match=r"it is cut short|of no size"):
        _native.unpacked_integers(bytes(15), offset, size, count, 0, 7)


@given(st.lists(st.integers(0, 300)), st.integers(0, 255))
def test_small_integers_are_those_of_the_column(values: list[int], most: int) -> None:
    data = pack_integers(np.array(values, np.int64)) + pack_integers(np.array([7], np.int64))
    reader = IntegerReader(data)
    if any(value > most for value in values):
        with pytest.raises(ValueError, match="out of range"):
            reader.small_integers(len(values), most)
        return
    small = reader.small_integers(len(values), most)
    assert small.dtype == np.uint8
    assert small.tolist() == values
    assert reader.integers(1).tolist() == [7]  # the next column follows


def test_columns_that_grow_evenly_take_a_byte_a_value_at_most() -> None:
    assert len(pack_integers(10**15 + 100 * np.arange(1000))) < 1100
    assert len(pack_integers(np.full(1000, 1 << 62))) < 20


@given(st.binary(max_size=200))
def test_other_bytes_are_damage(data: bytes) -> None:
    try:
        cells = parse_cells(data)
    except DamagedStore:
        return
    assert len(cells) < 1 << 16


def test_a_column_that_is_cut_short_or_has_more_is_damaged() -> None:
    data = pack_cells(Cells.from_texts(["1", "a", None, "2.50", ""]))
    for wrong in (*(data[:size] for size in range(len(data))), data + b"x"):
        with pytest.raises(DamagedStore, match="a column of a table is damaged"):
            parse_cells(wrong)
