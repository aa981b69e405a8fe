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
from tilescope.tiler.tools.compare.sums import ComparedSums, Key

Ints = NDArray[np.int64]
Exact = NDArray[Any]  # int64 where all sums fit, else Python's integers

# As docs/compare.md explains them. Counts come first: a name that occurs more often is `more`, however long it takes.
Change = Literal["added", "deleted", "more", "fewer", "slower", "faster", "same"]
CHANGES: Final[tuple[Change, ...]] = get_args(Change)

_INT64: Final = 1 << 60  # sums of two, and twice as much


@dataclass(frozen=True, slots=True)
class SideSums:
    """Sums of one side by number of a key; what they are divided by; and the length of a tick."""

    sums: ComparedSums
    divisor: int
    tick_ps: int


class Changes:
    """Rows, one for each key, of a run (`new`) and of the mean of one or more runs before it (`base`)."""

    def __init__(self, new: SideSums, bases: Sequence[SideSums], keys: Sequence[Key], places: Sequence[Key]) -> None:
        """`keys`: of the rows, and `places`, by number."""
        self.keys = keys
        self._places = places
        self._sides = [new, *bases]
        self._rows = [side.sums.rows for side in self._sides]
        self.denominator = len(bases) * lcm(*(side.divisor for side in self._sides))
        parts = [self.denominator // side.divisor for side in self._sides]
        # Of a base, its part of the mean.
        self._weights = [parts[0], *(part // len(bases) for part in parts[1:])]
        most = max(
            max(int(side.sums.rows.histogram.busy.sum()) * side.tick_ps, int(side.sums.rows.histogram.count.sum()), 1)
            * weight
            * (len(bases) + 1)
            for side, weight in zip(self._sides, parts, strict=True)
        )
        self._dtype: type = np.int64 if max(most, self.denominator) < _INT64 else object

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
        sums = (self._sum(side, column, self._weights[side]) for side in self._numbers(new=new))
        return sum(sums, np.zeros(len(self), self._dtype))

    def each_base(self, column: str) -> list[Exact]:
        """The same of each base by itself."""
        return [self._sum(side, column, self._weights[side] * self.bases) for side in range(1, len(self._sides))]

    def counts(self, *, new: bool) -> Exact:
        """Events by row, of all steps and runs of a side together."""
        return sum((self._dense(side, "count") for side in self._numbers(new=new)), np.zeros(len(self), np.int64))

    def means(self, rows: Ints, *, new: bool) -> Exact:
        """Mean durations of the events that start in the windows, in picoseconds, by row; masked where none does."""
        counts = self.counts(new=new)[rows]
        by_side = (
            self._dense(side, "duration")[rows].astype(object) * self._sides[side].tick_ps
            for side in self._numbers(new=new)
        )
        durations = sum(by_side, np.zeros(len(rows), object))
        pairs: list[tuple[int, int]] = list(zip(durations.tolist(), counts.tolist(), strict=True))
        means = [nearest_mean(duration, max(count, 1)) for duration, count in pairs]
        return np.ma.MaskedArray(_integers(means), counts == 0)

    def medians(self, rows: Ints, *, new: bool) -> Exact:
        """Medians of the durations within one per cent, in picoseconds; of several runs the median of theirs."""
        columns = [
            np.where(self._dense(side, "count")[rows] > 0, self._median(side)[rows], -1)
            for side in self._numbers(new=new)
        ]
        medians = [_middle(sorted(v for v in values if v >= 0)) for values in np.stack(columns, 1).tolist()]
        return np.ma.MaskedArray(_integers(medians), self.counts(new=new)[rows] == 0)

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

    def order(self, limit: int) -> Ints:
        """At most so many rows, the greatest changes first, those of equal size by their keys."""
        sizes = [np.abs(self.total_delta), np.abs(self.delta)]
        rows = _descending(np.arange(len(self)), sizes)
        if 0 < limit < len(rows):  # keys tell only those apart that are as great as the last
            total, size = (values[rows] for values in sizes)
            last = limit - 1
            rows = rows[(size > size[last]) | ((size == size[last]) & (total >= total[last]))]
        by_key = np.array(sorted(rows.tolist(), key=self.keys.__getitem__), np.int64)
        return _descending(by_key, sizes)[:limit]

    def places(self, rows: Ints) -> list[Key]:
        """The place of each of these rows in which most of its change is; of several the first."""
        pairs: list[Ints] = []
        changes: list[Exact] = []
        for side, sums in enumerate(self._sides):
            placed, factor = sums.sums.places, self._weights[side] * sums.tick_ps
            pairs.append(placed.row * len(self._places) + placed.place)
            changes.append(placed.self_busy.astype(self._dtype) * (factor if side == 0 else -factor))
        pair, change = np.concatenate(pairs), np.concatenate(changes)
        order = np.argsort(pair, kind="stable")
        first = np.flatnonzero(np.diff(pair[order], prepend=-1))
        if not len(first):
            return [()] * len(rows)
        size = np.abs(np.add.reduceat(change[order], first))
        descending = pair[order][first][::-1]
        ascending = descending[np.argsort(size[::-1], kind="stable")]
        place = np.zeros(len(self), np.int64)
        place[ascending // len(self._places)] = ascending % len(self._places)  # the last of a row stays
        return [self._places[number] for number in place[rows].tolist()]

    def _numbers(self, *, new: bool) -> range:
        """The numbers of the sides: that of the run, or those of the runs before it."""
        return range(1) if new else range(1, len(self._sides))

    def _occurs(self, *, new: bool) -> NDArray[np.bool_]:
        is_there = np.zeros(len(self), np.bool_)
        for side in self._numbers(new=new):
            is_there[self._rows[side].histogram.name] = True
        return is_there

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


def _descending(rows: Ints, sizes: Sequence[Exact]) -> Ints:
    """Rows by the last of some sizes, then by the one before; equal ones stay as they are."""
    for values in sizes:
        rows = rows[np.argsort(-values[rows], kind="stable")]
    return rows


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
