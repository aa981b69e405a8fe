"""Cells of tables as exact numbers, against fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.cell_figures import counts, decimal_times, figures, small_times, whole_figures
from tilescope.tiler.facts.tables import TableColumn
from tilescope.tiler.query import finish
from tilescope.tiler.records.cells import Cells, CellState

DECIMALS = st.builds(
    lambda whole, digits: f"{whole}{digits}",
    st.integers(-(10**19), 10**19),
    st.one_of(st.just(""), st.text("0123456789", min_size=1, max_size=24).map(lambda digits: f".{digits}")),
)
CELLS = st.one_of(
    DECIMALS,
    st.sampled_from(
        ["", "N/A", "nan", "inf", "-Infinity", "word", "1e400", "-3e-400", "5e-05", "1.5e3", "-2.5", "0.5"]
    ),
    st.none(),
)


def plain(cell: str | None, exponent: int) -> int | None:
    try:
        whole = math.floor(Fraction(cell or "") * 10**exponent + Fraction(1, 2))
    except ValueError:
        return None
    return whole if -(1 << 63) <= whole < 1 << 63 else None


@given(st.lists(CELLS, max_size=8), st.lists(CELLS, max_size=8), st.integers(0, 12))
def test_figures_are_the_nearest_whole_numbers(first: Sequence[str], second: Sequence[str], exponent: int) -> None:
    column = TableColumn("c", [Cells.from_texts(first), Cells.from_texts(second)])
    expected = [plain(cell, exponent) for cell in (*first, *second)]
    assert finish(whole_figures(column, exponent)).tolist() == expected


@pytest.mark.parametrize("digits", ["4999999999999999999", "5000000000000000000", "5000000000000000001"])
@pytest.mark.parametrize("before", ["0.", "-0.", "0.0", "-0.0", "0.000", "9.", "-9."])
def test_halves_of_powers_beyond_64_bits(before: str, digits: str) -> None:
    """Beside a number that no common power of ten has room for."""
    cells = [f"{before}{digits}", "9223372036854775807", "-9223372036854775808", f"{before}{digits}e0"]
    column = TableColumn("c", [Cells.from_texts(cells)])
    for exponent in range(13):
        assert finish(whole_figures(column, exponent)).tolist() == [plain(cell, exponent) for cell in cells]


def test_times_that_fit_in_64_bits_are_worked_out_at_once() -> None:
    times = small_times(TableColumn("c", [Cells.from_texts(["1.5", "-0.0009", "N/A", "9223372036.854775"])]), 10**3)
    assert times is not None
    assert times.tolist() == [1500, -1, None, 9223372036854]
    assert small_times(TableColumn("c", [Cells.from_texts(["9223372036854775"])]), 10**4) is None


def test_figures_of_texts_and_long_decimals_yield_between_chunks() -> None:
    chunks = [Cells.from_texts(["1e-05", "0.30000000000000004", "123456.5"])] * 3
    assert len(list(whole_figures(TableColumn("c", chunks), 6))) == 3


@given(st.lists(DECIMALS), st.sampled_from([1, 1000, 10**9]))
def test_figures_of_plain_decimals_are_exact(texts: Sequence[str], unit: int) -> None:
    column = TableColumn("c", [Cells.from_texts([*texts, "N/A", "word"])])
    are_numbers = (column.states[: len(texts)] == CellState.NUMBER).tolist()
    numbers = [Fraction(text) if is_number else None for text, is_number in zip(texts, are_numbers, strict=True)]
    expected = [*numbers, None, None]
    times = [value if value is None else math.floor(value * unit) for value in expected]
    assert decimal_times(column, unit) == times
    small = small_times(column, unit)
    assert small is None or small.tolist() == times
    positive = [None if value is None or value < 0 else value for value in expected]
    assert figures(column) == positive
    assert counts(column) == [
        None if value is None or "." in text else value for value, text in zip(positive, [*texts, "", ""], strict=True)
    ]
