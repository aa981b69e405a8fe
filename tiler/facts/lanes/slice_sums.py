"""Bins of a lane of slices, added up from windows that are kept with their sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes.bin_sums import SliceBins
from tilescope.tiler.facts.lanes.summed_windows import SummedWindows

Ints = NDArray[np.int64]


class SliceSums:
    """Slices of one row between borders, shape (n + 1,): each window that is added is a slice of a name."""

    def __init__(self, names: Sequence[str], borders: Ints) -> None:
        self._names = names
        self._borders = borders
        self._width = int(np.diff(borders).max(initial=1))
        self._busy = np.zeros((len(borders) - 1, len(names)), np.int64)
        self._count = np.zeros_like(self._busy)
        self._slices: list[tuple[Ints, Ints, Ints]] = [(np.zeros(0, np.int64),) * 3]

    def add(self, name: int, windows: SummedWindows) -> None:
        """Adds windows of a name, by its index; each is whole, and added once."""
        if not len(windows):
            return
        # Between the first border at or before them and the first one after.
        first = max(int(np.searchsorted(self._borders, windows.starts[0], side="right")) - 1, 0)
        stop = min(int(np.searchsorted(self._borders, windows.stop)), len(self._busy))
        if first >= stop:
            return
        part = slice(first, stop)
        borders = self._borders[first : stop + 1]
        wide = windows.at_least(self._width)
        seen = (wide.stops > borders[0]) & (wide.starts < borders[-1])
        summed_wide = SummedWindows.from_windows(wide)
        for sums, figures in ((self._busy, SummedWindows.ticks_before), (self._count, SummedWindows.count_before)):
            sums[part, name] += np.diff(figures(windows, borders) - figures(summed_wide, borders))
        starts, stops = np.maximum(wide.starts[seen], borders[0]), np.minimum(wide.stops[seen], borders[-1])
        self._slices.append((starts, stops, np.full(len(starts), name)))

    def bins(self) -> SliceBins:
        """The bins of all that was added."""
        start, stop, name = (np.concatenate(columns) for columns in zip(*self._slices, strict=True))
        order = np.argsort(start, kind="stable")
        bin_, bin_name = np.nonzero(self._busy)
        return SliceBins(
            self._names,
            start[order],
            stop[order],
            np.zeros(len(order), np.int64),
            name[order],
            bin_,
            np.zeros(len(bin_), np.int64),
            bin_name,
            self._count[bin_, bin_name],
            self._busy[bin_, bin_name],
        )
