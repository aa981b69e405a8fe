"""Compares the histograms of names with the sums of the events in the leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import BUSY_LIMIT, HISTOGRAM_ROWS, DurationSpread, Histogram, sum_by_name
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.verify.catalogue import SLICE_KINDS, TrackEntry
from tilescope.tiler.verify.columns import Ints, unequal
from tilescope.tiler.verify.families import FamilyCheck
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

    def __init__(
        self, store: RunStore, tree: BlockTree, tracks: Sequence[TrackEntry], families: FamilyCheck, tally: Tally
    ) -> None:
        self._store = store
        self._tree = tree
        self._tracks = tracks
        self._families = families
        self._tally = tally

    def compare(self, tile: int, sums: tuple[Ints, ...], buckets: tuple[Ints, Ints, Ints]) -> None:
        """Holds the records of the tile in this position against its sums, each name once. Raises DamagedStore.

        `sums` are the columns of a histogram; `buckets`: name, bucket and count of each, in this order.
        """
        track = self._tracks[int(self._tree.slot[tile])].id
        level, index = int(self._tree.level[tile]), int(self._tree.index[tile])
        record = self._store.histogram_record(track, level, index)
        if record is None:
            raise self._tree.error(tile, "its histogram is missing")
        try:
            found = Histogram.decode(inflate(record), track, level)
        except DamagedStore as error:
            raise self._tree.error(tile, f"its histogram is damaged: {error}") from error
        rows = sum_by_name([Histogram(*sums)])
        self._families.take(track, level, rows)
        expected = rows.first_rows(HISTOGRAM_ROWS)
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
        self._compare_spread(tile, rows.name, len(expected), buckets)

    def _compare_spread(self, tile: int, names: Ints, n_rows: int, buckets: tuple[Ints, Ints, Ints]) -> None:
        """`names`: of all rows, those included that the last of `n_rows` sums up."""
        track = self._tracks[int(self._tree.slot[tile])].id
        level, index = int(self._tree.level[tile]), int(self._tree.index[tile])
        record = self._store.spread_record(track, level, index)
        if record is None:
            raise self._tree.error(tile, "its spread is missing")
        try:
            found = DurationSpread.decode(inflate(record), track, level)
        except DamagedStore as error:
            raise self._tree.error(tile, f"its spread is damaged: {error}") from error
        name, bucket, count = buckets
        by_name = np.argsort(names)
        row = np.minimum(by_name[np.searchsorted(names, name, sorter=by_name)], n_rows - 1)
        each = DurationSpread(np.ones(len(row), np.int64), bucket, count)
        expected = each.summed(row, n_rows)
        for column in DurationSpread.__slots__:
            should, is_ = getattr(expected, column), getattr(found, column)
            if len(should) != len(is_):
                what = f"its spread has {len(is_)} values of {column}, from the events there are {len(should)}"
                raise self._tree.error(tile, what)
            k = unequal(should, is_)
            if k is not None:
                what = f"its spread, value {k}: {column} is {is_[k]}, from the events it is {should[k]}"
                raise self._tree.error(tile, what)
        self._tally["spreads"] += 1
