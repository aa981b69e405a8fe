"""Columns of a heat map: equal widths of a power of two of ticks, so that bins of the pyramid add up to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.resolver import TickRange

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Grid:
    """`columns` columns from tick `start` on, each `1 << shift` ticks wide."""

    start: int
    shift: int
    columns: int

    @classmethod
    def of_span(cls, span: TickRange, most: int) -> Grid:
        """The finest grid with at most `most` columns, at least two, that has all ticks of a span."""
        shift = 0
        last = max(span.stop - 1, span.start)
        while (last >> shift) - (span.start >> shift) >= most:
            shift += 1
        return cls(span.start >> shift << shift, shift, (last >> shift) - (span.start >> shift) + 1)

    @property
    def span(self) -> TickRange:
        """All ticks of the columns."""
        return TickRange(self.start, self.start + (self.columns << self.shift))

    @property
    def starts(self) -> Ints:
        """First tick of each column, shape (columns,)."""
        return self.start + (np.arange(self.columns, dtype=np.int64) << self.shift)

    def ticks_within(self, lane: Ints, start: Ints, stop: Ints, lanes: int) -> Ints:
        """Ticks of spans in each column, summed by lane: shape (lanes, columns).

        `lane`, `start` and `stop` have shape (n,). What lies outside of the grid counts nowhere.
        """
        ticks = np.zeros((lanes, self.columns), np.int64)
        first, last = np.maximum(start, self.start), np.minimum(stop, self.span.stop)
        inside = first < last
        lane, first, last = lane[inside], first[inside] - self.start, last[inside] - self.start
        begin, end = first >> self.shift, (last - 1) >> self.shift
        width = 1 << self.shift
        # As if each began with its first column and ended with its last one; then less what is too much of both.
        change = np.zeros((lanes, self.columns + 1), np.int64)
        np.add.at(change, (lane, begin), width)
        np.add.at(change, (lane, end + 1), -width)
        ticks += np.cumsum(change, axis=1)[:, :-1]
        np.add.at(ticks, (lane, begin), -(first - (begin << self.shift)))
        np.add.at(ticks, (lane, end), -(((end + 1) << self.shift) - last))
        return ticks
