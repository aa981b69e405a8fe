"""Exact sums of launches by group, such as their streams, and flags of those that stand out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.launches import LaunchTimes
from tilescope.tiler.facts.wide_sums import WideSums, counts_of
from tilescope.tiler.schema import Kind
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Value

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LaunchFigures:
    """Figures of launches, columns of shape (n,)."""

    delay: Ints  # ticks from the end of the call to the start of the work, 0 where work starts before
    early: Mask  # work that starts before its call ends
    short: Mask  # work that takes less time than its call, which is none of the slow ones
    slow: Mask  # calls that take long
    late: Mask  # work that starts long after its call

    @classmethod
    def from_times(cls, times: LaunchTimes, slow_call: int, late_start: int) -> LaunchFigures:
        """Figures of launches, by the most ticks of a call that is not slow, and of a start that is not late."""
        lead, slow = times.lead, times.call_duration > slow_call
        return cls(
            np.maximum(lead, 0), lead < 0, (times.duration < times.call_duration) & ~slow, slow, lead > late_start
        )


TITLES: Final[Mapping[str, str]] = {
    "launches": "Launches",
    "delay": "Delay",
    "longest": "Longest delay",
    "calls": "Time of calls",
    "work": "Time of their work",
    "short": "Short work",
    "slow": "Slow calls",
    "late": "Late starts",
    "early": "Starts before the end of the call",
}
_MASKS: Final = ("short", "slow", "late", "early")
_TICKS: Final = ("delay", "longest", "calls", "work")


@dataclass(frozen=True, slots=True)
class LaunchSums:
    """Sums by group: lists of equal length by the keys of `TITLES`."""

    by_column: Mapping[str, list[int]]

    @classmethod
    def from_groups(cls, times: LaunchTimes, figures: LaunchFigures, groups: Ints, count: int) -> LaunchSums:
        """The sums of each of so many groups."""

        def ticks(values: Ints) -> list[int]:
            return WideSums.from_groups(np.ma.MaskedArray(values), groups, count).integers()

        longest = np.zeros(count, np.int64)
        np.maximum.at(longest, groups, figures.delay)
        return cls(
            {
                "launches": np.bincount(groups, minlength=count).tolist(),
                "delay": ticks(figures.delay),
                "longest": longest.tolist(),
                "calls": ticks(times.call_duration),
                "work": ticks(times.duration),
                **{name: counts_of(groups, getattr(figures, name), count).tolist() for name in _MASKS},
            }
        )

    def row(self, group: int) -> Mapping[str, Value]:
        """The sums of one group."""
        return {name: values[group] for name, values in self.by_column.items()}

    def columns(self, groups: list[int]) -> list[Column]:
        """Columns of some groups, in this order, with the mean delay."""
        columns = []
        for name, title in TITLES.items():
            values = [self.by_column[name][group] for group in groups]
            kind: Kind = "ticks" if name in _TICKS else "count"
            columns.append(Column(name, title, kind, values, total="max" if name == "longest" else "sum"))
        delay, launches = self.by_column["delay"], self.by_column["launches"]
        means = [nearest_mean(delay[group], launches[group]) if launches[group] else None for group in groups]
        return [*columns, Column("mean", "Mean delay", "ticks", means, total="none")]
