"""Cells of tables as whole numbers: decimals times a power of ten, exactly, or to the nearest where more digits are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.tables import TableColumn
from tilescope.tiler.records.cells import CellState

Ints = NDArray[np.int64]
Figures = np.ma.MaskedArray[Any, np.dtype[np.int64]]

_INT64: Final = 1 << 63
_LARGEST_EXPONENT: Final = 40  # a number of more digits before the point is beyond 64 bits in any unit
_LONGEST: Final = 256  # characters: cells that are longer are no figures
_LOW: Final = 0xFFFFFFFF


def whole_figures(column: TableColumn, exponent: int) -> Figures:
    """Numbers times 10^exponent, halves up; masked where a cell is no number, or its figure is beyond 64 bits.

    Texts such as `5e-05` are numbers, too.
    """
    digits = max(exponent, column.digits)
    if not (column.states == CellState.TEXT).any() and digits - exponent <= 18:
        try:
            scaled = column.scaled(digits)
        except OverflowError:
            return _by_words(column, exponent)
        divisor = 10 ** (digits - exponent)
        whole = scaled // divisor
        whole += (scaled % divisor) * 2 >= divisor if divisor > 1 else 0
        return np.ma.MaskedArray(whole, ~column.has_number)
    return _by_words(column, exponent)


def joined(parts: Sequence[Figures]) -> Figures:
    """The figures of all parts, at least one, one part after the other."""
    masks = [np.ma.getmaskarray(part) for part in parts]
    return np.ma.MaskedArray(np.concatenate([part.data for part in parts]), np.concatenate(masks))


def group_sums(figures: Figures, groups: NDArray[np.integer[Any]], count: int) -> list[int]:
    """The exact sum of each group, of any size; a masked figure counts as nothing."""
    values = figures.filled(0)
    low, high = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(low, groups, values & _LOW)
    np.add.at(high, groups, values >> 32)
    return [(above << 32) + below for above, below in zip(high.tolist(), low.tolist(), strict=True)]


def _by_words(column: TableColumn, exponent: int) -> Figures:
    codes, words = column.coded()
    wholes = [_whole(word, exponent) for word in words]
    is_masked = np.array([*(whole is None for whole in wholes), True], np.bool_)
    values = np.array([*(whole or 0 for whole in wholes), 0], np.int64)
    return np.ma.MaskedArray(values[codes], is_masked[codes])


def _whole(word: str, exponent: int) -> int | None:
    """The figure of a cell; None where it is none."""
    if len(word) > _LONGEST:
        return None
    try:
        number = Decimal(word)
    except InvalidOperation:
        return None
    if not number.is_finite() or number.adjusted() > _LARGEST_EXPONENT:
        return None
    if number.adjusted() < -_LARGEST_EXPONENT:
        return 0
    sign, figures, power = number.as_tuple()
    assert isinstance(power, int)  # it is finite
    digits, shift = int("".join(map(str, figures))), power + exponent
    magnitude = -digits if sign else digits
    whole = magnitude * 10**shift if shift >= 0 else (2 * magnitude + 10**-shift) // (2 * 10**-shift)
    return whole if -_INT64 <= whole < _INT64 else None
