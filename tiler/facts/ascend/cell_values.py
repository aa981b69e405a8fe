"""Values of table cells: decimals as exact integers of a smaller unit, lists in JSON, numbers of operations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from tilescope.tiler.facts.tables import TableColumn

Figure = int | Fraction  # exactly as it is written

_MOST: Final = (1 << 63) - 1
_MOST_DIGITS: Final = 18


def decimal_times(column: TableColumn, unit: int) -> list[int | None]:
    """Cells times `unit`, exactly, as integers of any size; None: no number. What is below one is cut off."""
    return [None if pair is None else pair[0] * unit // 10 ** pair[1] for pair in column.decimals()]


def counts(column: TableColumn) -> list[int | None]:
    """Whole numbers from 0 to 2^63 - 1; None for any other cell."""
    return [None if pair is None or pair[1] or not 0 <= pair[0] <= _MOST else pair[0] for pair in column.decimals()]


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
    return [None if pair is None else _figure(*pair) for pair in column.decimals()]


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
    return Fraction(sum(values), len(values)) if values else None


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
