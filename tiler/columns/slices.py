"""A track's slices as columns that it is built from, and what turns a file's times into theirs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import DTypeLike, NDArray

Ints = NDArray[np.int64]

# Makes a column of so many values, with any content.
MakeColumn = Callable[[int, DTypeLike], NDArray[np.generic]]


class TickScale(Struct, frozen=True):
    """Ticks are `(ns - from_ns) * per_ns`, modulo 2**64."""

    from_ns: int  # 0 to 2**64 - 1
    per_ns: int  # 1 or 1000
    rounds: bool  # whether picoseconds are dropped: ends are rounded down then, as starts are


class SliceFlowEnds(Struct, frozen=True):
    """Flow ends that stand among slices: columns of shape (n,), in file order."""

    phase: NDArray[np.uint8]  # FLOW_START or FLOW_END
    tick: Ints
    key: Ints  # flow id, -1: none
    slice: Ints  # the row of the slice that each belongs to


class SliceColumns(Struct, frozen=True):
    """Columns of shape (n,), in file order: times in ticks, names by their numbers in the run.

    The caller may write to them.
    """

    start: Ints
    duration: Ints
    name: NDArray[np.int32]
    flags: NDArray[np.uint8]  # EventFlag
    args_end: Ints
    args: NDArray[np.uint8]
    flow_ends: SliceFlowEnds | None
    key: Ints | None = None  # by the correlation, as EventChunk has it
