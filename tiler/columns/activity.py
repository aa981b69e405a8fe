"""Busy times of a track, roughly: they are shown before its tiles are built."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class Activity(Struct, frozen=True):
    """Bins of equal width; bin k covers [start_ps + k * width_ps, start_ps + (k + 1) * width_ps).

    Times count from where the times of the file's events count, in picoseconds.
    """

    start_ps: int
    width_ps: int
    load: NDArray[np.float64]  # (bins,) busy time over width, summed over all rows: may exceed 1; 0: no event
