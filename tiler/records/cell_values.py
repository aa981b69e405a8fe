"""Numbers of a column as integers, doubles, and times in nanoseconds and the picoseconds beyond, rounded down."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.plain_headers import time_exponent
from tilescope.tiler.records.cells import MAX_DIGITS, Cells, CellState

Ints = NDArray[np.int64]

MILLISECOND_DIGITS: Final = 6  # of a nanosecond
MICROSECOND_DIGITS: Final = 3

_MOST: Final = float(1 << 62)
_EXACT_IN_DOUBLES: Final = 1 << 53
_POWERS: Final = [10**digits for digits in range(MAX_DIGITS + 1)]
# Looked up: a power for each row takes longer than all else.
_DOUBLE_POWERS: Final = 10.0 ** np.arange(MAX_DIGITS + 1, dtype=np.float64)
_NANOSECOND: Final = 3  # 10^3 ps
_INT64_DIGITS: Final = 18  # powers of ten up to here are 64-bit integers
_INT64_POWERS: Final = 10 ** np.arange(_INT64_DIGITS + 1)


class CellTimes(NamedTuple):
    """Times by row; 0 for rows without one."""

    ns: Ints
    ps: Ints
    fits: NDArray[np.bool_]  # rows with a time that is not negative, and below 2^62 ns


def has_number(cells: Cells) -> NDArray[np.bool_]:
    """True for rows with a number."""
    return cells.are(CellState.NUMBER)


def integers(cells: Cells) -> tuple[Ints, NDArray[np.bool_]]:
    """Whole numbers by row, and which rows have one."""
    values, are_whole = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.bool_)
    rows = np.flatnonzero(has_number(cells))
    values[rows] = np.where(cells.digits == 0, cells.numbers, 0)
    are_whole[rows] = cells.digits == 0
    return values, are_whole


def nearest_doubles(cells: Cells) -> NDArray[np.float64]:
    """The numbers, of shape (len(cells.numbers),). One rounding each: integers and powers of ten are exact."""
    doubles: NDArray[np.float64] = cells.numbers.astype(np.float64)
    doubles /= _DOUBLE_POWERS[_alike(cells.digits)]
    if cells.most_magnitude <= _EXACT_IN_DOUBLES:
        return doubles
    large = np.flatnonzero((cells.numbers > _EXACT_IN_DOUBLES) | (cells.numbers < -_EXACT_IN_DOUBLES))
    pairs = zip(cells.numbers[large].tolist(), cells.digits[large].tolist(), strict=True)
    doubles[large] = [number / _POWERS[digits] for number, digits in pairs]  # of integers Python's is the nearest
    return doubles


def doubles(cells: Cells) -> NDArray[np.float64]:
    """The doubles that are nearest to the cells, also to those as `1e-05`; NaN for what is no finite number."""
    if len(cells.numbers) == len(cells):
        return nearest_doubles(cells)
    values = np.full(len(cells), np.nan)
    values[has_number(cells)] = nearest_doubles(cells)
    values[cells.are(CellState.TEXT)] = np.array([*map(_finite, cells.words)], np.float64)[cells.codes]
    return values


def header_times(cells: Cells, header: str, otherwise: int) -> CellTimes:
    """Times of a column in the unit that its header says: `Start Time(us)`; or else as `times(cells, otherwise)`."""
    return times(cells, time_exponent(header, otherwise + _NANOSECOND) - _NANOSECOND)


def times(cells: Cells, unit_digits: int) -> CellTimes:
    """Times in units of 10^`unit_digits` nanoseconds."""
    missing = unit_digits - _alike(cells.digits).astype(np.int64)
    factor = _INT64_POWERS[np.maximum(missing, 0)]
    numbers = cells.numbers
    if numbers.min(initial=0) >= 0 and numbers.max(initial=0) * float(factor.max(initial=1)) < _MOST:  # as a rule
        is_small = np.ones(len(numbers), np.bool_)
    else:
        is_small = (numbers >= 0) & (numbers * factor.astype(np.float64) < _MOST)
        numbers = np.where(is_small, numbers, 0)
    if not (missing < 0).any():  # as a rule: divisions take longer than all else
        return _in_rows(cells, numbers * factor, np.zeros(len(numbers), np.int64), is_small)
    numbers = numbers // 10 ** np.maximum(-missing - _INT64_DIGITS, 0)
    divisor = _INT64_POWERS[np.clip(-missing, 0, _INT64_DIGITS)]
    whole, rest = np.divmod(np.where(missing >= 0, numbers * factor, numbers), divisor)
    # Of a remainder below 10^18 the first three digits: of one below 10^15 exactly so.
    ps = np.where(divisor >= 1000, rest // np.maximum(divisor // 1000, 1), rest * 1000 // divisor)
    return _in_rows(cells, whole, ps, is_small)


def _in_rows(cells: Cells, whole: Ints, beyond: Ints, is_small: NDArray[np.bool_]) -> CellTimes:
    if len(whole) == len(cells):
        return CellTimes(whole, beyond, is_small)
    ns, ps = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64)
    fits = np.zeros(len(cells), np.bool_)
    rows = np.flatnonzero(has_number(cells))
    ns[rows], ps[rows], fits[rows] = whole, beyond, is_small
    return CellTimes(ns, ps, fits)


def _finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _alike(digits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A single one where all are the same, as a rule."""
    is_alike = len(digits) > 0 and bool((digits == digits[0]).all())
    return digits[:1] if is_alike else digits
