"""Cells of tables as whole numbers: decimals times a power of ten, exactly, or to the nearest where more digits are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.tables import Ints, TableColumn
from tilescope.tiler.records.cells import CellState

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
    if digits - exponent > 18:
        return _by_words(column, exponent)
    try:
        scaled = column.scaled(digits)
    except OverflowError:
        return _by_words(column, exponent)
    divisor = 10 ** (digits - exponent)
    whole = scaled // divisor
    whole += (scaled % divisor) * 2 >= divisor if divisor > 1 else 0
    numbers = np.ma.MaskedArray(whole, ~column.has_number)
    if (column.states == CellState.TEXT).any():
        texts = _by_words(column, exponent, numbers=False)
        return np.ma.MaskedArray(np.where(column.has_number, whole, texts.data), ~column.has_number & texts.mask)
    return numbers


def joined(parts: Sequence[Figures]) -> Figures:
    """The figures of all parts, at least one, one part after the other."""
    masks = [np.ma.getmaskarray(part) for part in parts]
    return np.ma.MaskedArray(np.concatenate([part.data for part in parts]), np.concatenate(masks))


class WideSums(NamedTuple):
    """Exact sums of any size: high * 2^32 + low."""

    high: Ints
    low: Ints

    @classmethod
    def from_groups(cls, figures: Figures, groups: Ints, count: int) -> WideSums:
        """The sum of each of so many groups; a masked figure counts as nothing."""
        values = figures.filled(0)
        return cls(values >> 32, values & _LOW).regrouped(groups, count)

    def regrouped(self, groups: Ints, count: int) -> WideSums:
        """Sums of these sums, by group."""
        high, low = np.zeros(count, np.int64), np.zeros(count, np.int64)
        np.add.at(low, groups, self.low)
        np.add.at(high, groups, self.high)
        return WideSums(high + (low >> 32), low & _LOW)

    def take(self, which: Ints | NDArray[np.bool_]) -> WideSums:
        """Some of them."""
        return WideSums(self.high[which], self.low[which])

    def doubles(self) -> NDArray[np.float64]:
        """Near them, to sort by."""
        return self.high.astype(np.float64) * (1 << 32) + self.low

    def integers(self) -> list[int]:
        """The sums themselves."""
        return [(high << 32) + low for high, low in zip(self.high.tolist(), self.low.tolist(), strict=True)]


def counts_of(groups: Ints, which: NDArray[np.bool_], count: int) -> Ints:
    """The rows of each of so many groups that are marked."""
    return np.bincount(groups[which], minlength=count).astype(np.int64)


def _by_words(column: TableColumn, exponent: int, *, numbers: bool = True) -> Figures:
    """Figures of each different cell; without `numbers` of those that are texts."""
    codes, words = column.coded(numbers=numbers)
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
