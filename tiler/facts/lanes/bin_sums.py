"""Bins of a derived lane: parts of a span of equal length, with exact figures of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

MAX_SLICES: Final = 200_000  # of an answer, with sums of bins


def borders(start: int, stop: int, count: int) -> Ints:
    """Borders of at most `count` bins of a span, shape (n + 1,), ticks: none is empty, lengths differ by a tick."""
    ticks = max(stop - start, 0)
    bins = min(count, ticks)
    if not bins:
        return np.array([start], np.int64)
    length, rest = divmod(ticks, bins)
    places = np.arange(bins + 1, dtype=np.int64)
    return start + length * places + rest * places // bins


@dataclass(frozen=True, slots=True)
class CurveBins:
    """Least and greatest value in each bin, and the sum of value × ticks; columns of shape (n,).

    `recorded`: ticks of a bin in which there is a value; where it is 0, the other figures mean nothing. `total` has
    Python integers where sums exceed 64 bits.
    """

    least: Ints
    greatest: Ints
    total: NDArray[np.int64] | NDArray[np.object_]
    recorded: Ints


@dataclass(frozen=True, slots=True)
class SliceBins:
    """Slices of at least the width of a bin, and sums of all shorter ones, by the bins that they lie in.

    Slices, shape (n,): clipped to the span. Sums, shape (m,): one row for each bin, row and name with a tick; `count`
    of the slices that start in the bin, `busy` their ticks in it. Names are indices into `names`. By start.
    """

    names: Sequence[str]
    start: Ints
    stop: Ints
    row: Ints
    name: Ints
    bin: Ints
    bin_row: Ints
    bin_name: Ints
    count: Ints
    busy: Ints
