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
    if durations.shortest == durations.longest == ticks:
        return Longer(0, 0, alike)
    greatest = _greatest()
    least_ticks = int(greatest[bucket - 1]) + 1 if bucket else 0
    if least_ticks == greatest[bucket]:  # the bucket has one duration
        return Longer(above, above, alike)
    # Slices that are shorter are counted in the bucket already: they need not be read.
    near = Selection(selection.chosen, selection.tracks, ticks, int(greatest[bucket]), is_kept=True)
    near = yield from occurring(reader, near)
    longer = equal = pages = 0
    finder = Finder(reader, near)
    for batch in leaves(reader, near, windows_of, reaching=False):
        left = yield from lasting(reader, near, batch)
        pages += left.n_pages if len(left) else 0
        if pages > _MOST_PAGES:
            return Longer(above, above + alike, None)
        for bundle in left.bundles(_PAGES_AT_ONCE) if len(left) else ():
            hits = yield from finder.find([bundle])
            longer += int(np.count_nonzero(hits.duration > ticks))
            equal += int(np.count_nonzero(hits.duration == ticks))
    return Longer(above + longer, above + longer, equal)


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
