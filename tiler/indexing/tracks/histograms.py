"""The histograms that are stored of a track, and of those of a block together: of tiles with many events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import (
    BUSY_LIMIT,
    HISTOGRAM_ROWS,
    INDEX_BITS,
    TRACKS_PER_BLOCK,
    Shape,
    TileFlag,
    compress_container,
)
from tilescope.tiler.pages.key import EVENTS_PER_ROW
from tilescope.tiler.store import keys
from tilescope.tiler.store.store import Entry

Ints = NDArray[np.int64]
Key = Callable[[int, int, int], bytes]

_Found = tuple[int, int, bytes, bytes]  # level, index, histogram, spread


class _Keys(Struct, frozen=True):
    """Where a histogram and its spread are stored: by owner, level and index."""

    histogram: Key
    spread: Key

    def entries(self, owner: int, next_one: Callable[[int], _Found | None]) -> Iterator[Entry]:
        while (found := next_one(owner)) is not None:
            level, index, histogram, spread = found
            yield self.histogram(owner, level, index), compress_container(histogram)
            yield self.spread(owner, level, index), compress_container(spread)


def histograms(
    track: int, data: TrackData, shape: Shape, budget: _native.MemoryBudget | None = None
) -> Iterator[Entry]:
    """Entries of the track's histograms, each as soon as it is summed; `shape`, of its block, gets their flags.

    Raises MemoryError when more slices are open at once than `budget` has room for.
    """
    if not _has_histograms(data):
        return
    tiles = np.flatnonzero((shape.slot == track % TRACKS_PER_BLOCK) & shape.has_many_events)
    if not len(tiles):  # as in most of many thousand tracks
        return
    shape.flags[tiles] |= TileFlag.HAS_HISTOGRAM
    tiles = _in_order(shape, tiles)
    leaf_of = shape.is_leaf[tiles].astype(np.uint32)
    walk = _walk([data], shape, tiles, leaf_of, budget)
    shape.flags[tiles[walk.without_records()]] &= ~TileFlag.HAS_HISTOGRAM
    yield from _Keys(keys.histogram, keys.spread).entries(track, walk.next)


def block_histograms(
    block: int,
    data: Mapping[int, TrackData],
    shape: Shape,
    budget: _native.MemoryBudget | None = None,
) -> Iterator[Entry]:
    """As `histograms`: of the tracks of a block together, given by their numbers; by name, and by track."""
    summed = sorted(track for track, of in data.items() if _has_histograms(of))
    if sum(data[track].busy for track in summed) >= BUSY_LIMIT:
        return
    slots = np.array([track % TRACKS_PER_BLOCK for track in summed], np.int64)
    tiles, _ = shape.many_together(slots)
    if not len(tiles):
        return
    shape.flags[tiles] |= TileFlag.HAS_BLOCK_HISTOGRAM | TileFlag.HAS_TRACK_SUMS
    tiles = _in_order(shape, tiles)
    leaf_of = _leaves_of(shape, tiles, slots)
    walk = _walk([data[track] for track in summed], shape, tiles, leaf_of, budget, slots.tolist())
    by_name, by_track = (
        _Keys(partial(keys.block_histogram, by_track=by), partial(keys.block_spread, by_track=by))
        for by in (False, True)
    )
    yield from by_track.entries(block, walk.next_by_track)
    shape.flags[tiles[walk.without_records()]] &= ~TileFlag.HAS_BLOCK_HISTOGRAM
    yield from by_name.entries(block, walk.next)


def _leaves_of(shape: Shape, tiles: Ints, slots: Ints) -> NDArray[np.uint32]:
    """By tile, no two of the same place: which of the tracks have a leaf there, a bit each in the order of `slots`."""
    place = (shape.level << INDEX_BITS) | shape.index
    bits = np.zeros(TRACKS_PER_BLOCK, np.uint32)
    bits[slots] = np.uint32(1) << np.arange(len(slots), dtype=np.uint32)
    order = np.argsort(place[tiles])
    leaves = np.flatnonzero(shape.is_leaf)
    at = order[np.minimum(np.searchsorted(place[tiles], place[leaves], sorter=order), len(tiles) - 1)]
    is_there = place[tiles[at]] == place[leaves]
    leaf_of = np.zeros(len(tiles), np.uint32)
    np.bitwise_or.at(leaf_of, at[is_there], bits[shape.slot[leaves[is_there]]])
    return leaf_of


def _has_histograms(data: TrackData) -> bool:
    return data.value is None and data.busy < BUSY_LIMIT


def _in_order(shape: Shape, tiles: Ints) -> Ints:
    """By time, and a tile before those below it."""
    level, index = shape.level[tiles], shape.index[tiles]
    return tiles[np.lexsort([-level, index << (2 * level + 8)])]


def _walk(
    tracks: list[TrackData],
    shape: Shape,
    tiles: Ints,
    leaf_of: NDArray[np.uint32],
    budget: _native.MemoryBudget | None,
    track_names: list[int] | None = None,
) -> _native.Histograms:
    """Over tiles in order."""
    columns = [(data.start, data.duration, data.name) for data in tracks]
    level, index = shape.level[tiles].astype(np.uint8), shape.index[tiles]
    return _native.Histograms(columns, level, index, leaf_of, HISTOGRAM_ROWS, EVENTS_PER_ROW, budget, track_names)
