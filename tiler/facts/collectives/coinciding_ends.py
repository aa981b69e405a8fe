"""Calls of ranks that are one collective because they end together: for kernels that do not say which they are."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.ticks import UNITS_PS

Ints = NDArray[np.int64]

APART_PS: Final = UNITS_PS["ms"]  # that ends of one collective may be apart, clocks of ranks included


def together(end: Ints, rank: Ints, tick_ps: int) -> Ints:
    """A number for each call, the same for calls that end within a millisecond of the first of them, one of a rank."""
    numbers = np.zeros(len(end), np.int64)
    number, first, ranks = -1, 0, set[int]()
    most = APART_PS // tick_ps
    order = np.lexsort((rank, end))
    for place, stop, of_rank in zip(order.tolist(), end[order].tolist(), rank[order].tolist(), strict=True):
        if number < 0 or stop - first > most or of_rank in ranks:
            number, first, ranks = number + 1, stop, set()
        ranks.add(of_rank)
        numbers[place] = number
    return numbers
