"""Durations of the slices of a name: how many are longer than one of them, and how they are spread.

Counts come from stored spreads, which tell durations apart within a hundredth. Only leaves that may hold a slice of the
same bucket are read, and no more than some: where there are more, the rank has bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.histogram import BUSY_LIMIT, Histogram
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.records.spread import DurationSpread, bucket_of, bucket_values
from tilescope.tiler.search.chosen_names import ChosenNames
from tilescope.tiler.search.duration_filter import lasting
from tilescope.tiler.search.hits import Finder
from tilescope.tiler.search.leaves import leaves
from tilescope.tiler.search.selection import Selection, occurring
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]

MEDIAN: Final = 50  # per cent

# Bins of the distribution, at most: a bar each.
MOST_BINS: Final = 24

# Pages that are read for one rank: some 0.2 s of processor time.
_MOST_PAGES: Final = 1024
_PAGES_AT_ONCE: Final = 64

_NAMES: Final = KeyedRunCache[int, ChosenNames](
    "ranked_names", "Names whose slices are ranked, and where they are", lambda names: names.size_bytes, grows=True
)


@dataclass(frozen=True, slots=True)
class NameDurations:
    """Durations of the slices of one name that start in some windows: ticks. Without a slice all of them are 0."""

    count: int
    total: int
    shortest: int
    longest: int
    median: int  # within one per cent
    bucket: Ints  # ascending, of spreads
    bucket_count: Ints

    @property
    def mean(self) -> int:
        """To the nearest tick."""
        return nearest_mean(self.total, max(self.count, 1))

    def bins(self) -> DurationBins:
        """As many bins as are drawn, each as wide as the others on a logarithmic scale."""
        if not self.count:
            return DurationBins(*(np.zeros(0, np.int64) for _ in range(3)))
        first, last = int(self.bucket[0]), int(self.bucket[-1])
        width = -(-(last - first + 1) // MOST_BINS)
        starts = np.arange(first, last + 1, width)
        counts = np.bincount((self.bucket - first) // width, weights=self.bucket_count, minlength=len(starts))
        greatest = _greatest()
        least_ticks = np.where(starts > 0, greatest[np.maximum(starts, 1) - 1] + 1, 0)
        most_ticks = greatest[np.minimum(starts + width - 1, len(greatest) - 1)]
        return DurationBins(
            np.maximum(least_ticks, self.shortest), np.minimum(most_ticks, self.longest), counts.astype(np.int64)
        )


@dataclass(frozen=True, slots=True)
class DurationBins:
    """Columns of shape (n,), ascending: slices that last `least` to `most` ticks."""

    least: Ints
    most: Ints
    count: Ints


@dataclass(frozen=True, slots=True)
class Longer:
    """Number of slices that are longer than one: between `least` and `most`; `equal`: as long, None if unknown."""

    least: int
    most: int
    equal: int | None


def name_selection(reader: QueryReader, name: int, tracks: Sequence[int]) -> Selection:
    """All slices of a name, by its id, on some tracks that hold events."""
    chosen = _NAMES.get(reader, name)
    if chosen is None:
        mask = np.zeros(reader.names.count + 1, np.bool_)
        mask[name + 1] = True
        chosen = _NAMES.keep(reader, name, ChosenNames(mask))
    return Selection(chosen, tracks, is_kept=True)


def durations_of(reader: QueryReader, selection: Selection, windows_of: WindowsOf) -> Interruptible[NameDurations]:
    """Durations of the selected slices, from stored sums wherever there are some. Raises DamagedStore."""
    requested = selection.tracks
    selection = yield from occurring(reader, selection)
    sums = SpanSums(spread=True)
    harmless = sorted(set(requested).difference(selection.tracks))
    yield from Reading(reader).add_windows(sums, selection.tracks, windows_of, harmless=harmless)
    busy = sum(reader.tree.tracks[track].busy for track in selection.tracks)
    return _durations(sums.sums(np.int64 if busy < BUSY_LIMIT else object), sums.spread(), selection.names)


def longer_than(
    reader: QueryReader, selection: Selection, windows_of: WindowsOf, durations: NameDurations, ticks: int
) -> Interruptible[Longer]:
    """Number of selected slices that last longer than some ticks. Raises DamagedStore."""
    bucket = int(bucket_of(np.array([ticks]))[0])
    above = int(durations.bucket_count[durations.bucket > bucket].sum())
    alike = int(durations.bucket_count[durations.bucket == bucket].sum())
    if not alike:
        return Longer(above, above, 0)
    # Slices that are shorter are counted in the bucket already: they need not be read.
    near = yield from _in_bucket(reader, selection, windows_of, durations, bucket, ticks)
    if near is None:
        return Longer(above, above + alike, None)
    longer = above + int(near.count[near.ticks > ticks].sum())
    return Longer(longer, longer, int(near.count[near.ticks == ticks].sum()))


def exact_median(
    reader: QueryReader, selection: Selection, windows_of: WindowsOf, durations: NameDurations
) -> Interruptible[int | None]:
    """The duration that half of the slices do not exceed; None: too many are nearly as long. Raises DamagedStore."""
    up_to = np.cumsum(durations.bucket_count)
    rank = -(-durations.count * MEDIAN // 100)
    row = int(np.searchsorted(up_to, rank))
    if row == len(up_to):
        return None
    near = yield from _in_bucket(reader, selection, windows_of, durations, int(durations.bucket[row]), 0)
    if near is None:
        return None
    before = int(up_to[row] - durations.bucket_count[row])
    return int(near.ticks[np.searchsorted(np.cumsum(near.count), rank - before)])


@dataclass(frozen=True, slots=True)
class _Counted:
    """Columns of shape (n,), ascending: how many slices last exactly so long."""

    ticks: Ints
    count: Ints


def _in_bucket(
    reader: QueryReader,
    selection: Selection,
    windows_of: WindowsOf,
    durations: NameDurations,
    bucket: int,
    least: int,
) -> Interruptible[_Counted | None]:
    """Durations of the slices of a bucket that last some ticks at least; None: too many pages would be read."""
    greatest = _greatest()
    first = max(int(greatest[bucket - 1]) + 1 if bucket else 0, durations.shortest)
    last = min(int(greatest[bucket]), durations.longest)
    if first == last:  # all slices of the bucket are alike
        count = durations.bucket_count[durations.bucket == bucket].sum()
        return _Counted(np.array([first]), np.array([count]))
    near = Selection(selection.chosen, selection.tracks, max(first, least), last, is_kept=True)
    near = yield from occurring(reader, near)
    finder, pages, parts = Finder(reader, near), 0, [np.zeros(0, np.int64)]
    for batch in leaves(reader, near, windows_of, reaching=False):
        left = yield from lasting(reader, near, batch)
        if not len(left):
            continue
        pages += left.n_pages
        if pages > _MOST_PAGES:
            return None
        for bundle in left.bundles(_PAGES_AT_ONCE):
            hits = yield from finder.find([bundle])
            parts.append(hits.duration)
    return _Counted(*np.unique(np.concatenate(parts), return_counts=True))


def _durations(histogram: Histogram, spread: DurationSpread, names: NDArray[np.bool_]) -> NameDurations:
    rows = np.flatnonzero(names[histogram.name + 1] & (histogram.count > 0))
    if not len(rows):
        none: NDArray[Any] = np.zeros(0, np.int64)
        return NameDurations(0, 0, 0, 0, 0, none, none)
    of_name = histogram.take(rows).one_row(0)
    together = spread.take(rows).summed(np.zeros(len(rows), np.int64), 1)
    (median,) = together.quantiles(MEDIAN, of_name.shortest, of_name.longest).tolist()
    return NameDurations(
        int(of_name.count[0]),
        int(of_name.duration[0]),
        int(of_name.shortest[0]),
        int(of_name.longest[0]),
        median,
        together.bucket,
        together.count,
    )


def _greatest() -> Ints:
    """The longest duration of each bucket."""
    values = bucket_values()
    return values + values // 99
