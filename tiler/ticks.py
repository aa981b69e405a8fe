"""Bounds of a time axis, units of durations, and the refusal of floats as times.

`kTimeLimit` of tiler/native/pyramid/geometry.hpp is the same number, as a test sees to.
"""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.schema import LIMITS

_Ints = TypeVar("_Ints", int, NDArray[np.int64])

# All event times of a run lie in [0, TICK_LIMIT): 73 years of nanoseconds, 26 days of picoseconds. Tile indices then
# stay below 2**53, which a double holds exactly. See docs/page-format.md, "Geometry".
TICK_LIMIT: Final = int(LIMITS.end)

# Picoseconds of each unit in which people write durations.
UNITS_PS: Final = {
    "ps": 1,
    "ns": 10**3,
    "us": 10**6,
    "ms": 10**9,
    "s": 10**12,
    "min": 60 * 10**12,
    "h": 3600 * 10**12,
}
MICRO: Final = str.maketrans("µμ", "uu")  # the micro sign and the Greek letter, which are written for u


def nearest_mean(total: _Ints, count: _Ints) -> _Ints:
    """The mean, to the nearest whole number, halves up: all tools round alike. `count` is at least 1."""
    return (2 * total + count) // (2 * count)


def exact_sum(ticks: NDArray[np.int64]) -> int:
    """The sum of a column, however large: sums of its halves of 32 bits fit into 64."""
    return (int((ticks >> 32).sum()) << 32) + int((ticks & 0xFFFFFFFF).sum())


def refuse_float(name: str, value: object) -> None:
    """Raises UsageError when a time is a float: the same words wherever one may be given."""
    if isinstance(value, float | np.floating):
        raise UsageError(f"{name}: {value} is a float, which cannot represent every tick: give an integer")
