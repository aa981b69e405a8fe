"""Step functions of time in pieces, and their bins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes.bin_sums import CurveBins

Ints = NDArray[np.int64]

_INT64: Final = 1 << 63
_NONE_YET: Final = np.iinfo(np.int64).max  # the least value of a bin that no piece has reached


@dataclass(frozen=True, slots=True)
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
        lengths = np.diff(self.time)
        most = max(int(np.abs(self.value).max(initial=0)), 1)
        kind = np.int64 if most * (self.stop - self.start) < _INT64 else object
        sums = np.append(0, np.cumsum(self.value[:-1].astype(kind) * lengths)).astype(kind)
        last = np.searchsorted(self.time, times, side="right") - 1
        areas: NDArray[np.int64] | NDArray[np.object_] = sums[last] + self.value[last].astype(kind) * (
            times - self.time[last]
        )
        return areas

    def extremes(self, borders: Ints) -> tuple[Ints, Ints]:
        """Least and greatest value between successive borders in [start, stop], each of shape (n - 1,)."""
        holding = np.searchsorted(self.time, borders[:-1], side="right") - 1
        # Values that were replaced at the very tick of a border belong to the bin that begins there.
        first = np.minimum(holding, np.searchsorted(self.time, borders[:-1], side="left"))
        end = np.searchsorted(self.time, borders[1:], side="left")
        pairs = np.stack([first, np.maximum(end, first + 1)], axis=1).ravel()
        values = np.append(self.value, self.value[-1:])
        return np.minimum.reduceat(values, pairs)[::2], np.maximum.reduceat(values, pairs)[::2]


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
