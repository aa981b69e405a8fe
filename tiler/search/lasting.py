"""Leaves that may hold a selected event, as its duration has bounds: histograms of the tiles above them tell.

Whoever looks for the next event that lasts longer than all but a few would otherwise read most pages of a run. What
histograms tell is kept with the names that a query chooses, so that the next question reads hardly any.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilescope.tiler.pages import TRACKS_PER_BLOCK, TileFlag
from tilescope.tiler.query import QueryReader
from tilescope.tiler.search.leaves import Leaves
from tilescope.tiler.search.selection import Selection

# Histograms that are read at a time at most, in some ten milliseconds: what they would tell is left open.
_MOST_READ: Final = 128

_SLOT_BITS: Final = 5  # TRACKS_PER_BLOCK is 32


def lasting(reader: QueryReader, selection: Selection, found: Leaves) -> Leaves:
    """The leaves of these in which an event of the names may start whose duration is within the bounds.

    Raises DamagedStore.
    """
    if not selection.is_bounded or not selection.is_kept or reader.store.is_growing:
        return found
    tiles = reader.tiles(found.block)
    flags, level_of = tiles.shape.flags, tiles.shape.level[found.tile]
    is_left, to_read = np.ones(len(found), np.bool_), _MOST_READ
    for level in range(reader.root_level, -1, -1):
        below = np.flatnonzero(is_left & (level_of <= level))
        index = found.index[below] >> (2 * (level - level_of[below]))
        above, which = np.unique((index << _SLOT_BITS) | found.slot[below], return_inverse=True)
        asked, position = tiles.positions(
            above & (TRACKS_PER_BLOCK - 1), np.full(len(above), level), above >> _SLOT_BITS
        )
        told = (flags[position] & TileFlag.HAS_HISTOGRAM) != 0
        if not told.any():  # nor has any tile below
            break
        is_none = np.zeros(len(above), np.bool_)
        for number in asked[told].tolist():
            at, slot = divmod(int(above[number]), TRACKS_PER_BLOCK)
            tile = found.block * TRACKS_PER_BLOCK + slot, level, at
            if not selection.chosen.is_known(tile):
                to_read -= 1
                if to_read < 0:
                    break
            is_none[number] = not selection.may_last(selection.chosen.durations_in(reader, tile))
        is_left[below[is_none[which]]] = False
    return found.take(is_left)
