"""Running time of a track's events before some times, in ticks: found while its events pass by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class RunningTicks:
    """Takes the events of a track in the order of their starts, a piece after the other."""

    def __init__(self) -> None:
        self._ticks = 0  # in which any runs, of all until now
        self._end = 0  # when the last of them ends

    def add(self, start: Ints, duration: Ints, times: Ints) -> Ints:
        """Adds events. Returns of each of these times how long any event runs before it.

        Times ascend, and no event that was added before starts after one of them, nor does one that comes later start
        before.
        """
        ends = np.maximum.accumulate(np.concatenate([[self._end], start + np.maximum(duration, 0)]))
        ticks = np.concatenate([[0], np.cumsum(np.maximum(np.diff(ends) - np.maximum(start - ends[:-1], 0), 0))])
        begun = np.searchsorted(start, times)
        running: Ints = self._ticks + ticks[begun] - np.maximum(ends[begun] - times, 0)
        self._ticks += int(ticks[-1])
        self._end = int(ends[-1])
        return running
