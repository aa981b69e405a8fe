"""Proves the histograms of names: those of tiles with many events, anew from the events of the leaves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import (
    BUSY_LIMIT,
    HISTOGRAM_ROWS,
    Histogram,
    rows_within,
    sum_by_name,
)
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.verify.catalogue import SLICE_KINDS, Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Ints, unequal
from tilescope.tiler.verify.page_source import PageSource, inflate
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree

# Leaves are read in lots of about so many events.
_PIECE_EVENTS = 250_000


def tiles_with_histogram(track: TrackEntry, tree: BlockTree) -> Ints:
    """Positions of the track's tiles that have one."""
    if track.kind not in SLICE_KINDS or track.busy >= BUSY_LIMIT:
        return np.zeros(0, np.int64)
    tiles: Ints = np.flatnonzero((tree.slot == track.slot) & tree.shape.has_histogram)
    return tiles


class HistogramCheck:
    """Goes over the leaves of a track in time order; a tile is complete when its last leaf has been seen."""

    def __init__(
        self,
        store: RunStore,
        catalogue: Catalogue,
        tree: BlockTree,
        pages: PageSource,
        track: TrackEntry,
        tally: Tally,
        done: Callable[[int], None],
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._tree = tree
        self._pages = pages
        self._track = track
        self._tally = tally
        self._done = done
        tiles = tiles_with_histogram(track, tree)
        start, stop = _spans(tree, tiles)
        order = np.lexsort([-stop, start])  # parents before children
        self._tiles, self._start, self._stop = tiles[order], start[order], stop[order]
        self._parent = self._parents()
        self._parts: list[list[Histogram]] = [[] for _ in tiles]  # seen so far, of each

    def check(self) -> None:
        """Raises DamagedStore. Calls `done` with numbers of events that were looked at."""
        if not len(self._tiles):
            self._done(self._track.events)
            return
        tree = self._tree
        leaves = tree.shape.leaves(self._track.slot)
        start, _ = _spans(tree, leaves)
        owner = self._around(np.searchsorted(self._start, start, side="right") - 1, start)
        ends = np.cumsum(tree.events[leaves])
        # Children end before their parents: of equal ends the later in order is the child.
        complete = list(np.lexsort([np.arange(len(self._tiles)), -self._stop]))
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(ends // _PIECE_EVENTS)) + 1, [len(leaves)]])
        for first, last in pairwise(cuts):
            self._add(leaves[first:last], owner[first:last])
            while complete and (last == len(leaves) or self._stop[complete[-1]] <= start[last]):
                self._compare(int(complete.pop()))
            self._done(int(ends[last - 1] - (ends[first - 1] if first else 0)))

    def _parents(self) -> Ints:
        """Number of the next larger tile around each; that of the largest is -1."""
        parent = np.arange(-1, len(self._tiles) - 1)
        around = np.arange(len(self._tiles)) > 0
        parent[around] = self._climb(parent, parent[around], self._start[around])
        return parent

    def _around(self, number: Ints, tick: Ints) -> Ints:
        """The smallest tile around each tick, none of which is beyond tile `number` in order."""
        return self._climb(self._parent, number, tick)

    def _climb(self, parent: Ints, number: Ints, tick: Ints) -> Ints:
        number = number.copy()
        while len(outside := np.flatnonzero(self._stop[number] <= tick)):
            number[outside] = parent[number[outside]]
        return number

    def _add(self, leaves: Ints, owner: Ints) -> None:
        """Adds leaves in time order, each to the smallest tile around it."""
        by_position = np.argsort(leaves)
        tiles = self._pages.read(self._tree, leaves[by_position]).take(np.argsort(by_position))
        first, stop = (np.repeat(edge, tiles.slice_counts) for edge in _spans(self._tree, leaves))
        slices = tiles.slices
        rows = rows_within(slices.start, slices.duration, slices.name, first, stop)
        of = np.repeat(owner, tiles.slice_counts)
        for number in np.unique(owner):
            self._parts[number] = [sum_by_name([*self._parts[number], rows.take(of == number)])]

    def _compare(self, number: int) -> None:
        """Holds the record of a complete tile against its sums, which then go to the tile above."""
        sums = sum_by_name(self._parts[number])
        self._parts[number] = []
        if self._parent[number] >= 0:
            self._parts[self._parent[number]].append(sums)
        tile = int(self._tiles[number])
        level, index = int(self._tree.level[tile]), int(self._tree.index[tile])
        record = self._store.histogram_record(self._track.id, level, index)
        if record is None:
            raise self._tree.error(tile, "its histogram is missing")
        try:
            found = Histogram.decode(inflate(record), self._track.id, level)
        except DamagedStore as error:
            raise self._tree.error(tile, f"its histogram is damaged: {error}") from error
        expected = sums.first_rows(HISTOGRAM_ROWS)
        if len(found) != len(expected):
            what = f"its histogram has {len(found)} names, from the events there are {len(expected)}"
            raise self._tree.error(tile, what)
        for column in Histogram.__slots__:
            should, is_ = getattr(expected, column), getattr(found, column)
            k = unequal(should, is_)
            if k is not None:
                what = f"its histogram, row {k}: {column} is {is_[k]}, from the events it is {should[k]}"
                raise self._tree.error(tile, what)
        self._tally["histograms"] += 1
        self._tally["histogram_rows"] += len(found)


def _spans(tree: BlockTree, tiles: Ints) -> tuple[Ints, Ints]:
    """First tick of each tile, and the first after it."""
    shift = 2 * tree.level[tiles] + 8
    return tree.index[tiles] << shift, (tree.index[tiles] + 1) << shift
