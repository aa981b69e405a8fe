"""Values of table cells: decimals as exact integers of a smaller unit, lists in JSON, numbers of operations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.tables import TableColumn

Figure = int | Fraction  # exactly as it is written

_MOST: Final = (1 << 63) - 1
_MOST_DIGITS: Final = 18


def decimal_times(column: TableColumn, unit: int) -> list[int | None]:
    """Cells times `unit`, exactly, as integers of any size; None: no number. What is below one is cut off."""
    numbers, digits = column.decimals
    pairs = zip(numbers.tolist(), digits.tolist(), strict=True)
    times: list[int | None] = [number * unit // 10**places for number, places in pairs]
    return _without(times, ~column.has_number)


def counts(column: TableColumn) -> list[int | None]:
    """Whole numbers from 0 to 2^63 - 1; None for any other cell."""
    numbers, digits = column.decimals
    values: list[int | None] = numbers.tolist()
    return _without(values, ~column.has_number | (digits > 0) | (numbers < 0))


def _without(values: list[int | None], is_none: NDArray[np.bool_]) -> list[int | None]:
    for row in np.flatnonzero(is_none).tolist():
        values[row] = None
    return values


def count_list(text: str | None) -> Sequence[int] | None:
    """A list of whole numbers in JSON, each from 0 to 2^63 - 1; empty for no cell; None: it is none."""
    if text is None:
        return ()
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if values is None:
        return ()
    if not isinstance(values, list):
        return None
    return values if all(type(value) is int and 0 <= value <= _MOST for value in values) else None


def figures(column: TableColumn) -> list[Figure | None]:
    """Numbers from 0 to 2^63 - 1; None for any other cell."""
    numbers, digits = column.decimals
    rows = zip(numbers.tolist(), digits.tolist(), column.has_number.tolist(), strict=True)
    return [_figure(number, places) if has_number else None for number, places, has_number in rows]


def figure_list(text: str | None) -> Sequence[Figure] | None:
    """A list of such numbers in JSON; empty for no cell; None: it is none."""
    if text is None:
        return ()
    try:
        values = json.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        return None
    if not isinstance(values, list):
        return None
    numbers = [_figure_of_json(value) for value in values]
    return None if None in numbers else [number for number in numbers if number is not None]


def mean(values: Sequence[Figure]) -> Fraction | None:
    """The exact mean; None of nothing."""
    # By denominator, of which there are few: adding fractions one by one takes ten times as long.
    sums: dict[int, int] = {}
    for value in values:
        sums[value.denominator] = sums.get(value.denominator, 0) + value.numerator
    whole = sum((Fraction(numerator, denominator) for denominator, numerator in sums.items()), Fraction())
    return whole / len(values) if values else None


def _figure(number: int, digits: int) -> Figure | None:
    if number < 0:
        return None
    return Fraction(number, 10**digits) if digits else number


def _figure_of_json(value: object) -> Figure | None:
    if type(value) is int:
        return value if 0 <= value <= _MOST else None
    # The exponent is looked at first: 1e-999999999 as a fraction has a gigabyte.
    if isinstance(value, Decimal) and value.is_finite() and 0 <= value <= _MOST:
        exponent = value.as_tuple().exponent
        return Fraction(value) if isinstance(exponent, int) and exponent >= -_MOST_DIGITS else None
    return None
