"""Cells as times, as Python's decimals have them."""

from __future__ import annotations

from decimal import Context, Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tilescope.tiler.records.cell_values import MICROSECOND_DIGITS, header_times, times
from tilescope.tiler.records.cells import MAX_DIGITS, Cells, decimal_text

EXACT = Context(prec=60)


@given(st.lists(st.tuples(st.integers(0, (1 << 63) - 1), st.integers(0, MAX_DIGITS)), max_size=20), st.integers(0, 9))
@example([(4 * 10**18, MAX_DIGITS)], MICROSECOND_DIGITS)
def test_times_are_rounded_down_to_picoseconds(numbers: list[tuple[int, int]], unit_digits: int) -> None:
    texts = [decimal_text(*number) for number in numbers]
    ns, ps, fits = times(Cells.from_texts([*texts, "-1", "N/A", "x"]), unit_digits)
    assert fits.tolist()[len(texts) :] == [False] * 3
    for text, (number, digits), *time, is_time in zip(
        texts, numbers, ns.tolist(), ps.tolist(), fits.tolist(), strict=False
    ):
        picoseconds = int(EXACT.multiply(Decimal(text), Decimal(10) ** (unit_digits + 3)))
        if is_time:
            assert time == [*divmod(picoseconds, 1000)]
        else:
            assert number * 10 ** max(unit_digits - digits, 0) > 1 << 61


@pytest.mark.parametrize(
    ("header", "expected"),
    [("Start Time(us)", 1500), ("Timestamp", 1500), ("time(ns)", 1), ("time (ms)", 1_500_000), ("t(s)", 1_500_000_000)],
)
def test_the_unit_is_that_of_the_header(header: str, expected: int) -> None:
    assert header_times(Cells.from_texts(["1.5"]), header, MICROSECOND_DIGITS).ns.tolist() == [expected]
