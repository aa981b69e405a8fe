"""Extents of chunks of a table: from when to when the rows of each are, so that a range reads those that it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.memory.table_columns import Ints
from tilescope.tiler.windows import Windows

Mask = NDArray[np.bool_]

# Of pairs of a chunk and a window at a time.
_PAIRS_AT_ONCE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Extents:
    """Ticks of the rows of a chunk; columns of shape (k,), of chunks that have such rows, by their numbers."""

    chunk: Ints
    first: Ints
    last: Ints

    def __len__(self) -> int:
        return len(self.chunk)

    def within(self, windows: Windows) -> Mask:
        """True for chunks all of whose rows are in one window."""
        return windows.cover(self.first, self.last + 1)

    def overlap(self, windows: Windows) -> Mask:
        """True for chunks that may have a row in a window."""
        return windows.meet(self.first, self.last + 1)

    def near(self, first: int, last: int) -> Mask:
        """True for chunks that may have a row from one tick to another, the last included."""
        near: Mask = (self.first <= last) & (self.last >= first)
        return near

    def opening(self, ticks: Ints) -> Mask:
        """True for chunks that may have the last row before one of some ticks, with all others of its own tick."""
        are_opening = np.zeros(len(self), np.bool_)
        if not len(self):
            return are_opening
        first, last = self.first[:, None], self.last[:, None]
        at_once = max(_PAIRS_AT_ONCE // len(self), 1)
        for begin in range(0, len(ticks), at_once):
            borders = ticks[None, begin : begin + at_once]
            is_before = first < borders
            # The last row is at this tick at least.
            least = np.where(is_before, np.where(last < borders, last, first), np.iinfo(np.int64).min).max(axis=0)
            are_opening |= (is_before & (last >= least)).any(axis=1)
        return are_opening

    def holding(self, ticks: Ints) -> Mask:
        """True for chunks between whose first and last row one of some ticks is; these ascend."""
        holding: Mask = np.searchsorted(ticks, self.first) < np.searchsorted(ticks, self.last, side="right")
        return holding
