"""The histogram of any windows of a track: from those of tiles where there are some, from leaves elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import (
    TRACKS_PER_BLOCK,
    Histogram,
    Page,
    PageKey,
    Shape,
    decompress,
    rows_within,
    select,
    sum_by_name,
)
from tilescope.tiler.pages.page import Slices
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Leaves are summed up in lots of about so many events, which then take some 50 MB. With many short windows a slice may
# be looked at in several: then as many rows at once, or as one window has.
_EVENTS_AT_ONCE = 250_000
_ROWS_AT_ONCE = 1_000_000


class Source(Protocol):
    """What is read of a store."""

    def decoded_shape(self, block: int) -> Shape | None:
        """A block's shape."""

    def decoded_page(self, key: PageKey) -> Page:
        """A page."""

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None:
        """The stored histogram of a tile, compressed."""


def histogram_parts(store: Source, track: int, windows: Windows, dtype: type[Any]) -> Iterator[Histogram]:
    """Histograms that add up to that of some windows of a track of slices; `dtype`: of their sums.

    At each level at most two tiles lie across the borders of a window, so at most six that are within it are not in a
    tile that is within it, too. Those with a histogram cost one record each. The others have fewer than
    HISTOGRAM_EVENTS events, and their leaves are read. Names that a histogram has summed up as "other" are looked for
    in the tiles below: then all of its leaves may be read. Raises DamagedStore.
    """
    block, slot = divmod(track, TRACKS_PER_BLOCK)
    shape = store.decoded_shape(block)
    if shape is None:
        raise DamagedStore(f"block {block} has no shape record")
    leaves: list[Ints] = []
    opened: Ints = np.zeros(1, np.int64)  # indices of tiles of the level above whose children are wanted
    tiles = np.flatnonzero(shape.slot == slot)
    levels, has_histogram, is_leaf = shape.level[tiles], shape.has_histogram, shape.is_leaf
    for level in range(int(levels.max(initial=-1)), -1, -1):
        if not len(opened):
            break
        here = tiles[levels == level]
        here = here[np.isin(shape.index[here] >> 2, opened)]
        first = shape.index[here] << (2 * level + 8)
        stop = np.minimum((shape.index[here] + 1) << (2 * level + 8), TICK_LIMIT)
        wanted = windows.meet(first, stop)
        within = wanted & windows.cover(first, stop)
        if dtype is not object:  # a track whose sums are beyond int64 has no histograms
            for at in np.flatnonzero(within & has_histogram[here]):
                found = _stored(store, track, level, int(shape.index[here[at]]))
                if not found.has_other_names:
                    yield found
                    wanted[at] = False
        leaf = is_leaf[here]
        leaves.append(here[wanted & leaf])
        opened = shape.index[here[wanted & ~leaf]]
    yield from _of_leaves(store, shape, _in_time_order(shape, np.concatenate([*leaves, tiles[:0]])), windows, dtype)


def _stored(store: Source, track: int, level: int, index: int) -> Histogram:
    record = store.histogram_record(track, level, index)
    where = f"track {track}, level {level}, tile {index}"
    if record is None:
        raise DamagedStore(f"{where}: its histogram is missing (index the trace again)")
    try:
        return Histogram.decode(decompress(record), track, level)
    except DamagedStore as error:
        raise DamagedStore(f"{where}: its histogram is damaged (index the trace again)") from error


def _of_leaves(store: Source, shape: Shape, leaves: Ints, windows: Windows, dtype: type[Any]) -> Iterator[Histogram]:
    lots = np.cumsum(shape.events[leaves]) // _EVENTS_AT_ONCE
    for lot in np.split(leaves, np.flatnonzero(np.diff(lots)) + 1):
        if len(lot):
            yield from _of_lot(store, shape, lot, windows, dtype)


def _of_lot(store: Source, shape: Shape, leaves: Ints, windows: Windows, dtype: type[Any]) -> Iterator[Histogram]:
    page_starts = shape.page_starts()
    pages: dict[int, Page] = {}
    slices: list[Slices] = []
    for leaf in leaves:
        page_at = int(page_starts[np.searchsorted(page_starts, leaf, side="right") - 1])
        if page_at not in pages:
            pages[page_at] = store.decoded_page(shape.page_of(page_at))
        page = pages[page_at]
        at = int(leaf) - page_at
        if at >= len(page) or (page.index[at], page.slot[at]) != (shape.index[leaf], shape.slot[leaf]):
            raise DamagedStore(f"level {shape.level[leaf]}, tile {shape.index[leaf]}: it is not on its page")
        slices.append(select(page.slices, slice(int(page.slice_ends[at]), int(page.slice_ends[at + 1]))))
    counts = [len(part) for part in slices]
    start, duration, name = (np.concatenate([getattr(s, c) for s in slices]) for c in ("start", "duration", "name"))
    if len(windows) == 1:  # one cell for each leaf
        shift = 2 * shape.level[leaves] + 8
        first = np.repeat(np.maximum(shape.index[leaves] << shift, windows.start), counts)
        stop = np.repeat(np.minimum((shape.index[leaves] + 1) << shift, windows.stop), counts)
        seen = (start < stop) & ((start >= first) | (start + duration > first))
        yield sum_by_name([rows_within(*(column[seen] for column in (start, duration, name, first, stop)))], dtype)
        return
    cells = _cells(shape, leaves, windows)
    # Of each slice the cells of its leaf in which it is looked at: those that it has a tick in, or starts in.
    leaf = np.repeat(np.arange(len(leaves)), counts)
    low, high = np.searchsorted(cells.leaf, leaf), np.searchsorted(cells.leaf, leaf, side="right")
    low = np.clip(np.searchsorted(cells.stop, start, side="right"), low, high)
    high = np.clip(np.searchsorted(cells.first, np.maximum(start + duration, start + 1)), low, high)
    for lot in _lots_of_cells(low, high, len(cells.leaf)):
        begin, end = np.maximum(low, lot.start), np.minimum(high, lot.stop)
        times = np.maximum(end - begin, 0)
        row = np.repeat(np.arange(len(start)), times)
        cell = begin[row] + np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
        order = np.argsort(cell, kind="stable")
        row, cell = row[order], cell[order]
        columns = (start[row], duration[row], name[row], cells.first[cell], cells.stop[cell])
        yield sum_by_name([rows_within(*columns)], dtype)


@dataclass(frozen=True, slots=True)
class _Cells:
    """What leaves and windows have in common, ascending: `leaf` is a position among the leaves."""

    leaf: Ints
    first: Ints
    stop: Ints


def _cells(shape: Shape, leaves: Ints, windows: Windows) -> _Cells:
    shift = 2 * shape.level[leaves] + 8
    first, stop = shape.index[leaves] << shift, (shape.index[leaves] + 1) << shift
    low = np.searchsorted(windows.stops, first, side="right")
    counts = np.maximum(np.searchsorted(windows.starts, stop) - low, 0)
    leaf = np.repeat(np.arange(len(leaves)), counts)
    window = low[leaf] + np.arange(len(leaf)) - np.repeat(np.cumsum(counts) - counts, counts)
    return _Cells(leaf, np.maximum(first[leaf], windows.starts[window]), np.minimum(stop[leaf], windows.stops[window]))


def _lots_of_cells(low: Ints, high: Ints, cells: int) -> Iterator[range]:
    """Neighbouring cells in which so many slices are looked at that they fit into memory; a cell stays whole."""
    change = np.bincount(low, minlength=cells + 1) - np.bincount(high, minlength=cells + 1)
    rows = np.cumsum(np.cumsum(change)[:cells])
    at = 0
    while at < cells:
        before = int(rows[at - 1]) if at else 0
        end = max(at + 1, int(np.searchsorted(rows, before + _ROWS_AT_ONCE, side="right")))
        yield range(at, end)
        at = end


def _in_time_order(shape: Shape, leaves: Ints) -> Ints:
    return leaves[np.argsort(shape.index[leaves] << (2 * shape.level[leaves] + 8), kind="stable")]
