"""Cells of tables as whole numbers: decimals times a power of ten, exactly, or to the nearest where more digits are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.tables import Ints, TableColumn
from tilescope.tiler.query import Interruptible
from tilescope.tiler.records.cells import CellState

Figures = np.ma.MaskedArray[Any, np.dtype[np.int64]]

_INT64: Final = 1 << 63
_LARGEST_EXPONENT: Final = 40  # a number of more digits before the point is beyond 64 bits in any unit
_LONGEST: Final = 256  # characters: cells that are longer are no figures
_EXACTLY: Final = Context(prec=2 * _LONGEST)
_MOST_POWER: Final = 18  # of ten, in 64 bits
_POWERS: Final = 10 ** np.arange(_MOST_POWER + 1)  # looked up: a power for each row takes longer
_MOST_TIMES: Final = (_INT64 - 1) // _POWERS
_HALF: Final = 5 * 10**18
_LOW: Final = 0xFFFFFFFF


def whole_figures(column: TableColumn, exponent: int) -> Interruptible[Figures]:
    """Numbers times 10^exponent, halves up; masked where a cell is no number, or its figure is beyond 64 bits.

    Texts such as `5e-05` are numbers, too. Yields between chunks.
    """
    parts = [np.ma.MaskedArray(np.zeros(0, np.int64), np.zeros(0, np.bool_))]
    for cells in column.chunks:
        whole, is_masked = np.zeros(len(cells), np.int64), np.ones(len(cells), np.bool_)
        rows = np.flatnonzero(cells.states == CellState.NUMBER)
        whole[rows], is_masked[rows] = _times_power(cells.numbers, exponent - cells.digits.astype(np.int64))
        texts = [_whole(word, exponent) for word in cells.words]
        rows = np.flatnonzero(cells.states == CellState.TEXT)
        whole[rows] = np.array([*(text or 0 for text in texts), 0], np.int64)[cells.codes]
        is_masked[rows] = np.array([*(text is None for text in texts), True], np.bool_)[cells.codes]
        parts.append(np.ma.MaskedArray(whole, is_masked))
        yield
    return joined(parts)


def _times_power(numbers: Ints, power: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Numbers times 10^power, of which none is below -22, halves up, and which of these are beyond 64 bits."""
    if not power.any():
        return numbers, np.zeros(len(numbers), np.bool_)
    place = np.clip(power, 0, _MOST_POWER)
    factor = _POWERS[place]
    most = np.where(power > _MOST_POWER, 0, _MOST_TIMES[place])
    is_beyond = (power > 0) & ((numbers > most) | (numbers < -most))
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


class WideSums(NamedTuple):
    """Exact sums of any size: high * 2^32 + low."""

    high: Ints
    low: Ints

    @classmethod
    def from_groups(cls, figures: Figures, groups: Ints, count: int) -> WideSums:
        """The sum of each of so many groups; a masked figure counts as nothing."""
        values = figures.filled(0)
        return cls(values >> 32, values & _LOW).regrouped(groups, count)

    @classmethod
    def nothing(cls) -> WideSums:
        """No sums."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def joined(cls, parts: Sequence[WideSums]) -> WideSums:
        """The sums of all parts, at least one, one part after the other."""
        return cls(np.concatenate([part.high for part in parts]), np.concatenate([part.low for part in parts]))

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


def _whole(word: str, exponent: int) -> int | None:
    """The figure of a cell; None where it is none."""
    if len(word) > _LONGEST:
        return None
    try:
        number = Decimal(word)
    except InvalidOperation:
        return None
    if not number:
        return 0
    if not number.is_finite() or number.adjusted() > _LARGEST_EXPONENT:
        return None
    if number.adjusted() < -_LARGEST_EXPONENT:
        return 0
    halves = ROUND_HALF_UP if number > 0 else ROUND_HALF_DOWN  # of a negative one towards zero, that is up
    whole = int(number.scaleb(exponent, _EXACTLY).to_integral_value(halves, _EXACTLY))
    return whole if -_INT64 <= whole < _INT64 else None
