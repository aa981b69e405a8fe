"""The histograms that are stored of the tracks of a block, of each and of all together: of tiles with many events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Shape, TileFlag, compress_container
from tilescope.tiler.pages.key import EVENTS_PER_ROW
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, BUSY_LIMIT, HISTOGRAM, HISTOGRAM_ROWS, TRACK_SUMS
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.spread import BLOCK_SPREAD, SPREAD, TRACK_SUMS_SPREAD
from tilescope.tiler.store.store import Entry

Ints = NDArray[np.int64]


class _Records(Struct, frozen=True):
    """The records of a histogram and of its spread, by owner, level and index."""

    histogram: Record
    spread: Record

    def entries(self, owner: int, level: int, index: int, histogram: bytes, spread: bytes) -> Iterator[Entry]:
        yield self.histogram.key(owner, level, index), compress_container(histogram)
        yield self.spread.key(owner, level, index), compress_container(spread)


_OF_TRACK = _Records(HISTOGRAM, SPREAD)
_BY_NAME = _Records(BLOCK_HISTOGRAM, BLOCK_SPREAD)
_BY_TRACK = _Records(TRACK_SUMS, TRACK_SUMS_SPREAD)


def histograms(
    block: int,
    data: Mapping[int, TrackData],
    shape: Shape,
    budget: _native.MemoryBudget | None = None,
) -> Iterator[Entry]:
    """Entries of the histograms of a block's tracks, given by their numbers, each as soon as it is summed.

    `shape`, of the block, gets their flags. Raises MemoryError when more slices are open at once than `budget` has
    room for.
    """
    summed = sorted(
        track for track, track_data in data.items() if track_data.value is None and track_data.busy < BUSY_LIMIT
    )
    if sum(data[track].busy for track in summed) < BUSY_LIMIT:
        yield from _entries(block, {track: data[track] for track in summed}, shape, budget)
        return
    for track in summed:  # no sums hold what they have together
        yield from _entries(block, {track: data[track]}, shape, budget)


def _entries(
    block: int, data: Mapping[int, TrackData], shape: Shape, budget: _native.MemoryBudget | None
) -> Iterator[Entry]:
    """Entries of tracks in the order of their numbers. Slices are gone through once, for their track and for all."""
    tiles = _Tiles.in_slots(shape, np.array([track % TRACKS_PER_BLOCK for track in data], np.int64))
    if not len(tiles.level):  # as in most blocks of many thousand tracks
        return
    tracks = [block * TRACKS_PER_BLOCK + slot for slot in tiles.slots.tolist()]
    walk = _native.Histograms(
        [(data[track].start, data[track].duration, data[track].name) for track in tracks],
        tiles.level,
        tiles.index,
        tiles.leaf_of,
        HISTOGRAM_ROWS,
        EVENTS_PER_ROW,
        budget,
        tiles.slots.tolist(),
        tiles.together,
        tiles.own,
    )
    while (sums := walk.next_by_track(block)) is not None:
        yield from _BY_TRACK.entries(block, *sums)
    tiles.flag(shape, *walk.with_records())
    while (entry := walk.next(block, tracks)) is not None:
        place, level, index, histogram, spread = entry
        stored, owner = (_BY_NAME, block) if place is None else (_OF_TRACK, tracks[place])
        yield from stored.entries(owner, level, index, histogram, spread)


class _Tiles(Struct, frozen=True):
    """Tiles of some tracks that may have histograms, by time, and a tile before those below it.

    Tracks are told by bits, in the order of `slots`.
    """

    slots: Ints
    level: NDArray[np.uint8]
    index: Ints
    leaf_of: NDArray[np.uint32]  # tracks that have a leaf there
    together: NDArray[np.uint8]  # whether all together may have one
    own: NDArray[np.uint32]  # tracks that may have one
    # Where their flags stand in the shape, and which of the tiles they are: of those together, and of each track.
    together_at: Ints
    together_tile: Ints
    own_at: Ints
    own_tile: Ints

    @classmethod
    def in_slots(cls, shape: Shape, slots: Ints) -> _Tiles:
        """Tiles of tracks in these slots, ascending; without tracks that nothing is wanted of."""
        together_at, _ = shape.many_together(slots)
        own_at = np.flatnonzero(np.isin(shape.slot, slots) & shape.has_many_events)
        if not len(together_at):
            # Not `np.unique`: without an index its first use imports numpy.ma.
            slots = np.array(sorted(set(shape.slot[own_at].tolist())), np.int64)
        # Tiles of one place follow each other.
        place = np.cumsum((np.diff(shape.level, prepend=-1) | np.diff(shape.index, prepend=-1)) != 0)
        places, first = np.unique(place[np.concatenate([together_at, own_at])], return_index=True)
        tiles = np.concatenate([together_at, own_at])[first]
        level, index = shape.level[tiles], shape.index[tiles]
        order = np.lexsort([-level, index << (2 * level + 8)])
        tile_of = np.full(len(shape) + 1, -1)  # by place
        tile_of[places[order]] = np.arange(len(order))
        bits = np.zeros(TRACKS_PER_BLOCK, np.uint32)
        bits[slots] = np.uint32(1) << np.arange(len(slots), dtype=np.uint32)

        def tracks_of(entries: Ints) -> NDArray[np.uint32]:
            tracks = np.zeros(len(order), np.uint32)
            np.bitwise_or.at(tracks, tile_of[place[entries]], bits[shape.slot[entries]])
            return tracks

        together = np.zeros(len(order), np.uint8)
        together[tile_of[place[together_at]]] = 1
        return cls(
            slots=slots,
            level=level[order].astype(np.uint8),
            index=index[order],
            leaf_of=tracks_of(np.flatnonzero(shape.is_leaf & (tile_of[place] >= 0))),
            together=together,
            own=tracks_of(own_at),
            together_at=together_at,
            together_tile=tile_of[place[together_at]],
            own_at=own_at,
            own_tile=tile_of[place[own_at]],
        )

    def flag(self, shape: Shape, together: NDArray[np.uint8], own: NDArray[np.uint32]) -> None:
        """Says in the shape which have histograms, `together` and of their `own`; all sums of tracks are there."""
        shape.flags[self.together_at] |= TileFlag.HAS_TRACK_SUMS
        shape.flags[self.together_at[together[self.together_tile] != 0]] |= TileFlag.HAS_BLOCK_HISTOGRAM
        track = np.searchsorted(self.slots, shape.slot[self.own_at]).astype(np.uint32)
        shape.flags[self.own_at[(own[self.own_tile] >> track & 1) != 0]] |= TileFlag.HAS_HISTOGRAM
