"""The points of a curve of memory that are drawn."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.envelope import envelope

Ints = NDArray[np.int64]

MAX_POINTS: Final = 2000


def curve_points(numbers: Ints, used: Ints, first: int | None, last: int | None) -> Ints:
    """Places of the points from a number to another, about `MAX_POINTS` of them, with every height and depth."""
    is_inside = np.ones(len(numbers), np.bool_)
    if first is not None:
        is_inside &= numbers >= first
    if last is not None:
        is_inside &= numbers <= last
    inside = np.flatnonzero(is_inside)
    if len(inside) <= MAX_POINTS:
        return inside
    return inside[envelope(numbers[inside], used[inside], MAX_POINTS)]
