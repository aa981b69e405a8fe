"""Changes between the sides of a comparison: exact, as numerators over one denominator, and the classes of rows.

Sums of runs are divided by their steps, and of several earlier runs the mean is taken: fractions. With the least common
denominator all of them are integers, which add up; figures are rounded where they are shown. Times are picoseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.compare.sums import Key
from tilescope.tiler.tools.stats.summary import GroupSums, regrouped

Ints = NDArray[np.int64]
Exact = NDArray[Any]  # int64 where all sums fit, else Python's integers

# As docs/compare.md explains them. Counts come first: a name that occurs more often is `more`, however long it takes.
Change = Literal["added", "deleted", "more", "fewer", "slower", "faster", "same"]
CHANGES: Final[tuple[Change, ...]] = get_args(Change)

_INT64: Final = 1 << 60  # sums of two, and twice as much


@dataclass(frozen=True, slots=True)
class SideSums:
    """Sums of one side by number of a key in a place; what they are divided by; and the length of a tick."""

    sums: GroupSums
    divisor: int
    tick_ps: int


class Changes:
    """Rows, one for each key, of a run (`new`) and of the mean of one or more runs before it (`base`)."""

    def __init__(self, new: SideSums, bases: Sequence[SideSums], pairs: Sequence[tuple[Key, Key]]) -> None:
        """`pairs`: places and keys by number. Keys are rows, in the order of their first number."""
        numbers: dict[Key, int] = {}
        self.row_of_pair: Ints = np.array([numbers.setdefault(key, len(numbers)) for _, key in pairs], np.int64)
        self.keys = list(numbers)
        self._pairs = pairs
        self._sides = [new, *bases]
        self.denominator = len(bases) * lcm(*(side.divisor for side in self._sides))
        parts = [self.denominator // side.divisor for side in self._sides]
        # Of a base, its part of the mean.
        self._weights = [parts[0], *(part // len(bases) for part in parts[1:])]
        most = max(
            max(int(side.sums.histogram.busy.sum()) * side.tick_ps, int(side.sums.histogram.count.sum()), 1)
            * weight
            * (len(bases) + 1)
            for side, weight in zip(self._sides, parts, strict=True)
        )
        self._dtype: type = np.int64 if most < _INT64 else object
        self._rows = [self._regrouped(side.sums) for side in self._sides]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def bases(self) -> int:
        """The number of runs that the mean is of."""
        return len(self._sides) - 1

    @cached_property
    def delta(self) -> Exact:
        """Change of self time, as numerators: it is the impact of a row, for nothing counts twice in it."""
        return self.numerators("self_busy", new=True) - self.numerators("self_busy", new=False)

    @cached_property
    def total_delta(self) -> Exact:
        """Change of the time in the windows, slices in slices counted by themselves, as numerators."""
        return self.numerators("busy", new=True) - self.numerators("busy", new=False)

    @cached_property
    def count_delta(self) -> Exact:
        """Change of the number of events that start in the windows, as numerators."""
        return self.numerators("count", new=True) - self.numerators("count", new=False)

    def numerators(self, column: str, *, new: bool) -> Exact:
        """A column of sums of one side by row, of times in picoseconds, over `denominator`."""
        sides = [0] if new else range(1, len(self._sides))
        return sum((self._sum(side, column, self._weights[side]) for side in sides), np.zeros(len(self), self._dtype))

    def each_base(self, column: str) -> list[Exact]:
        """The same of each base by itself."""
        return [self._sum(side, column, self._weights[side] * self.bases) for side in range(1, len(self._sides))]

    def counts(self, *, new: bool) -> Exact:
        """Events by row, of all steps and runs of a side together."""
        sides = [0] if new else range(1, len(self._sides))
        return sum((self._dense(side, "count") for side in sides), np.zeros(len(self), np.int64))

    def means(self, *, new: bool) -> Exact:
        """Mean durations of the events that start in the windows, in picoseconds; masked where none does."""
        sides = [0] if new else range(1, len(self._sides))
        counts = self.counts(new=new)
        durations = sum(
            (self._dense(side, "duration").astype(object) * self._sides[side].tick_ps for side in sides),
            np.zeros(len(self), object),
        )
        pairs: list[tuple[int, int]] = list(zip(durations.tolist(), counts.tolist(), strict=True))
        means = [nearest_mean(duration, max(count, 1)) for duration, count in pairs]
        return np.ma.MaskedArray(_integers(means), counts == 0)

    def medians(self, *, new: bool) -> Exact:
        """Medians of the durations within one per cent, in picoseconds; of several runs the median of theirs."""
        if new or self.bases == 1:
            side = 0 if new else 1
            return np.ma.MaskedArray(self._median(side), self.counts(new=new) == 0)
        columns = [
            np.where(self._dense(side, "count") > 0, self._median(side), -1) for side in range(1, len(self._sides))
        ]
        medians = [_middle(sorted(v for v in values if v >= 0)) for values in np.stack(columns, 1).tolist()]
        return np.ma.MaskedArray(_integers(medians), self.counts(new=False) == 0)

    def rounded(self, numerators: Exact) -> Exact:
        """The figures that numerators stand for, to the nearest integer, halves up."""
        denominator = self.denominator
        return numerators if denominator == 1 else (2 * numerators + denominator) // (2 * denominator)

    @cached_property
    def classes(self) -> NDArray[np.int32]:
        """The place of each row's class in `CHANGES`."""
        in_new, in_base = (self._occurs(new=new) for new in (True, False))
        slower = np.where(self.delta != 0, self.delta, self.total_delta)
        cases = [
            (~in_base, "added"),
            (~in_new, "deleted"),
            (self.count_delta > 0, "more"),
            (self.count_delta < 0, "fewer"),
            (slower > 0, "slower"),
            (slower < 0, "faster"),
        ]
        masks = [np.asarray(mask, np.bool_) for mask, _ in cases]
        return np.select(masks, [CHANGES.index(name) for _, name in cases], CHANGES.index("same")).astype(np.int32)

    def order(self) -> list[int]:
        """Rows by the size of their change, those of equal size by their keys."""
        sizes, totals = np.abs(self.delta).tolist(), np.abs(self.total_delta).tolist()
        return sorted(range(len(self)), key=lambda row: (-sizes[row], -totals[row], self.keys[row]))

    def places(self) -> list[Key]:
        """The place of each row in which most of its change is."""
        new, *bases = (self._dense_pairs(side) for side in range(len(self._sides)))
        size = np.abs(new - sum(bases))
        ascending = np.argsort(size, kind="stable")
        pair = np.zeros(len(self), np.int64)
        pair[self.row_of_pair[ascending]] = ascending  # the last of a row stays
        return [self._pairs[number][0] for number in pair.tolist()]

    def _occurs(self, *, new: bool) -> NDArray[np.bool_]:
        is_there = np.zeros(len(self), np.bool_)
        for rows in self._rows[:1] if new else self._rows[1:]:
            is_there[rows.histogram.name] = True
        return is_there

    def _regrouped(self, sums: GroupSums) -> GroupSums:
        dtype: type = object if object in (self._dtype, sums.histogram.busy.dtype) else np.int64
        return regrouped(sums.histogram, sums.spread, self.row_of_pair[sums.histogram.name], dtype)

    def _sum(self, side: int, column: str, weight: int) -> Exact:
        factor = weight if column == "count" else weight * self._sides[side].tick_ps
        return self._dense(side, column).astype(self._dtype) * factor

    def _dense(self, side: int, column: str) -> Exact:
        return _dense(self._rows[side].histogram, column, len(self))

    def _median(self, side: int) -> Exact:
        """0 where nothing starts."""
        medians = np.zeros(len(self), object)
        medians[self._rows[side].histogram.name] = self._rows[side].median
        return medians * self._sides[side].tick_ps

    def _dense_pairs(self, side: int) -> Exact:
        histogram = self._sides[side].sums.histogram
        factor = self._weights[side] * self._sides[side].tick_ps
        return _dense(histogram, "self_busy", len(self._pairs)).astype(self._dtype) * factor


def _dense(histogram: Histogram, column: str, rows: int) -> Exact:
    values = getattr(histogram, column)
    dense = np.zeros(rows, values.dtype)
    dense[histogram.name] = values
    return dense


def _middle(values: Sequence[int]) -> int:
    """The median of ascending values, the mean of two in the middle; 0 of none."""
    if not values:
        return 0
    return nearest_mean(values[(len(values) - 1) // 2] + values[len(values) // 2], 2)


def _integers(values: Sequence[int]) -> Exact:
    is_small = all(-_INT64 < value < _INT64 for value in values)
    return np.array(values, np.int64 if is_small else object)


def row_medians(columns: Sequence[Exact]) -> Exact:
    """The median of each row over several columns, the mean of two in the middle."""
    return _integers([_middle(sorted(values)) for values in np.stack(columns, 1).tolist()])
