"""Proves the overview layer: entries of a track anew from its events; those of a rollup from its proven tiles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import BINS_PER_TILE, SliceFlag, select
from tilescope.tiler.pages.overview import FULL, OverviewEntries, OverviewGrid
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.verify.bin_table import BinSums, BinTable, bin_sums, merge, no_table, spread
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Ints, changes
from tilescope.tiler.verify.comparison import first_difference
from tilescope.tiler.verify.page_source import PageSource, Tiles, inflate
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree

# Leaves are read in lots of about so many events.
_PIECE_EVENTS = 250_000


class OverviewCheck:
    """Reads all pages of the layer, then goes over the tracks. After their tiles have been proven."""

    def __init__(
        self, store: RunStore, catalogue: Catalogue, trees: Sequence[BlockTree], pages: PageSource, tally: Tally
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._trees = trees
        self._pages = pages
        self._tally = tally
        self._grid = OverviewGrid.of(catalogue.end)

    def check(self) -> None:
        """Raises DamagedStore."""
        found = OverviewEntries.join([self._page(number) for number in range(self._grid.pages)])
        order = np.argsort(found.track, kind="stable")
        by_track = OverviewEntries(*(getattr(found, column)[order] for column in OverviewEntries.__slots__))
        cuts = np.searchsorted(by_track.track, np.arange(len(self._catalogue.tracks) + 1))
        if len(found) != cuts[-1] - cuts[0]:
            raise self._error("entries of tracks that do not exist")
        for track, (first, last) in zip(self._catalogue.tracks, pairwise(cuts.tolist()), strict=True):
            entries = OverviewEntries(*(getattr(by_track, column)[first:last] for column in OverviewEntries.__slots__))
            self._compare(track, self._expected(track), entries)
        self._tally["overview_entries"] += len(found)

    def _page(self, number: int) -> OverviewEntries:
        record = self._store.overview(number)
        if record is None:
            raise self._error(f"page {number} is missing")
        try:
            page = OverviewEntries.decode(inflate(record), self._grid.level, number)
        except DamagedStore as error:
            raise self._error(f"page {number} is damaged: {error}") from error
        key = page.bin * (len(self._catalogue.tracks) + 1) + page.track
        if (np.diff(key) <= 0).any() or len(page) != len(page.page(number)) or (page.track < 0).any():
            raise self._error(f"page {number}: entries are not in order, or of another page")
        return page

    def _expected(self, track: TrackEntry) -> tuple[Ints, Ints, Ints]:
        """Bins, utilisation and names of a track."""
        if not track.events:
            none = np.zeros(0, np.int64)
            return none, none, none
        if track.kind == TrackKind.COUNTER:
            return self._of_counter(track)
        if track.kind == TrackKind.ROLLUP:
            return self._of_rollup(track)
        return self._of_slices(track)

    def _of_slices(self, track: TrackEntry) -> tuple[Ints, Ints, Ints]:
        tree = self._trees[track.block]
        leaves = tree.shape.leaves(track.slot)
        table = no_table()
        ends = np.cumsum(tree.events[leaves])
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(ends // _PIECE_EVENTS)) + 1, [len(leaves)]])
        for first, last in pairwise(cuts.tolist()):
            parts = [table, self._parts(self._pages.read(tree, np.sort(leaves[first:last])))]
            table = merge(parts, track.rows, self._catalogue.names)
        sums = bin_sums(table)
        # Of each bin the busiest row, of equal ones the lowest.
        order = np.lexsort([sums.lane, -sums.busy, sums.bin])
        best = order[changes(sums.bin[order])]
        return self._entries(sums, best, 1)

    def _parts(self, tiles: Tiles) -> BinTable:
        starting = (tiles.slices.flags & SliceFlag.REACHES_IN) == 0
        slices = select(tiles.slices, starting)
        ones = np.ones(len(slices), np.int64)
        end = slices.start + slices.duration
        shift = ones * (2 * self._grid.level)
        return spread(slices.row, slices.name, slices.duration, ones, slices.start, end, shift)

    def _of_rollup(self, track: TrackEntry) -> tuple[Ints, Ints, Ints]:
        tree = self._trees[track.block]
        at = np.flatnonzero((tree.slot == track.slot) & (tree.level == self._grid.level))
        tiles = self._pages.read(tree, at)
        bins = tiles.bins
        bin = np.repeat(tree.index[tiles.position], tiles.bin_counts) * BINS_PER_TILE + bins.bin
        sums = BinSums(bins.row, bin, bins.count, bins.busy, bins.name, bins.share, bins.longest)
        lanes = max(1, sum(self._catalogue.tracks[child].rows for child in track.children))
        return self._entries(sums, np.arange(len(sums)), lanes)

    def _entries(self, sums: BinSums, which: Ints, lanes: int) -> tuple[Ints, Ints, Ints]:
        capacity = lanes << (2 * self._grid.level)
        # As Python's integers: the products need not fit in 64 bits.
        parts = [min(FULL, max(1, -(-FULL * busy // capacity))) for busy in sums.busy[which].tolist()]
        return sums.bin[which], np.array(parts, np.int64), sums.name[which]

    def _of_counter(self, track: TrackEntry) -> tuple[Ints, Ints, Ints]:
        tree = self._trees[track.block]
        samples = self._pages.read(tree, np.sort(tree.shape.leaves(track.slot))).samples
        bins = samples.time >> (2 * self._grid.level)
        used = np.unique(bins)
        least, greatest = float(samples.value.min()), float(samples.value.max())
        parts = []
        for bin in used:
            part = (float(samples.value[bins == bin].max()) - least) / (greatest - least) if greatest > least else 1.0
            parts.append(1 + int((FULL - 1) * part) if greatest - least < np.inf else FULL)
        return used, np.array(parts, np.int64), np.full(len(used), -1, np.int64)

    def _compare(self, track: TrackEntry, expected: tuple[Ints, Ints, Ints], found: OverviewEntries) -> None:
        k = first_difference(expected, (found.bin, found.utilisation, found.name))
        if k is None:
            return
        is_ = [int(values[k]) for values in (found.bin, found.utilisation, found.name)] if k < len(found) else None
        should = [int(values[k]) for values in expected] if k < len(expected[0]) else None
        what = f"in the overview (bin, utilisation, name) is {is_}, from the events it is {should}"
        raise self._catalogue.track_error(track.id, what)

    def _error(self, what: str) -> DamagedStore:
        return DamagedStore(f"{self._catalogue.path}: the overview: {what}")
