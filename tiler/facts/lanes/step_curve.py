"""Step functions of time in pieces, and their bins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes.bin_sums import CurveBins

Ints = NDArray[np.int64]

_INT64: Final = 1 << 63
_BLOCK: Final = 64  # values with one least and one greatest: of a wide bin only those at its ends are looked at
_NONE_YET: Final = np.iinfo(np.int64).max  # the least value of a bin that no piece has reached


@dataclass(frozen=True)  # without slots: what is worked out is kept beside the columns
class StepCurve:
    """A value from each time on until the next, within [start, stop); columns of shape (n,).

    Times ascend, the first is `start`. Of several values at one time the last holds, and the others count as least and
    greatest.
    """

    start: int
    stop: int
    time: Ints
    value: Ints

    def area(self, times: Ints) -> NDArray[np.int64] | NDArray[np.object_]:
        """The sum of value × ticks from the start to each of these times, which lie in [start, stop]."""
        sums = self._sums
        last = np.searchsorted(self.time, times, side="right") - 1
        kind = object if sums.dtype == object else np.int64
        areas: NDArray[np.int64] | NDArray[np.object_] = sums[last] + self.value[last].astype(kind) * (
            times - self.time[last]
        )
        return areas

    def extremes(self, borders: Ints) -> tuple[Ints, Ints]:
        """Least and greatest value between successive borders in [start, stop], each of shape (n - 1,)."""
        holding = np.searchsorted(self.time, borders[:-1], side="right") - 1
        # Values that were replaced at the very tick of a border belong to the bin that begins there.
        first = np.minimum(holding, np.searchsorted(self.time, borders[:-1], side="left"))
        end = np.maximum(np.searchsorted(self.time, borders[1:], side="left"), first + 1)
        blocks_least, blocks_greatest = self._block_extremes
        least = _reduced(np.minimum, self.value, blocks_least, first, end)
        return least, _reduced(np.maximum, self.value, blocks_greatest, first, end)

    @cached_property
    def _sums(self) -> NDArray[np.int64] | NDArray[np.object_]:
        """The area from the start to each of the times."""
        most = max(int(np.abs(self.value).max(initial=0)), 1)
        kind = np.int64 if most * (self.stop - self.start) < _INT64 else object
        sums: NDArray[np.int64] | NDArray[np.object_] = np.append(
            0, np.cumsum(self.value[:-1].astype(kind) * np.diff(self.time))
        ).astype(kind)
        return sums

    @cached_property
    def _block_extremes(self) -> tuple[Ints, Ints]:
        """Least and greatest of each `_BLOCK` values."""
        blocks = np.arange(0, len(self.value), _BLOCK)
        return np.minimum.reduceat(self.value, blocks), np.maximum.reduceat(self.value, blocks)


def _reduced(function: np.ufunc, values: Ints, blocks: Ints, first: Ints, end: Ints) -> Ints:
    """Least or greatest of values[first:end], row by row, none empty; of whole blocks the values are not looked at."""
    first_block, end_block = -(-first // _BLOCK), end // _BLOCK
    spread = np.arange(_BLOCK)
    heads = first[:, None] + spread
    tails = end[:, None] - 1 - spread
    # Beyond the other end an edge has its own end again.
    edges = np.concatenate([np.minimum(heads, end[:, None] - 1), np.maximum(tails, first[:, None])], axis=1)
    reduced: Ints = function.reduce(values[edges], axis=1)
    rows = np.flatnonzero(end_block > first_block)
    if len(rows):
        pairs = np.stack([first_block[rows], end_block[rows]], axis=1).ravel()
        inner = function.reduceat(np.append(blocks, blocks[-1]), pairs)[::2]
        reduced[rows] = function(reduced[rows], inner)
    return reduced


def curve_bins(curves: Iterable[StepCurve | None], borders: Ints) -> CurveBins:
    """Bins of a curve that comes in pieces, by time and without overlap; None where nothing is known."""
    bins = len(borders) - 1
    least, greatest = np.full(bins, _NONE_YET), np.full(bins, -1 - _NONE_YET)
    recorded, total = np.zeros(bins, np.int64), np.zeros(bins, np.int64)
    for curve in curves:
        if curve is None or not bins:
            continue
        start, stop = max(curve.start, int(borders[0])), min(curve.stop, int(borders[-1]))
        if start >= stop:
            continue
        first = int(np.searchsorted(borders, start, side="right")) - 1
        end = int(np.searchsorted(borders, stop, side="left"))
        inner = np.concatenate([[start], borders[first + 1 : end], [stop]]).astype(np.int64)
        low, high = curve.extremes(inner)
        part = slice(first, end)
        least[part] = np.minimum(least[part], low)
        greatest[part] = np.maximum(greatest[part], high)
        recorded[part] += np.diff(inner)
        total = _added(total, part, np.diff(curve.area(inner)))
    return CurveBins(least, greatest, total, recorded)


def _added(total: NDArray[np.int64], part: slice, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The totals with sums added to a part of them: as Python integers from the first on that may exceed 64 bits."""
    most = max(abs(int(value)) for column in (total[part], sums) for value in (column.min(), column.max()))
    if total.dtype != object and (sums.dtype == object or 2 * most >= _INT64):
        total = total.astype(object)
    total[part] += sums
    return total
