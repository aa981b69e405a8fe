"""Sums over the events in windows of some tracks, by name or other groups: exact, from histograms and leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.lookup.histograms import Rename
from tilescope.tiler.query.interruptible import Interruptible
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.query.reading import Reading
from tilescope.tiler.records.histogram import BUSY_LIMIT, Histogram, sum_by_name
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.records.spread import DurationSpread
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.stats.groups import Groups, by_name
from tilescope.tiler.windows import WindowsOf

MEDIAN, TAIL = 50, 99  # per cent: the quantiles that are told

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GroupSums:
    """Sums by group, a row each, the busiest first: `histogram.name` is the group's number."""

    histogram: Histogram
    spread: DurationSpread
    median: Ints = field(init=False)  # within one per cent, 0 where nothing starts
    tail: Ints = field(init=False)

    def __post_init__(self) -> None:
        for name, per_cent in (("median", MEDIAN), ("tail", TAIL)):
            quantile = self.spread.quantiles(per_cent, self.histogram.shortest, self.histogram.longest)
            object.__setattr__(self, name, quantile)

    def __len__(self) -> int:
        return len(self.histogram)

    @property
    def mean(self) -> NDArray[np.generic]:
        """Means of the durations, to the nearest tick; 0 where nothing starts."""
        count = np.maximum(self.histogram.count, 1)
        means = map(nearest_mean, self.histogram.duration.tolist(), count.tolist())
        return np.fromiter(means, np.int64, len(count))

    def rows(self, which: slice) -> GroupSums:
        """Some of them."""
        return GroupSums(self.histogram.take(which), self.spread.take(np.arange(len(self))[which]))

    def total(self) -> GroupSums:
        """All together."""
        none = np.zeros(len(self), np.int64)
        return GroupSums(self.histogram.one_row(-1), self.spread.summed(none, 1))


@dataclass(frozen=True, slots=True)
class Summary:
    """The answer. `rows` are the busiest groups; all together have `total`, those without a row `rest`.

    Counts are of events that start in a window; times are ticks within one; durations are of the events that start in
    one, whole.
    """

    tracks: Sequence[int]  # those that hold the events, ascending
    n_groups: int
    rows: GroupSums
    rest: GroupSums | None
    total: GroupSums
    left_out: Ints  # the numbers of the groups without a row


def summary(
    reader: QueryReader,
    windows_of: WindowsOf,
    tracks: Sequence[int] | None,
    limit: int,
    groups: Groups | None = None,
    rename: Rename | None = None,
) -> Interruptible[Summary]:
    """Sums up the events of some tracks (None: all) in the windows of each; at most `limit` rows, the busiest groups.

    `rename`: what slices are called for the groups, where that is not their name. A rollup stands for its tracks; each
    track counts once. Counters have no names and are left out. Raises UsageError for an unknown track; DamagedStore.
    """
    groups = groups or by_name(reader)
    leaves = reader.tree.leaves(tracks)
    sums = SpanSums(spread=True)
    for _ in Reading(reader).add_windows(sums, leaves, windows_of, groups.of_track, rename):
        yield
    busy = sum(reader.tree.tracks[track].busy for track in leaves)
    arranged = arranged_sums(sums, groups, np.int64 if busy < BUSY_LIMIT else object)
    yield
    return summary_of(leaves, arranged, limit)


def summary_of(leaves: Sequence[int], arranged: GroupSums, limit: int) -> Summary:
    """The same of sums of all groups, the busiest first."""
    rest = arranged.rows(slice(limit, None)).total() if len(arranged) > limit else None
    left_out = arranged.histogram.name[limit:]
    return Summary(leaves, len(arranged), arranged.rows(slice(limit)), rest, arranged.total(), left_out)


def arranged_sums(sums: SpanSums, groups: Groups, dtype: type) -> GroupSums:
    """The busiest group first."""
    histogram, spread = sums.sums(dtype), sums.spread()
    number = groups.of_names(histogram.name)
    return busiest_first(histogram, spread, dtype) if number is None else regrouped(histogram, spread, number, dtype)


def busiest_first(histogram: Histogram, spread: DurationSpread, dtype: type) -> GroupSums:
    """Rows of which each is a group by itself."""
    order = np.lexsort((histogram.name, -histogram.busy)) if dtype is np.int64 else _wide_order(histogram)
    return GroupSums(histogram.take(order), spread.take(order))


def regrouped(histogram: Histogram, spread: DurationSpread, number: Ints, dtype: type) -> GroupSums:
    """Rows of which several are one group, the busiest first; `number`: the group of each row."""
    renamed = Histogram(number, *(getattr(histogram, column) for column in Histogram.__struct_fields__[1:]))
    rows = sum_by_name([renamed], dtype)
    ascending = np.argsort(rows.name)  # groups of what has no name, or no process, have numbers below 0
    row = ascending[np.searchsorted(rows.name[ascending], number)]
    return GroupSums(rows, spread.summed(row, len(rows)))


def _wide_order(histogram: Histogram) -> Ints:
    keys = zip((-histogram.busy).tolist(), histogram.name.tolist(), range(len(histogram)), strict=True)
    return np.array([row for *_, row in sorted(keys)], np.int64)
