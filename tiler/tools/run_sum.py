"""Sums of runs: how many, and the time of those of which it is recorded."""

from __future__ import annotations

from msgspec import Struct

from tilescope.tiler.ticks import nearest_mean


class RunSum(Struct):
    """Runs, and picoseconds of those with a time; None: not recorded."""

    count: int | None = None
    total: int | None = None
    timed: int = 0

    def add(self, other: RunSum) -> None:
        """Takes another's runs and times in."""
        self.count = _plus(self.count, other.count)
        self.total = _plus(self.total, other.total)
        self.timed += other.timed

    def mean(self, tick_ps: int) -> int | None:
        """Ticks of a run that has a time."""
        return None if self.total is None or self.timed < 1 else nearest_mean(self.total, self.timed * tick_ps)

    def ticks(self, tick_ps: int) -> int | None:
        """The time in ticks."""
        return None if self.total is None else nearest_mean(self.total, tick_ps)


def _plus(left: int | None, right: int | None) -> int | None:
    return right if left is None else left if right is None else left + right
