"""Proves the tiles of a block's slice and instant tracks: from the events in the leaves up to the root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import BINS_PER_TILE, TRACKS_PER_BLOCK, SliceFlag
from tilescope.tiler.verify.bin_table import BinSums, BinTable, bin_sums, join_tables, merge, no_table, spread
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.columns import Ints, order_of, ranges
from tilescope.tiler.verify.comparison import compare_bins, first_difference
from tilescope.tiler.verify.events import Events, distinct, join, lowest_binned_level
from tilescope.tiler.verify.leaves import LeafCheck
from tilescope.tiler.verify.page_source import PageSource, Tiles
from tilescope.tiler.verify.page_source import join as join_tiles
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tile_sums import TileSums, join_sums, no_sums, sums_of
from tilescope.tiler.verify.tree import BlockTree, slice_slots, tile_keys

# Tiles with at most so many events, of all tracks together, are proven at one go with all below them. One event takes
# about half a kilobyte meanwhile.
_PIECE_EVENTS = 1_000_000


@dataclass(frozen=True, slots=True)
class _Proven:
    """What the tiles above need of a place in time, all tracks together."""

    table: BinTable  # sums of the slices that are binned at its level
    pending: Events  # the others, each once, in the order (slot, ordinal)
    sums: TileSums  # what the tiles of its level hold


class SliceBlockCheck:
    """Walks down the tile tree of a block as far as tiles hold too many events, and up again."""

    def __init__(
        self,
        catalogue: Catalogue,
        tree: BlockTree,
        pages: PageSource,
        tally: Tally,
        done: Callable[[int], None],
    ) -> None:
        self._catalogue = catalogue
        self._tree = tree
        self._pages = pages
        self._tally = tally
        self._done = done
        self._wanted = tree.of_slots(slice_slots(tree))
        self._events_before = np.concatenate([[0], np.cumsum(np.where(self._wanted, tree.events, 0))])
        self._leaves = LeafCheck(catalogue, tree)
        self._rows = max((track.rows for track in catalogue.block(tree.block)), default=1)

    def check(self) -> None:
        """Raises DamagedStore. Calls `done` with numbers of events that are proven."""
        root = self._catalogue.root_level
        if len(self._tiles(root, root, 0)):
            self._prove(root, 0)
        self._leaves.finish()

    def _tiles(self, level: int, node_level: int, node_index: int) -> Ints:
        """Positions of the tiles of a level in a place in time."""
        under = self._tree.under(level, node_level, node_index)
        tiles: Ints = under.start + np.flatnonzero(self._wanted[under])
        return tiles

    def _prove(self, level: int, index: int) -> _Proven:
        """Proves all tiles at and below a place in time."""
        here = self._tree.under(level, level, index)
        events = int(self._events_before[here.stop] - self._events_before[here.start])
        if events <= _PIECE_EVENTS or level == 0:
            proven = self._prove_piece(level, index)
            self._done(events)
            return proven
        children = [k for k in range(4 * index, 4 * index + 4) if len(self._tiles(level - 1, level - 1, k))]
        below = [self._prove(level - 1, child) for child in children]
        tiles = self._pages.read(self._tree, self._tiles(level, level, index))
        leaves = self._leaves.add(self._leaves_of([tiles]))
        pending = [self._entering(leaves, np.full(TRACKS_PER_BLOCK, level + 1)), *(part.pending for part in below)]
        table = join_tables([part.table for part in below])
        joined = _Proven(table, distinct(join(pending)), join_sums([part.sums for part in below]))
        return self._prove_level(level, level, index, tiles, joined)

    def _prove_piece(self, level: int, index: int) -> _Proven:
        """The same, with all levels below in memory."""
        tiles = [self._pages.read(self._tree, self._tiles(z, level, index)) for z in range(level + 1)]
        lowest = np.full(TRACKS_PER_BLOCK, level + 1)  # level of interior tiles, by slot
        for z in range(level, -1, -1):
            interior = tiles[z].position[~self._tree.leaf[tiles[z].position]]
            lowest[self._tree.slot[interior]] = z
        events = self._entering(self._leaves.add(self._leaves_of(tiles)), lowest)
        proven = _Proven(no_table(), events, no_sums())
        first = min((z for z in range(level + 1) if len(tiles[z])), default=level + 1)
        for z in range(first, level + 1):
            proven = self._prove_level(z, level, index, tiles[z], proven)
        return proven

    def _leaves_of(self, tiles: list[Tiles]) -> Tiles:
        """The leaves among tiles of several levels, in the order (slot, time)."""
        tree = self._tree
        leaves = join_tiles([part.take(np.flatnonzero(tree.leaf[part.position])) for part in tiles])
        at = leaves.position
        return leaves.take(np.lexsort([tree.index[at] << (2 * tree.level[at] + 8), tree.slot[at]]))

    def _entering(self, events: Events, lowest: Ints) -> Events:
        """Events with their entry levels, none of which is below the `lowest` of their slots."""
        return events.with_entry(np.maximum(lowest_binned_level(events.duration), lowest[events.slot]))

    def _prove_level(self, level: int, node_level: int, node: int, tiles: Tiles, below: _Proven) -> _Proven:
        """Proves the tiles of one level in a place in time, given what is below them."""
        tree = self._tree
        interior = np.flatnonzero(~tree.leaf[tiles.position])
        at = tiles.position[interior]
        inner = tiles.take(interior[np.argsort(tile_keys(tree.slot[at], tree.index[at]))])
        sums = sums_of(tree, tiles, self._rows)
        self._compare_sums(level, below.sums.above(), sums_of(tree, inner, self._rows))

        entering = below.pending.take(below.pending.entry == level)
        pending = below.pending.take(below.pending.entry > level)
        node_start, node_stop = node << (2 * node_level + 8), (node + 1) << (2 * node_level + 8)
        start, stop = np.maximum(entering.start, node_start), np.minimum(entering.end, node_stop)
        parts = spread(
            entering.slot * self._rows + entering.row,
            entering.name,
            entering.duration,
            (entering.start >= node_start).astype(np.int64),
            start,
            stop,
            np.full(len(entering), 2 * level),
        )
        table = merge([below.table.above(), parts], TRACKS_PER_BLOCK * self._rows, self._catalogue.names)
        self._compare_individuals(level, inner, pending, node_start, node_stop)
        self._compare_bins(level, inner, table)
        self._tally["individuals"] += len(inner.slices)
        self._tally["bins"] += len(inner.bins)
        return _Proven(table, pending, sums)

    def _compare_sums(self, level: int, expected: TileSums, found: TileSums) -> None:
        """Per tile and row, count and busy time are the sums of those of the four tiles below."""
        keys = ("lane", "tile", "count", "busy")
        k = first_difference(tuple(getattr(expected, c) for c in keys), tuple(getattr(found, c) for c in keys))
        if k is None:
            return
        lane, tile = min((int(sums.lane[k]), int(sums.tile[k])) for sums in (expected, found) if k < len(sums))
        texts = [sums.text(lane, tile) for sums in (found, expected)]
        what = f"row {lane % self._rows}: {texts[0]}, in the tiles below it {texts[1]}"
        raise self._error(level, lane // self._rows, tile, what)

    def _compare_individuals(self, level: int, tiles: Tiles, pending: Events, node_start: int, node_stop: int) -> None:
        """The slices of interior tiles are exactly those that are at least two bins long and overlap the tile."""
        tree = self._tree
        shift = 2 * level + 8
        keys = tile_keys(tree.slot[tiles.position], tree.index[tiles.position])
        events = pending.take(lowest_binned_level(pending.duration) > level)
        first = np.searchsorted(keys, tile_keys(events.slot, np.maximum(events.start, node_start) >> shift))
        last_tile = (np.minimum(events.end, node_stop) - 1) >> shift
        number = np.searchsorted(keys, tile_keys(events.slot, last_tile), side="right") - first
        which = np.repeat(np.arange(len(events)), number)
        tile = ranges(first, number)
        order = np.argsort(tile, kind="stable")
        which, tile = which[order], tile[order]
        found_tile = np.repeat(np.arange(len(tiles)), tiles.slice_counts)
        counts = np.bincount(tile, minlength=len(tiles))
        for k in np.flatnonzero(counts != tiles.slice_counts):
            what = f"{tiles.slice_counts[k]} single slices, from the events there are {counts[k]}"
            raise tree.error(int(tiles.position[k]), what)
        tile_start = tree.index[tiles.position[tile]] << shift
        reaches_in = np.where(events.start[which] < tile_start, int(SliceFlag.REACHES_IN), 0)
        found = tiles.slices
        for column, values in (
            ("ordinal", events.ordinal[which]),
            ("start", events.start[which]),
            ("duration", events.duration[which]),
            ("row", events.row[which]),
            ("name", events.name[which]),
            ("flags", events.flags[which] | reaches_in),
        ):
            for k in np.flatnonzero(values != getattr(found, column)):
                what = f"single slice {found.ordinal[k]}: {column} is {getattr(found, column)[k]}, "
                raise tree.error(int(tiles.position[found_tile[k]]), what + f"from the events it is {values[k]}")

    def _compare_bins(self, level: int, tiles: Tiles, table: BinTable) -> None:
        """The bins of interior tiles are exactly the sums of the table."""
        tree = self._tree
        at = np.repeat(tiles.position, tiles.bin_counts)
        lane = tree.slot[at] * self._rows + tiles.bins.row
        bin = tree.index[at] * BINS_PER_TILE + tiles.bins.bin
        low = int(bin.min()) if len(bin) else 0
        order = order_of((lane, TRACKS_PER_BLOCK * self._rows), (bin - low, int(bin.max(initial=low)) - low + 1))
        bins = tiles.bins
        values = (column[order] for column in (lane, bin, bins.count, bins.busy, bins.name, bins.share, bins.longest))
        keys = tile_keys(tree.slot[tiles.position], tree.index[tiles.position])
        wanted = tile_keys(table.lane // self._rows, table.bin >> 8)
        if len(keys):
            table = table.take(keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] == wanted)
        else:
            table = no_table()
        compare_bins(
            bin_sums(table), BinSums(*values), self._rows, lambda slot, tile, what: self._error(level, slot, tile, what)
        )

    def _error(self, level: int, slot: int, tile: int, what: str) -> DamagedStore:
        return self._catalogue.tile_error(self._tree.block * TRACKS_PER_BLOCK + slot, level, tile, what)
