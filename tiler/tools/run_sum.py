"""Sums of runs: how many, and the time of those of which it is recorded."""

from __future__ import annotations

from msgspec import Struct

from tilescope.tiler.ticks import nearest_mean


class RunSum(Struct, frozen=True):
    """Runs, and picoseconds of those with a time; None: not recorded."""

    count: int | None = None
    total: int | None = None
    timed: int = 0

    def mean(self, tick_ps: int) -> int | None:
        """Ticks of a run that has a time."""
        return None if self.total is None or self.timed < 1 else nearest_mean(self.total, self.timed * tick_ps)

    def ticks(self, tick_ps: int) -> int | None:
        """The time in ticks."""
        return None if self.total is None else nearest_mean(self.total, tick_ps)
