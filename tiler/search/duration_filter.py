"""Leaves that may hold a selected event, as its duration has bounds: histograms of the tiles above them tell.

Whoever looks for the next event that lasts longer than all but a few would otherwise read most pages of a run. What
histograms tell is kept with the names that a query chooses, so that the next question reads hardly any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.histogram import BUSY_LIMIT
from tilescope.tiler.search.chosen_names import AskedTile
from tilescope.tiler.search.leaves import Leaves
from tilescope.tiler.search.selection import Selection

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Histograms that are read for the leaves of a block at most: what more of them would tell is left open. And those that
# are read between two steps, in a millisecond or two.
_MOST_READ: Final = 128
_AT_ONCE: Final = 16

# Histograms of a block tell something of its tracks where at most so many times those asked for are in it.
_MORE_TRACKS: Final = 4

_SLOT_BITS: Final = 5  # TRACKS_PER_BLOCK is 32


def lasting(reader: QueryReader, selection: Selection, candidates: Leaves) -> Interruptible[Leaves]:
    """The leaves of these in which an event of the names may start whose duration is within the bounds.

    Histograms of all tracks of a block are asked first, those of a track where there are none of these. Raises
    DamagedStore.
    """
    if not selection.is_bounded or reader.store.is_growing or not len(candidates):
        return candidates
    passing = _Passing(reader, selection, candidates)
    level_of, is_left = reader.tiles(candidates.block).shape.level[candidates.tile], np.ones(len(candidates), np.bool_)
    for level in passing.levels:
        below = np.flatnonzero(is_left & (level_of <= level))
        index, slot = candidates.index[below] >> (2 * (level - level_of[below])), candidates.slot[below]
        together = passing.are_together(level, index, slot)
        none_together = yield from passing.none_in_block(level, index[together])
        none_alone = yield from passing.none_on_tracks(level, index[~together], slot[~together])
        is_left[below[together][none_together]] = False
        is_left[below[~together][none_alone]] = False
    return candidates.take(is_left)


class _Passing:
    """Tells in which tiles of a block nothing lasts as is asked for, as long as not too many histograms are read."""

    def __init__(self, reader: QueryReader, selection: Selection, candidates: Leaves) -> None:
        self._reader = reader
        self._selection = selection
        self._block = candidates.block
        self._tiles = reader.tiles(candidates.block)
        self._is_summed = _summed_slots(reader, candidates)
        self._left = _MOST_READ
        shape = self._tiles.shape
        self._has_histogram = shape.has_histogram
        flagged = np.flatnonzero(shape.has_block_histogram)
        self._level, self._index = shape.level[flagged], shape.index[flagged]
        with_histogram = self._has_histogram | shape.has_block_histogram
        self.levels: list[int] = np.unique(shape.level[with_histogram])[::-1].tolist()  # from the top

    def are_together(self, level: int, index: Ints, slot: Ints) -> Mask:
        """True for each tile of tracks (n,) about which a histogram of the block tells something."""
        mask: Mask = self._is_summed[slot] & np.isin(index, self._index[self._level == level])
        return mask

    def none_in_block(self, level: int, index: Ints) -> Interruptible[Mask]:
        """True for each tile (n,) without such an event, of those that histograms of the block cover."""
        places, which = np.unique(index, return_inverse=True)
        is_none = yield from self._none_in([AskedTile(self._block, level, place, True) for place in places.tolist()])
        return is_none[which]

    def none_on_tracks(self, level: int, index: Ints, slot: Ints) -> Interruptible[Mask]:
        """True for each tile of tracks (n,) without such an event, by their own histograms."""
        places, which = np.unique((index << _SLOT_BITS) | slot, return_inverse=True)
        index, slot = places >> _SLOT_BITS, places & (TRACKS_PER_BLOCK - 1)
        there, position = self._tiles.positions(slot, np.full(len(places), level), index)
        summed = there[self._has_histogram[position]]
        track = slot[summed] + self._block * TRACKS_PER_BLOCK
        is_none = np.zeros(len(places), np.bool_)
        of_each = zip(track.tolist(), index[summed].tolist(), strict=True)
        is_none[summed] = yield from self._none_in([AskedTile(owner, level, place) for owner, place in of_each])
        return is_none[which]

    def _none_in(self, tiles: Sequence[AskedTile]) -> Interruptible[Mask]:
        chosen, is_none = self._selection.chosen, np.zeros(len(tiles), np.bool_)
        for number, tile in enumerate(tiles):
            if not chosen.is_known(tile):
                if not self._left:
                    continue
                self._left -= 1
                if self._left % _AT_ONCE == 0:
                    yield
            is_none[number] = not self._selection.may_last(chosen.durations_in(self._reader, tile))
        return is_none


def _summed_slots(reader: QueryReader, candidates: Leaves) -> Mask:
    """By slot: of which tracks histograms of the block tell something. Of none where they tell too much of others."""
    slots = np.unique(candidates.slot)
    summed = np.zeros(TRACKS_PER_BLOCK, np.bool_)
    if reader.tree.summed_in_blocks[candidates.block] <= _MORE_TRACKS * len(slots):
        tree_tracks = reader.tree.tracks
        busy = [tree_tracks[candidates.block * TRACKS_PER_BLOCK + slot].busy for slot in slots.tolist()]
        summed[slots] = np.array(busy, object) < BUSY_LIMIT
    return summed
