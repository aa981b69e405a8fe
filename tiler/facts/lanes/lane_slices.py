"""Slices of a derived lane, whole: for files and lists, where bins of a view do not do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LaneSlices:
    """Slices of a lane in a piece of time that ends at `piece_stop`, by start; columns of shape (n,), ticks.

    A slice is whole, wherever it begins and ends, and in one piece only. Names are indices into `names`.
    """

    piece_stop: int
    names: Sequence[str]
    start: Ints
    stop: Ints
    row: Ints
    name: Ints

    def __len__(self) -> int:
        return len(self.start)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> LaneSlices:
        """Some of them."""
        columns = (self.start, self.stop, self.row, self.name)
        return LaneSlices(self.piece_stop, self.names, *(column[which] for column in columns))
