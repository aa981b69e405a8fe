"""Intervals of time and what they cover, as the field counts it: computation before communication before free time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.ascend_run.program import Program
from bench.ascend_run.schedule import RankTimes

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Intervals:
    """Parts of time that do not touch, in their order."""

    start: Ints
    end: Ints

    @property
    def total(self) -> int:
        return int((self.end - self.start).sum())

    def within(self, begin: int, end: int) -> int:
        """Ticks that lie in a range."""
        return int(np.maximum(0, np.minimum(self.end, end) - np.maximum(self.start, begin)).sum())


@dataclass(frozen=True, slots=True)
class Cover:
    """Parts of a device's time; all ends at the last event."""

    computation: Intervals
    communication: Intervals
    pure_communication: Intervals
    free: Intervals


def cover(program: Program, times: RankTimes) -> Cover:
    """The parts of a rank's time, by a sweep over all begins and ends."""
    is_communication = np.array([operator.core == "HCCL" for operator in program.operators])
    starts, ends = times.start, times.start + times.duration
    moments, place = np.unique(np.concatenate([starts.ravel(), ends.ravel()]), return_inverse=True)
    depth = np.zeros((2, len(moments)), np.int64)  # of computation, of communication
    for lane, chosen in enumerate((~is_communication, is_communication)):
        mask = np.broadcast_to(chosen, starts.shape).ravel()
        np.add.at(depth[lane], place[: starts.size][mask], 1)
        np.subtract.at(depth[lane], place[starts.size :][mask], 1)
    computing, communicating = np.cumsum(depth, axis=1) > 0
    return Cover(
        _merged(moments, computing),
        _merged(moments, communicating),
        _merged(moments, communicating & ~computing),
        _merged(moments, ~communicating & ~computing),
    )


def _merged(moments: Ints, covered: NDArray[np.bool_]) -> Intervals:
    """Intervals from flags that say what is covered from each moment to the next one."""
    flags = np.concatenate([[False], covered[:-1], [False]]).astype(np.int8)
    edges = np.diff(flags)
    return Intervals(moments[edges > 0], moments[edges < 0])
