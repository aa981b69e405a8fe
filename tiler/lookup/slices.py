"""Starts and names of single slices, by their ordinals."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.tiles import block_shape, tiles_on_page
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.store.store import Store

Ints = NDArray[np.int64]


class SliceStarts(Struct, frozen=True):
    """Columns of shape (n,), in the order in which slices were asked for."""

    start: Ints  # ticks
    name: Ints  # name id, -1: none


def slice_starts(store: Store, track: int, ordinals: Ints) -> SliceStarts:
    """The starts and names of slices of a track, in any order. Raises DamagedStore where there is no such slice."""
    block, slot = divmod(track, TRACKS_PER_BLOCK)
    shape = block_shape(store, block)
    leaves = shape.leaves(slot)
    leaf = np.searchsorted(np.cumsum(shape.events[leaves]), ordinals, side="right")
    if len(ordinals) and (int(ordinals.min()) < 0 or int(leaf.max()) >= len(leaves)):
        raise DamagedStore(f"{store.location}: track {track} has no leaves with events that are named")
    starts = SliceStarts(np.zeros(len(ordinals), np.int64), np.zeros(len(ordinals), np.int64))
    for number in np.unique(leaf).tolist():
        position = int(leaves[number])
        index = shape.index[position]
        tiles = (t for t in tiles_on_page(store, shape.page_of(position)) if t.slot == slot and t.index == index)
        tile = next(tiles, None)
        which = np.flatnonzero(leaf == number)
        if tile is None or not np.isin(ordinals[which], tile.slices.ordinal).all():
            where = f"track {track}, level {shape.level[position]}, tile {index}"
            raise DamagedStore(f"{store.location}: {where}: not all of its events are on its page")
        rows = np.searchsorted(tile.slices.ordinal, ordinals[which])
        starts.start[which], starts.name[which] = tile.slices.start[rows], tile.slices.name[rows]
    return starts
