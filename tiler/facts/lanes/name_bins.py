"""Bins of a lane with many names: of each bin and row the names with most time, and all others together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes.bin_sums import MAX_SLICES, SliceBins
from tilescope.tiler.facts.lanes.lane_slices import LaneSlices

Ints = NDArray[np.int64]

OTHERS: Final = "other operations"
MOST_NAMES: Final = 8  # of a bin and row, others included: more are not told apart in a few pixels


class NameBins:
    """Slices between borders, shape (n + 1,), ticks; those of a row do not overlap, and each is added once."""

    def __init__(self, names: Sequence[str], rows: int, borders: Ints, others: str = OTHERS) -> None:
        """`others`: the name of what has no place among the names of a bin."""
        self._names, self._rows, self._borders, self._others = names, rows, borders, others
        self._width = int(np.diff(borders).max(initial=1))
        self._wide: list[Ints] = [np.zeros((4, 0), np.int64)]
        self._sums: list[Ints] = [np.zeros((3, 0), np.int64)]  # place, count and ticks

    def add(self, slices: LaneSlices) -> None:
        """Adds slices, whose names are those of the bins."""
        first, end = int(self._borders[0]), int(self._borders[-1])
        seen = slices.take((slices.start < end) & (slices.stop > first))
        is_wide = seen.stop - seen.start >= self._width
        wide, short = seen.take(is_wide), seen.take(~is_wide)
        clipped = np.maximum(wide.start, first), np.minimum(wide.stop, end)
        self._wide.append(np.stack([*clipped, wide.row, wide.name]))
        start_bin = np.searchsorted(self._borders, short.start, side="right") - 1
        bin_ = np.maximum(start_bin, 0)
        parts = []
        while len(short):
            ticks = np.minimum(short.stop, self._borders[bin_ + 1]) - np.maximum(short.start, self._borders[bin_])
            parts.append(np.stack([self._place(bin_, short), (bin_ == start_bin).astype(np.int64), ticks]))
            goes_on = (bin_ + 2 < len(self._borders)) & (short.stop > self._borders[bin_ + 1])
            short, bin_, start_bin = short.take(goes_on), bin_[goes_on] + 1, start_bin[goes_on]
        if parts:
            self._sums.append(_added(np.concatenate(parts, axis=1)))

    def bins(self) -> SliceBins:
        """The bins of all that was added: together with the slices at most `MAX_SLICES` rows, if they can be so few."""
        wide = np.concatenate(self._wide, axis=1)
        wide = wide[:, np.lexsort((wide[2], wide[0]))]
        place, count, ticks = _added(np.concatenate(self._sums, axis=1))
        cell, name = np.divmod(place, len(self._names) + 1)
        cells = max((len(self._borders) - 1) * self._rows, 1)
        # A row of each bin is for a slice that begins there, and the first bins have one more that goes on.
        most = min(max((MAX_SLICES - self._rows) // cells - 1, 1), MOST_NAMES)
        order = np.lexsort((name, -ticks, cell))
        begins = np.searchsorted(cell, cell)
        is_crowded = np.searchsorted(cell, cell, side="right") - begins > most
        rank = np.arange(len(cell)) - begins  # both are alike for all of a cell, in either order
        name[order[is_crowded & (rank >= most - 1)]] = len(self._names)
        place, count, ticks = _added(np.stack([cell * (len(self._names) + 1) + name, count, ticks]))
        cell, name = np.divmod(place, len(self._names) + 1)
        starts, stops, rows, names = wide
        bin_, row = np.divmod(cell, self._rows)
        return SliceBins([*self._names, self._others], starts, stops, rows, names, bin_, row, name, count, ticks)

    def _place(self, bin_: Ints, slices: LaneSlices) -> Ints:
        """Number of a bin, row and name, in this order."""
        return (bin_ * self._rows + slices.row) * (len(self._names) + 1) + slices.name


def _added(sums: Ints) -> Ints:
    """Sums of rows with one place, by place; columns of shape (3, n) of place, count and ticks."""
    if not sums.shape[1]:
        return sums
    sums = sums[:, np.argsort(sums[0], kind="stable")]
    first = np.flatnonzero(np.append(True, np.diff(sums[0]) > 0))
    return np.stack([sums[0, first], *(np.add.reduceat(column, first) for column in sums[1:])])
