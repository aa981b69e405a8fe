"""Proves a rollup track: each of its bins is the sum of the events of its tracks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import BINS_PER_TILE, TRACKS_PER_BLOCK, SliceFlag, select
from tilescope.tiler.verify.bin_table import BinSums, BinTable, bin_sums, join_tables, merge, no_table, spread
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Ints, Mask, ranges
from tilescope.tiler.verify.comparison import compare_bins
from tilescope.tiler.verify.events import Events, join, no_events
from tilescope.tiler.verify.page_source import PageSource
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree

# Tiles with at most so many events are proven at one go with all below them.
_PIECE_EVENTS = 250_000

# Parts of slices in bins that are summed at one go: a slice may run through thousands of bins.
_PARTS = 4_000_000


class LeafReader:
    """The events of a rollup's tracks, by time."""

    def __init__(self, trees: Sequence[BlockTree], pages: PageSource, children: Sequence[int]) -> None:
        self._pages = pages
        self._blocks: list[tuple[BlockTree, Ints, Ints, Ints]] = []
        for block in sorted({child // TRACKS_PER_BLOCK for child in children}):
            slots = np.zeros(TRACKS_PER_BLOCK, np.bool_)
            slots[[child % TRACKS_PER_BLOCK for child in children if child // TRACKS_PER_BLOCK == block]] = True
            tree = trees[block]
            leaves = np.flatnonzero(tree.leaf & tree.of_slots(slots))
            shift = 2 * tree.level[leaves] + 8
            self._blocks.append((tree, leaves, tree.index[leaves] << shift, (tree.index[leaves] + 1) << shift))

    def read(self, start: int, stop: int) -> Events:
        """The events that overlap [start, stop), each once; `slot` is of no use in them."""
        parts = [no_events()]
        for tree, leaves, leaf_start, leaf_stop in self._blocks:
            here = (leaf_start < stop) & (leaf_stop > start)
            tiles = self._pages.read(tree, leaves[here])
            slices = tiles.slices
            first_tick = np.repeat(leaf_start[here], tiles.slice_counts)
            # A slice is taken where it starts or, if that is before `start`, from the leaf in which `start` lies.
            starting = (slices.flags & SliceFlag.REACHES_IN) == 0
            end = slices.start + slices.duration
            wanted = starting & (slices.start >= start) & (slices.start < stop)
            wanted |= (slices.start < start) & (end > start) & (first_tick <= start)
            slices = select(slices, wanted)
            zeros = np.zeros(len(slices), np.int64)
            parts.append(
                Events(zeros, slices.row, slices.start, slices.duration, slices.name, slices.ordinal, zeros, zeros)
            )
        return join(parts)


class RollupCheck:
    """Walks down the tile tree of a rollup as far as tiles hold too many events, and up again."""

    def __init__(
        self,
        catalogue: Catalogue,
        trees: Sequence[BlockTree],
        pages: PageSource,
        track: TrackEntry,
        tally: Tally,
        done: Callable[[int], None],
    ) -> None:
        self._catalogue = catalogue
        self._tree = trees[track.block]
        self._pages = pages
        self._track = track
        self._tally = tally
        self._done = done
        self._events = LeafReader(trees, pages, track.children)
        self._wanted: Mask = self._tree.slot == track.slot

    def check(self) -> None:
        """Raises DamagedStore. Calls `done` with numbers of events that are proven."""
        if self._track.events:
            self._prove(self._catalogue.root_level, 0)

    def _tiles(self, level: int, node_level: int, node: int) -> Ints:
        under = self._tree.under(level, node_level, node)
        tiles: Ints = under.start + np.flatnonzero(self._wanted[under])
        return tiles

    def _prove(self, level: int, index: int) -> BinTable:
        """Proves all tiles at and below a place in time. Returns the sums at its level."""
        tile = self._tiles(level, level, index)
        events = int(self._tree.events[tile].sum())
        if self._tree.terminal[tile].all() or events <= _PIECE_EVENTS:
            table = self._prove_piece(level, index)
            self._done(events)
            return table
        children = [k for k in range(4 * index, 4 * index + 4) if len(self._tiles(level - 1, level - 1, k))]
        below = join_tables([self._prove(level - 1, child) for child in children])
        return self._prove_level(level, tile, [below.above()])

    def _prove_piece(self, level: int, index: int) -> BinTable:
        tree = self._tree
        tiles = [self._tiles(z, level, index) for z in range(level + 1)]
        terminal = np.concatenate([at[tree.terminal[at]] for at in tiles])
        terminal = terminal[np.argsort(tree.index[terminal] << (2 * tree.level[terminal] + 8))]
        start, stop = index << (2 * level + 8), (index + 1) << (2 * level + 8)
        parts = self._parts(terminal, self._events.read(start, stop), start, stop)
        table = no_table()
        first = min(z for z in range(level + 1) if len(tiles[z]))
        for z in range(first, level + 1):
            table = self._prove_level(z, tiles[z], [table.above(), *parts.get(z, [])])
        return table

    def _parts(self, terminal: Ints, events: Events, start: int, stop: int) -> dict[int, list[BinTable]]:
        """The parts of the events in the bins of the terminal tiles in [start, stop), by level."""
        tree = self._tree
        shift = 2 * tree.level[terminal] + 8
        tile_start, tile_stop = tree.index[terminal] << shift, (tree.index[terminal] + 1) << shift
        first_tick = np.maximum(events.start, start)
        stop_tick = np.maximum(np.minimum(events.end, stop), first_tick + 1)  # a slice of length 0 touches its tick
        first = np.searchsorted(tile_stop, first_tick, side="right")
        tiles = np.searchsorted(tile_start, stop_tick, side="left") - first
        event = np.repeat(np.arange(len(events)), tiles)
        tile = ranges(first, tiles)
        begin = np.maximum(events.start[event], tile_start[tile])
        end = np.minimum(events.end[event], tile_stop[tile])
        self._check_cover(events, event, begin, end, start, stop)
        level = tree.level[terminal[tile]]
        starts = (begin == events.start[event]).astype(np.int64)
        bins = (np.maximum(end - 1, begin) >> (2 * level)) - (begin >> (2 * level)) + 1
        parts: dict[int, list[BinTable]] = {}
        for z in np.unique(level):
            at = np.flatnonzero(level == z)
            cuts = np.searchsorted(np.cumsum(bins[at]), np.arange(0, int(bins[at].sum()), _PARTS), side="right")
            for some in np.split(at, cuts[1:]):
                which = event[some]
                rows = spread(
                    np.zeros(len(some), np.int64),
                    events.name[which],
                    events.duration[which],
                    starts[some],
                    begin[some],
                    end[some],
                    2 * level[some],
                )
                parts.setdefault(int(z), []).append(merge([rows], 1, self._catalogue.names))
        return parts

    def _check_cover(self, events: Events, event: Ints, begin: Ints, end: Ints, start: int, stop: int) -> None:
        """The terminal tiles hold every event from its start (or `start`) to its end (or `stop`)."""
        covered = np.zeros(len(events), np.int64)
        np.add.at(covered, event, end - begin)
        wanted = np.minimum(events.end, stop) - np.maximum(events.start, start)
        for k in np.flatnonzero((covered != wanted) | (np.bincount(event, minlength=len(events)) == 0)):
            what = f"an event from tick {events.start[k]} to {events.end[k]} lies where no tile is"
            raise self._catalogue.track_error(self._track.id, what)

    def _prove_level(self, level: int, at: Ints, parts: Sequence[BinTable]) -> BinTable:
        """Proves the tiles of one level in a place in time, given the sums below them."""
        tree = self._tree
        table = merge(parts, 1, self._catalogue.names)
        tiles = self._pages.read(tree, at)
        bins = tiles.bins
        position = np.repeat(tiles.position, tiles.bin_counts)
        counts = np.zeros(len(at), np.int64)
        np.add.at(counts, np.repeat(np.arange(len(at)), tiles.bin_counts), bins.count)
        for k in np.flatnonzero(counts != tree.events[at]):
            raise tree.error(int(at[k]), f"its bins count {counts[k]} events, the shape record {tree.events[at[k]]}")
        bin = tree.index[position] * BINS_PER_TILE + bins.bin
        found = BinSums(bins.row, bin, bins.count, bins.busy, bins.name, bins.share, bins.longest)
        compare_bins(bin_sums(table), found, 1, lambda _, tile, what: self._error(level, tile, what))
        self._tally["rollup_bins"] += len(bins)
        return table

    def _error(self, level: int, tile: int, what: str) -> DamagedStore:
        return self._catalogue.tile_error(self._track.id, level, tile, what)
