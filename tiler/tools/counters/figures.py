"""Figures of one counter's samples in some windows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools.counters.tiles import CounterTiles, Pieces
from tilescope.tiler.windows import Windows


@dataclass(frozen=True, slots=True)
class CounterFigures:
    """None: there is no sample, or no value in force."""

    n: int  # samples in the windows
    least: float | None  # of these
    greatest: float | None
    mean: float | None  # time-weighted, over the ticks of the windows from the first sample of all to the last
    first: float | None  # in force just before the first window; else the first value in the windows
    last: float | None  # of the last sample before the last window ends
    change: float | None  # in the windows, from just before each, or from its first value, to its end


def figures(tiles: CounterTiles, first_sample: int, last_sample: int, windows: Windows) -> CounterFigures:
    """Figures of a counter whose samples are at these ticks. Exact but for `mean` and `change`, sums of doubles.

    A value holds until the next sample. Behind the last one nobody knows it: no mean is made of that time.
    """
    sums = _Sums(tiles, first_sample)
    sums.add(windows.clipped(0, last_sample), is_weighed=True)
    sums.add(windows.clipped(last_sample, TICK_LIMIT), is_weighed=False)
    has_value = not math.isnan(sums.last)
    return CounterFigures(
        sums.n,
        sums.least if sums.n else None,
        sums.greatest if sums.n else None,
        sums.weighted / sums.ticks if sums.ticks else None,
        sums.first if has_value else None,
        sums.last if has_value else None,
        sums.change if has_value else None,
    )


class _Sums:
    """Over windows that come one after the other."""

    def __init__(self, tiles: CounterTiles, first_sample: int) -> None:
        self._tiles = tiles
        self._first_sample = first_sample
        self.n = 0
        self.least, self.greatest = math.inf, -math.inf
        self.weighted, self.ticks, self.change = 0.0, 0, 0.0
        self.first = self.last = math.nan

    def add(self, windows: Windows, *, is_weighed: bool) -> None:
        if not len(windows):
            return
        tiles, pieces = self._tiles, self._tiles.pieces(windows)
        begin = 0
        ends = np.searchsorted(pieces.start, windows.stops).tolist()
        for start, stop, end in zip(windows.starts.tolist(), windows.stops.tolist(), ends, strict=True):
            own = slice(begin, end)
            begin = end
            # Before each piece, and after the last, the value of the one before it is in force.
            before = tiles.value_before(start)
            held = np.append(before, pieces.last[own])
            if is_weighed:
                self._weigh(pieces, own, held, start, stop)
            self.last = float(held[-1])
            if not math.isnan(self.last):
                began = tiles.value_before(self._first_sample + 1) if math.isnan(before) else before
                self.change += self.last - began
                self.first = began if math.isnan(self.first) else self.first
        if len(pieces):
            self.n += int(pieces.n.sum())
            self.least = min(self.least, float(pieces.least.min()))
            self.greatest = max(self.greatest, float(pieces.greatest.max()))

    def _weigh(self, pieces: Pieces, own: slice, held: NDArray[np.float64], start: int, stop: int) -> None:
        waits = np.append(pieces.start[own], stop) - np.append(start, pieces.stop[own])
        waits[np.isnan(held)] = 0
        within = pieces.stop[own] - np.maximum(pieces.start[own], self._first_sample)
        within[pieces.start[own] == pieces.stop[own]] = 0
        self.weighted += float(np.dot(np.nan_to_num(held), waits) + np.dot(pieces.mean[own], within))
        self.ticks += int(waits.sum() + within.sum())
