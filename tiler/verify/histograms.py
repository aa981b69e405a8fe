"""Compares the histograms of names with the sums of the events in the leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import BUSY_LIMIT, HISTOGRAM_ROWS, Histogram, sum_by_name
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.verify.catalogue import SLICE_KINDS, TrackEntry
from tilescope.tiler.verify.columns import Ints, unequal
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree


def tiles_with_histogram(track: TrackEntry, tree: BlockTree) -> Ints:
    """Positions of the track's tiles that have one."""
    if track.kind not in SLICE_KINDS or track.busy >= BUSY_LIMIT:
        return np.zeros(0, np.int64)
    tiles: Ints = np.flatnonzero((tree.slot == track.slot) & tree.shape.has_histogram)
    return tiles


class HistogramCheck:
    """The records of a block."""

    def __init__(self, store: RunStore, tree: BlockTree, tracks: Sequence[TrackEntry], tally: Tally) -> None:
        self._store = store
        self._tree = tree
        self._tracks = tracks
        self._tally = tally

    def compare(self, tile: int, name: Ints, count: Ints, busy: Ints, self_busy: Ints, longest: Ints) -> None:
        """Holds the record of the tile in this position against its sums, each name once. Raises DamagedStore."""
        track = self._tracks[int(self._tree.slot[tile])].id
        level, index = int(self._tree.level[tile]), int(self._tree.index[tile])
        record = self._store.histogram_record(track, level, index)
        if record is None:
            raise self._tree.error(tile, "its histogram is missing")
        try:
            found = Histogram.decode(inflate(record), track, level)
        except DamagedStore as error:
            raise self._tree.error(tile, f"its histogram is damaged: {error}") from error
        expected = sum_by_name([Histogram(name, count, busy, self_busy, longest)]).first_rows(HISTOGRAM_ROWS)
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
