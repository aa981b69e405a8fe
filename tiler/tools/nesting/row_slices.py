"""The slices of one row of a track that start in a span: how many, the next by time, the longest.

A tile tells by its bins where more of a row start below it, and how long these are at most. So whoever asks for a few
slices reads a few tiles of each level, however many slices there are.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import BINS_PER_TILE, TRACKS_PER_BLOCK, Page, SliceFlag
from tilescope.tiler.query import Events, Interruptible, Place, QueryReader
from tilescope.tiler.resolver import TickRange

Ints = NDArray[np.int64]

_QUARTERS: Final = 4
_KEPT_PAGES: Final = 16  # a page takes about half a megabyte


@dataclass(frozen=True, slots=True)
class RowSlice:
    """One slice, as a tile has it."""

    ordinal: int
    start: int
    duration: int
    row: int
    name: int  # id, -1 none

    @classmethod
    def from_events(cls, events: Events, index: int) -> RowSlice:
        """One of some events."""
        columns = (events.ordinal, events.start, events.duration, events.row, events.name)
        return cls(*(int(column[index]) for column in columns))

    @property
    def end(self) -> int:
        """First tick after it."""
        return self.start + self.duration


@dataclass(frozen=True, slots=True)
class _RowTile:
    """Slices and bins of a tile that are on the row and in the span. Bins are those in which slices start."""

    is_leaf: bool
    slices: list[RowSlice]  # that start in the tile, by time
    bin_start: Ints
    bin_quarter: Ints
    bin_count: Ints
    bin_longest: Ints  # -1 unless exact bins are read


class RowSlices:
    """Slices of one row, in the ticks [start, stop) of a span. For one question."""

    def __init__(self, reader: QueryReader, track: int, row: int, span: TickRange) -> None:
        self._reader = reader
        self._track = track
        self._slot = track % TRACKS_PER_BLOCK
        self._row = row
        self._span = span
        self._index = reader.tiles(track // TRACKS_PER_BLOCK)
        self._kept = lru_cache(_KEPT_PAGES)(reader.decoded_page)
        self._kept_exact = lru_cache(_KEPT_PAGES)(reader.exact_page)

    def count(self) -> Interruptible[int]:
        """Number of slices: from the tiles at the ends of the span. Raises DamagedStore."""
        return (yield from self._count(self._reader.root_level, 0))

    def by_time(self, limit: int, after: Place | None = None) -> Interruptible[list[RowSlice]]:
        """The first of them, or the first after a place. Raises DamagedStore."""
        slices: list[RowSlice] = []
        if after is not None:
            start = max(self._span.start, after.start)
            rest = RowSlices(self._reader, self._track, self._row, TickRange(start, max(start, self._span.stop)))
            first = after.ordinal + 1
        else:
            rest, first = self, 0
        if limit > 0:
            for part in rest._walk(self._reader.root_level, 0):
                slices += [row_slice for row_slice in part if row_slice.ordinal >= first][: limit - len(slices)]
                yield
                if len(slices) == limit:
                    break
        return slices

    def longest(self, limit: int) -> Interruptible[list[RowSlice]]:
        """The longest of them, equally long ones by time. Raises DamagedStore."""
        longest: list[RowSlice] = []
        seen: set[int] = set()
        # The longest that may be left first: a slice, or else a tile in which nothing is longer.
        slices: list[tuple[int, int, int]] = []  # -duration, start, ordinal
        tiles: list[tuple[int, int, int, int]] = [(-(1 << 62), 0, self._reader.root_level, 0)]
        slices_by_ordinal: dict[int, RowSlice] = {}
        while len(longest) < limit and (slices or tiles):
            if not tiles or (slices and slices[0][:2] < tiles[0][:2]):
                longest.append(slices_by_ordinal.pop(heapq.heappop(slices)[2]))
                continue
            _, _, level, index = heapq.heappop(tiles)
            tile = self._tile(level, index, exact=True)
            yield
            if tile is None:
                continue
            for row_slice in tile.slices:
                # A tile repeats what was long enough to be drawn in the tile above it.
                if row_slice.ordinal not in seen:
                    seen.add(row_slice.ordinal)
                    slices_by_ordinal[row_slice.ordinal] = row_slice
                    heapq.heappush(slices, (-row_slice.duration, row_slice.start, row_slice.ordinal))
            for quarter in np.unique(tile.bin_quarter).tolist():
                own = tile.bin_quarter == quarter
                bound = int(tile.bin_longest[own].max())
                first = max(int(tile.bin_start[own].min()), self._span.start)
                heapq.heappush(tiles, (-bound, first, level - 1, _QUARTERS * index + quarter))
        return longest

    def _count(self, level: int, index: int) -> Interruptible[int]:
        tile = self._tile(level, index)
        yield
        if tile is None:
            return 0
        if tile.is_leaf:
            return len(tile.slices)
        width = 1 << (2 * level + 6)
        count = 0
        for child in range(_QUARTERS * index, _QUARTERS * index + _QUARTERS):
            start, stop = child * width, (child + 1) * width
            if start >= self._span.stop or stop <= self._span.start:
                continue
            if self._span.start <= start and stop <= self._span.stop:
                count += int(tile.bin_count[tile.bin_quarter == child % _QUARTERS].sum())
                count += sum(start <= row_slice.start < stop for row_slice in tile.slices)
            else:
                count += yield from self._count(level - 1, child)
        return count

    def _walk(self, level: int, index: int) -> Iterator[list[RowSlice]]:
        """All of them by time. What lies below a quarter is read only where bins say that more start there."""
        tile = self._tile(level, index)
        if tile is None:
            yield []
            return
        if tile.is_leaf:
            yield tile.slices
            return
        shift = 2 * level + 6
        for child in range(_QUARTERS * index, _QUARTERS * index + _QUARTERS):
            if (tile.bin_quarter == child % _QUARTERS).any():
                yield from self._walk(level - 1, child)
            else:
                yield [row_slice for row_slice in tile.slices if row_slice.start >> shift == child]

    def _tile(self, level: int, index: int, *, exact: bool = False) -> _RowTile | None:
        position = self._index.position(self._slot, level, index)
        if position is None:
            return None
        first = int(self._index.page_starts_of(np.array([position]))[0])
        key = self._index.page_key(first)
        page = self._kept_exact(key) if exact else self._kept(key)
        return self._of_row(page, position - first, level, index, bool(self._index.shape.is_leaf[position]))

    def _of_row(self, page: Page, tile_index: int, level: int, index: int, is_leaf: bool) -> _RowTile:
        s, b = page.slices, page.bins
        slice_range = slice(int(page.slice_ends[tile_index]), int(page.slice_ends[tile_index + 1]))
        start = s.start[slice_range]
        wanted = (s.row[slice_range] == self._row) & (s.flags[slice_range] & SliceFlag.REACHES_IN == 0)
        wanted &= (start >= self._span.start) & (start < self._span.stop)
        columns = (column[slice_range][wanted].tolist() for column in (s.ordinal, s.start, s.duration, s.row, s.name))
        slices = sorted(
            (RowSlice(*values) for values in zip(*columns, strict=True)), key=lambda row_slice: row_slice.ordinal
        )
        bin_range = slice(int(page.bin_ends[tile_index]), int(page.bin_ends[tile_index + 1]))
        first = ((index * BINS_PER_TILE) + b.bin[bin_range]) << (2 * level)
        stop = first + (1 << (2 * level))
        wanted = (
            (b.row[bin_range] == self._row)
            & (b.count[bin_range] > 0)
            & (first < self._span.stop)
            & (stop > self._span.start)
        )
        return _RowTile(
            is_leaf,
            slices,
            first[wanted],
            b.bin[bin_range][wanted] // (BINS_PER_TILE // _QUARTERS),
            b.count[bin_range][wanted],
            b.longest[bin_range][wanted],
        )
