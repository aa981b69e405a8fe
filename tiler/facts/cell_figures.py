"""Cells of tables as exact numbers: whole ones of a smaller unit, fractions, and lists in JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.tables import Ints, TableColumn
from tilescope.tiler.query import Interruptible
from tilescope.tiler.records.cells import CellState

Figure = int | Fraction  # exactly as it is written
Figures = np.ma.MaskedArray[Any, np.dtype[np.int64]]

_INT64: Final = 1 << 63
_LARGEST_EXPONENT: Final = 40  # of ten: a number of more digits before the point is beyond 64 bits in any unit
_LONGEST: Final = 256  # characters, and digits: cells that are longer are no figures
_EXACTLY: Final = Context(prec=2 * _LONGEST)
_MOST_POWER: Final = 18  # of ten, in 64 bits, and digits behind the point in lists
_POWERS: Final = 10 ** np.arange(_MOST_POWER + 1)  # looked up: a power for each row takes longer
_MOST_TIMES: Final = (_INT64 - 1) // _POWERS
_HALF: Final = 5 * 10**18


def whole_figures(column: TableColumn, exponent: int) -> Interruptible[Figures]:
    """Numbers times 10^exponent, halves up; masked where a cell is no number, or its figure is beyond 64 bits.

    Texts such as `5e-05` are numbers, too. Yields between chunks.
    """
    parts = [np.ma.MaskedArray(np.zeros(0, np.int64), np.zeros(0, np.bool_))]
    for cells in column.chunks:
        whole, is_masked = np.zeros(len(cells), np.int64), np.ones(len(cells), np.bool_)
        rows = np.flatnonzero(cells.are(CellState.NUMBER))
        whole[rows], is_masked[rows] = _times_power(cells.numbers, exponent - cells.digits.astype(np.int64))
        texts = [_whole(word, exponent) for word in cells.words]
        rows = np.flatnonzero(cells.are(CellState.TEXT))
        whole[rows] = np.array([*(text or 0 for text in texts), 0], np.int64)[cells.codes]
        is_masked[rows] = np.array([*(text is None for text in texts), True], np.bool_)[cells.codes]
        parts.append(np.ma.MaskedArray(whole, is_masked))
        yield
    return joined(parts)


def _times_power(numbers: Ints, power: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Numbers times 10^power, of which none is below -22, halves up, and which of these are beyond 64 bits."""
    if not power.any():
        return numbers, np.zeros(len(numbers), np.bool_)
    if (power == power[0]).all():  # as a rule
        power = power[:1]
    place = np.clip(power, 0, _MOST_POWER)
    factor = _POWERS[place]
    most = np.where(power > _MOST_POWER, 0, _MOST_TIMES[place])
    is_beyond = (power > 0) & ((numbers > most) | (numbers < -most))
    if not (power < 0).any():  # as a rule; a division takes longer than all else
        return numbers * np.where(is_beyond, 0, factor), is_beyond
    divisor = _POWERS[np.clip(-power, 0, _MOST_POWER)]
    whole, rest = np.divmod(numbers, divisor)
    whole = (whole + ((divisor > 1) & (2 * rest >= divisor))) * np.where(is_beyond, 0, factor)
    # A greater divisor does not fit: of 10^19 half does, and nothing reaches half of 10^20.
    tenth = 1 * (numbers >= _HALF) - (numbers < -_HALF)
    return np.where(power < -_MOST_POWER, np.where(power == -_MOST_POWER - 1, tenth, 0), whole), is_beyond


def joined(parts: Sequence[Figures]) -> Figures:
    """The figures of all parts, at least one, one part after the other."""
    masks = [np.ma.getmaskarray(part) for part in parts]
    return np.ma.MaskedArray(np.concatenate([part.data for part in parts]), np.concatenate(masks))


def _whole(word: str, exponent: int) -> int | None:
    """The figure of a cell; None where it is none."""
    number = cell_decimal(word)
    if number is None:
        return None
    halves = ROUND_HALF_UP if number > 0 else ROUND_HALF_DOWN  # of a negative one towards zero, that is up
    whole = int(number.scaleb(exponent, _EXACTLY).to_integral_value(halves, _EXACTLY))
    return whole if -_INT64 <= whole < _INT64 else None


def cell_decimal(cell: str | Decimal) -> Decimal | None:
    """The number of a cell, below 10^41; 0 where it is below 10^-40; None where it is none, or too long."""
    if isinstance(cell, str) and len(cell) > _LONGEST:
        return None
    try:
        number = Decimal(cell)
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    # A text of so many characters has no more digits.
    if not isinstance(cell, str) and len(number.as_tuple().digits) > _LONGEST:
        return None
    if not number or number.adjusted() < -_LARGEST_EXPONENT:
        return Decimal()
    return number if number.adjusted() <= _LARGEST_EXPONENT else None


def scaled(number: Decimal, digits: int) -> int:
    """A number of `cell_decimal` times 10^digits; what is below one is cut off."""
    return int(number.scaleb(digits, _EXACTLY))


def decimal_times(column: TableColumn, unit: int) -> list[int | None]:
    """Cells times `unit`, exactly, as integers of any size; None: no number. What is below one is cut off."""
    numbers, digits = column.decimals
    pairs = zip(numbers.tolist(), digits.tolist(), strict=True)
    times: list[int | None] = [number * unit // 10**places for number, places in pairs]
    return _without(times, ~column.has_number)


def small_times(column: TableColumn, unit: int) -> Figures | None:
    """The same in 64 bits, masked where a cell is no number; None where one of them might not fit."""
    numbers, digits = column.decimals
    most = max(int(numbers.max(initial=0)), -int(numbers.min(initial=0)))
    if most * unit >= _INT64 or int(digits.max(initial=0)) > _MOST_POWER:
        return None
    return np.ma.MaskedArray(numbers * unit // _POWERS[digits], ~column.has_number)


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
    return values if all(type(value) is int and 0 <= value < _INT64 for value in values) else None


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
        return value if 0 <= value < _INT64 else None
    # The exponent is looked at first: 1e-999999999 as a fraction has a gigabyte.
    if isinstance(value, Decimal) and value.is_finite() and 0 <= value < _INT64:
        exponent = value.as_tuple().exponent
        return Fraction(value) if isinstance(exponent, int) and exponent >= -_MOST_POWER else None
    return None
