"""Density of hits: for the bins of a view, how many start in each, and how long they are busy in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.search.hits import Finder, Hits, add_leaves, look_through
from tilescope.tiler.search.leaves import Leaves, leaves
from tilescope.tiler.search.selection import Selection
from tilescope.tiler.store.two_threads import WORTH_A_THREAD
from tilescope.tiler.windows import Windows, everywhere

Ints = NDArray[np.int64]

# Pages whose hits are in memory at a time, where their arguments are looked at.
_PAGES_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class HitLanes:
    """Lanes that bins are counted by; `first` is by track, the other columns by lane."""

    first: Ints  # the lane of a track, or of its first row
    by_row: bool
    track: Ints
    row: Ints

    def __len__(self) -> int:
        return len(self.track)

    @staticmethod
    def of_tracks(reader: QueryReader, tracks: Sequence[int]) -> HitLanes:
        """A lane for each track."""
        first = np.zeros(len(reader.tree.tracks), np.int64)
        first[list(tracks)] = np.arange(len(tracks))
        return HitLanes(first, False, np.array(tracks, np.int64), np.zeros(len(tracks), np.int64))

    @staticmethod
    def of_rows(reader: QueryReader, tracks: Sequence[int]) -> HitLanes:
        """A lane for each row of each track."""
        rows = np.array([rows_of(reader, track) for track in tracks], np.int64)
        ends = np.cumsum(rows)
        first = np.zeros(len(reader.tree.tracks), np.int64)
        first[list(tracks)] = ends - rows
        row = np.arange(int(rows.sum())) - np.repeat(ends - rows, rows)
        return HitLanes(first, True, np.repeat(np.array(tracks, np.int64), rows), row)

    @staticmethod
    def of_rollup(reader: QueryReader, rollup: int) -> HitLanes:
        """One lane for all tracks of a rollup."""
        return HitLanes(np.zeros(len(reader.tree.tracks), np.int64), False, np.array([rollup]), np.zeros(1, np.int64))

    def lanes_of(self, hits: Hits) -> Ints:
        """The lanes of hits."""
        lanes: Ints = self.first[hits.track] + (hits.row if self.by_row else 0)
        return lanes


def rows_of(reader: QueryReader, track: int) -> int:
    """Number of rows of a track, which the tree of a run that grows does not have yet. Raises DamagedStore."""
    rows = max(reader.tree.tracks[track].rows, 1)
    return max(rows, rows_in_tiles(reader, track)) if reader.store.is_growing else rows


def rows_in_tiles(reader: QueryReader, track: int) -> int:
    """As the topmost tile of a track has it, which has something of each row. Raises DamagedStore or NotBuilt."""
    tiles, slot = reader.tiles(track // TRACKS_PER_BLOCK), track % TRACKS_PER_BLOCK
    positions = np.flatnonzero(tiles.shape.slot == slot)
    if not len(positions):
        return 1
    top = positions[np.argmax(tiles.shape.level[positions])]
    start = tiles.page_starts_of(top[None])[0]
    page = reader.decoded_page(tiles.page_key(int(start)))
    k = int(top - start)
    slices = page.slices.row[page.slice_ends[k] : page.slice_ends[k + 1]]
    bins = page.bins.row[page.bin_ends[k] : page.bin_ends[k + 1]]
    return 1 + max(int(slices.max(initial=0)), int(bins.max(initial=0)))


@dataclass(frozen=True, slots=True)
class HitDensity:
    """Bins with something in them, by lane, then by time; columns of shape (n,)."""

    level: int  # a bin is 4**level ticks wide
    track: Ints
    row: Ints
    start: Ints  # first tick of the bin
    count: Ints  # hits that start in it
    busy: Ints  # ticks of hits in it, each by itself; at most 2**62


def density(
    reader: QueryReader, selection: Selection, span: TickRange, level: int, lanes: HitLanes | None = None
) -> Interruptible[HitDensity]:
    """Density in all bins of a level that a span touches, as a whole; of each track, unless lanes say otherwise.

    Raises DamagedStore.
    """
    if lanes is None:
        lanes = HitLanes.of_tracks(reader, selection.tracks)
    shift = 2 * level
    first, last = span.start >> shift, (max(span.stop - 1, span.start) >> shift) + 1
    windows = Windows.single(first << shift, last << shift)

    def no_bins() -> _native.HitBins:
        return _native.HitBins(
            selection.names,
            selection.shortest,
            selection.longest,
            windows.starts,
            windows.stops,
            level,
            first,
            last - first,
            len(lanes),
            lanes.by_row,
        )

    def add(batch: Leaves, bins: _native.HitBins) -> None:
        add_leaves(bins, reader, batch, lanes.first[batch.tracks])

    bins = no_bins()
    aside: _native.HitBins | None = None
    finder = Finder(reader, selection, reaching=True) if selection.arguments else None
    batches = []
    for batch in leaves(reader, selection, everywhere(windows), reaching=True):
        batches.append(batch)
        yield
    if finder is None:
        if sum(batch.n_pages for batch in batches) >= WORTH_A_THREAD:
            aside = no_bins()
        yield from look_through(batches, add, bins, aside)
        yield
    else:
        for bundle in (part for batch in batches for part in batch.bundles(_PAGES_AT_ONCE)):
            hits = yield from finder.find([bundle])
            bins.put(lanes.lanes_of(hits), hits.start, hits.start + hits.duration)
    if aside is not None:
        bins.add_bins(aside)
    lane, bin, count, busy = bins.sums()
    return HitDensity(level, lanes.track[lane], lanes.row[lane], (bin + first) << shift, count, busy)
