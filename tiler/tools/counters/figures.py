"""What the samples of one counter come to in some windows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tilescope.tiler.tools.counters.tiles import CounterTiles
from tilescope.tiler.windows import Windows


@dataclass(frozen=True, slots=True)
class CounterFigures:
    """None: there is no sample, or no value in force."""

    n: int  # samples in the windows
    least: float | None  # of these
    greatest: float | None
    mean: float | None  # time-weighted, over the ticks of the windows at which a value is in force
    first: float | None  # in force just before the first window; else the first value in the windows
    last: float | None  # in force when the last window ends
    change: float | None  # in the windows, from just before each, or from its first value, to its end


def figures(tiles: CounterTiles, first_sample: int, windows: Windows) -> CounterFigures:
    """Of a counter whose first sample is at this tick. Exact but for `mean` and `change`, which are sums of doubles."""
    pieces = tiles.pieces(windows)
    weighted, ticks, change = 0.0, 0, 0.0
    first = last = math.nan
    at = 0
    ends = np.searchsorted(pieces.start, windows.stops).tolist()
    for start, stop, end in zip(windows.starts.tolist(), windows.stops.tolist(), ends, strict=True):
        own = slice(at, end)
        at = end
        # Before each piece, and after the last, the value of the one before it is in force.
        before = tiles.value_before(start)
        held = np.append(before, pieces.last[own])
        waits = np.append(pieces.start[own], stop) - np.append(start, pieces.stop[own])
        waits[np.isnan(held)] = 0
        within = pieces.stop[own] - np.maximum(pieces.start[own], first_sample)
        within[pieces.start[own] == pieces.stop[own]] = 0
        weighted += float(np.dot(np.nan_to_num(held), waits) + np.dot(pieces.mean[own], within))
        ticks += int(waits.sum() + within.sum())
        last = float(held[-1])
        if not math.isnan(last):
            began = tiles.value_before(first_sample + 1) if math.isnan(before) else before
            change += last - began
            first = began if math.isnan(first) else first
    n = int(pieces.n.sum())
    return CounterFigures(
        n,
        float(pieces.least.min()) if n else None,
        float(pieces.greatest.max()) if n else None,
        weighted / ticks if ticks else None,
        None if math.isnan(first) else first,
        None if math.isnan(last) else last,
        None if math.isnan(last) else change,
    )
