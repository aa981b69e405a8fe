"""What tiles say they hold, in count and busy time per row: a parent must equal the sum of its four children."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.verify.columns import Ints, changes, order_of
from tilescope.tiler.verify.page_source import Tiles
from tilescope.tiler.verify.tree import BlockTree


@dataclass(frozen=True, slots=True)
class TileSums:
    """Columns of shape (n,), in the order (lane, tile), each pair once. A lane is `slot * rows + row`."""

    lane: Ints
    tile: Ints  # index
    count: Ints
    busy: Ints

    def __len__(self) -> int:
        return len(self.lane)

    def above(self) -> TileSums:
        """Summed over the tiles of the level above."""
        return _merge(self.lane, self.tile >> 2, self.count, self.busy)

    def text(self, lane: int, tile: int) -> str:
        """What one tile holds in one row, for messages."""
        at = np.flatnonzero((self.lane == lane) & (self.tile == tile))
        return f"{self.count[at].sum()} events and {self.busy[at].sum()} busy ticks"


def no_sums() -> TileSums:
    """Of no tile."""
    return TileSums(*[np.zeros(0, np.int64)] * 4)


def join_sums(parts: Sequence[TileSums]) -> TileSums:
    """Of tiles of the same level in several places."""
    parts = [no_sums(), *parts]
    return _merge(*(np.concatenate([getattr(part, column) for part in parts]) for column in TileSums.__slots__))


def sums_of(tree: BlockTree, tiles: Tiles, rows: int) -> TileSums:
    """What tiles of one level hold: their bins, and of their slices the part that overlaps them."""
    of_slice = np.repeat(tiles.position, tiles.slice_counts)
    of_bin = np.repeat(tiles.position, tiles.bin_counts)
    slices = tiles.slices
    shift = 2 * tree.level[of_slice] + 8
    start = np.maximum(slices.start, tree.index[of_slice] << shift)
    stop = np.minimum(slices.start + slices.duration, (tree.index[of_slice] + 1) << shift)
    starting = 1 - (slices.flags & SliceFlag.REACHES_IN)
    position = np.concatenate([of_slice, of_bin])
    row = np.concatenate([slices.row, tiles.bins.row])
    count = np.concatenate([starting, tiles.bins.count])
    busy = np.concatenate([stop - start, tiles.bins.busy])
    return _merge(tree.slot[position] * rows + row, tree.index[position], count, busy)


def _merge(lane: Ints, tile: Ints, count: Ints, busy: Ints) -> TileSums:
    if not len(lane):
        return TileSums(lane, tile, count, busy)
    low = int(tile.min())
    order = order_of((lane, int(lane.max()) + 1), (tile - low, int(tile.max()) - low + 1))
    lane, tile = lane[order], tile[order]
    first = changes(lane, tile)
    return TileSums(lane[first], tile[first], np.add.reduceat(count[order], first), np.add.reduceat(busy[order], first))
