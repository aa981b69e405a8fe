"""Columns of a heat map: equal widths of a power of two of ticks, so that bins of the pyramid add up to them.

The first and the last are cut by the ends of the span that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.resolver import TickRange

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Grid:
    """`columns` columns from tick `start` on, each `1 << shift` ticks wide; only ticks of `span` count."""

    start: int
    shift: int
    columns: int
    span: TickRange

    @classmethod
    def of_span(cls, span: TickRange, most: int) -> Grid:
        """The finest grid with at most `most` columns, at least two, that has all ticks of a span.

        Of a span without ticks the one at its start.
        """
        span = TickRange(span.start, max(span.stop, span.start + 1))
        shift = 0
        last = span.stop - 1
        while (last >> shift) - (span.start >> shift) >= most:
            shift += 1
        return cls(span.start >> shift << shift, shift, (last >> shift) - (span.start >> shift) + 1, span)

    @property
    def starts(self) -> Ints:
        """First tick of each column, shape (columns,)."""
        return self.start + (np.arange(self.columns, dtype=np.int64) << self.shift)

    @property
    def widths(self) -> Ints:
        """Ticks of each column that count, shape (columns,)."""
        first = np.maximum(self.starts, self.span.start)
        return np.minimum(self.starts + (1 << self.shift), self.span.stop) - first

    def cut(self, end: int) -> dict[int, TickRange]:
        """Parts that count of the columns of which not all ticks before `end` do, by their numbers."""
        first = np.maximum(self.starts, self.span.start)
        counted = zip(first.tolist(), (first + self.widths).tolist(), strict=True)
        whole = zip(self.starts.tolist(), np.minimum(self.starts + (1 << self.shift), end).tolist(), strict=True)
        return {
            number: TickRange(*part)
            for number, (part, (start, stop)) in enumerate(zip(counted, whole, strict=True))
            if part[0] > start or part[1] < stop
        }

    def ticks_within(self, lane: Ints, start: Ints, stop: Ints, lanes: int) -> Ints:
        """Ticks of spans in each column, summed by lane: shape (lanes, columns).

        `lane`, `start` and `stop` have shape (n,). What lies outside of the span counts nowhere.
        """
        ticks = np.zeros((lanes, self.columns), np.int64)
        first, last = np.maximum(start, self.span.start), np.minimum(stop, self.span.stop)
        inside = first < last
        lane, first, last = lane[inside], first[inside] - self.start, last[inside] - self.start
        begin, end = first >> self.shift, (last - 1) >> self.shift
        width = 1 << self.shift
        # As if each began with its first column and ended with its last one; then less what is too much of both.
        change = np.zeros((lanes, self.columns + 1), np.int64)
        _add(change, lane, begin, width)
        _add(change, lane, end + 1, -width)
        ticks += np.cumsum(change, axis=1)[:, :-1]
        _add(ticks, lane, begin, (begin << self.shift) - first)
        _add(ticks, lane, end, last - ((end + 1) << self.shift))
        return ticks


def _add(ticks: Ints, lane: Ints, column: Ints, added: Ints | int) -> None:
    """Adds to cells, which may be named more than once: flat, which takes a fraction of the time of two indices."""
    np.add.at(ticks.reshape(-1), lane * ticks.shape[1] + column, added)
