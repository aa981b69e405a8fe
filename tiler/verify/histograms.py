"""Compares the histograms of names, of tracks and of blocks, with the sums of the events in the leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import INDEX_BITS, TRACKS_PER_BLOCK, pays
from tilescope.tiler.records.histogram import (
    BLOCK_HISTOGRAM,
    BUSY_LIMIT,
    HISTOGRAM,
    HISTOGRAM_ROWS,
    TRACK_SUMS,
    Histogram,
    sum_by_name,
)
from tilescope.tiler.records.spread import BLOCK_SPREAD, SPREAD, TRACK_SUMS_SPREAD, DurationSpread
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.catalogue import SLICE_KINDS, TrackEntry
from tilescope.tiler.verify.columns import Ints, Mask, unequal
from tilescope.tiler.verify.families import FamilyCheck
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree

# What of a tile the native proof sums per name.
ALONE, TOGETHER = 1, 2


def summed_tiles(tracks: Sequence[TrackEntry], tree: BlockTree) -> tuple[Ints, Ints]:
    """Positions of the tiles that may have a histogram; of the first of those that may have one together."""
    counted = [track for track in tracks if track.kind in SLICE_KINDS and track.events and track.busy < BUSY_LIMIT]
    slots = np.array([track.slot for track in counted], np.int64)
    alone: Ints = np.flatnonzero(np.isin(tree.slot, slots) & tree.shape.has_many_events)
    if sum(track.busy for track in counted) >= BUSY_LIMIT:
        return alone, np.zeros(0, np.int64)
    return alone, tree.shape.many_together(slots)[0]


def what_to_sum(tracks: Sequence[TrackEntry], tree: BlockTree) -> NDArray[np.uint8]:
    """By position. Raises DamagedStore where the shape record says that others have histograms."""
    alone, together = summed_tiles(tracks, tree)
    shape = tree.shape
    for has, may in (
        (shape.has_histogram, alone),
        (shape.has_block_histogram, together),
        (shape.has_track_sums, together),
    ):
        wrong = np.setdiff1d(np.flatnonzero(has), may)
        if len(wrong):
            raise tree.error(int(wrong[0]), "the shape record gives it a histogram, but it has too few events")
    summed = np.zeros(len(tree), np.uint8)
    summed[alone] |= ALONE
    summable = [t.slot for t in tracks if t.kind in SLICE_KINDS and t.busy < BUSY_LIMIT]
    place = (tree.level << INDEX_BITS) | tree.index
    summed[np.isin(place, place[together]) & np.isin(tree.slot, summable)] |= TOGETHER
    return summed


class HistogramCheck:
    """The records of a block."""

    def __init__(
        self, store: Store, tree: BlockTree, tracks: Sequence[TrackEntry], families: FamilyCheck, tally: Tally
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
        rows = sum_by_name([Histogram(*sums)])
        self._families.take(track, level, rows)
        if self._is_stored(tile, rows, self._tree.shape.has_histogram, "histogram"):
            records = self._store.get(HISTOGRAM, track, level, index), self._store.get(SPREAD, track, level, index)
            self._compare(tile, "its", track, records, rows, buckets)

    def compare_together(self, tile: int, sums: tuple[Ints, ...], buckets: tuple[Ints, Ints, Ints]) -> None:
        """The same of all tracks of the block that have a tile of its level and index, of which this is the first."""
        block, level, index = self._tree.block, int(self._tree.level[tile]), int(self._tree.index[tile])
        rows = sum_by_name([Histogram(*sums)])
        if self._is_stored(tile, rows, self._tree.shape.has_block_histogram, "histogram of its block"):
            records = (
                self._store.get(BLOCK_HISTOGRAM, block, level, index),
                self._store.get(BLOCK_SPREAD, block, level, index),
            )
            self._compare(tile, "its block's", block, records, rows, buckets)

    def compare_by_track(self, tile: int, sums: tuple[Ints, ...], buckets: tuple[Ints, Ints, Ints]) -> None:
        """The same, each track by itself: with their slots in place of names."""
        block, level, index = self._tree.block, int(self._tree.level[tile]), int(self._tree.index[tile])
        if not self._tree.shape.has_track_sums[tile]:
            raise self._tree.error(tile, "the shape record gives it no sums of its tracks")
        records = (
            self._store.get(TRACK_SUMS, block, level, index),
            self._store.get(TRACK_SUMS_SPREAD, block, level, index),
        )
        rows = sum_by_name([Histogram(*sums)])
        self._compare(tile, "its tracks'", block, records, rows, buckets, rows_at_most=TRACKS_PER_BLOCK)

    def _is_stored(self, tile: int, rows: Histogram, has: Mask, kind: str) -> bool:
        """True if there should be records. The shape record must agree."""
        is_worth = pays(min(len(rows), HISTOGRAM_ROWS + 1), int(rows.count.sum()))
        if is_worth != bool(has[tile]):
            what = f"the shape record gives it {'no' if is_worth else 'a'} {kind}, with {len(rows)} names"
            raise self._tree.error(tile, what)
        return is_worth

    def _compare(
        self,
        tile: int,
        whose: str,
        owner: int,
        records: tuple[bytes | None, bytes | None],
        rows: Histogram,
        buckets: tuple[Ints, Ints, Ints],
        rows_at_most: int | None = None,
    ) -> None:
        record, spread = records
        level = int(self._tree.level[tile])
        if record is None:
            raise self._tree.error(tile, f"{whose} histogram is missing")
        try:
            stored = Histogram.decode(inflate(record), owner, level)
        except DamagedStore as error:
            raise self._tree.error(tile, f"{whose} histogram is damaged: {error}") from error
        expected = rows.first_rows(rows_at_most or HISTOGRAM_ROWS)
        if len(stored) != len(expected):
            what = f"{whose} histogram has {len(stored)} names, from the events there are {len(expected)}"
            raise self._tree.error(tile, what)
        for column in Histogram.__struct_fields__:
            should, is_ = getattr(expected, column), getattr(stored, column)
            k = unequal(should, is_)
            if k is not None:
                what = f"{whose} histogram, row {k}: {column} is {is_[k]}, from the events it is {should[k]}"
                raise self._tree.error(tile, what)
        self._tally["histograms"] += 1
        self._tally["histogram_rows"] += len(stored)
        self._compare_spread(tile, whose, owner, spread, rows.name, stored, buckets)

    def _compare_spread(
        self,
        tile: int,
        whose: str,
        owner: int,
        record: bytes | None,
        names: Ints,
        stored: Histogram,
        buckets: tuple[Ints, Ints, Ints],
    ) -> None:
        """`names`: of all rows, those included that the last of the stored ones sums up."""
        if record is None:
            raise self._tree.error(tile, f"{whose} spread is missing")
        try:
            stored_spread = DurationSpread.decode(inflate(record), owner, int(self._tree.level[tile]), stored)
        except DamagedStore as error:
            raise self._tree.error(tile, f"{whose} spread is damaged: {error}") from error
        name, bucket, count = buckets
        n_rows = len(stored)
        by_name = np.argsort(names)
        row = np.minimum(by_name[np.searchsorted(names, name, sorter=by_name)], n_rows - 1)
        each = DurationSpread(np.ones(len(row), np.int64), bucket, count)
        expected = each.summed(row, n_rows)
        for column in DurationSpread.__struct_fields__:
            should, is_ = getattr(expected, column), getattr(stored_spread, column)
            if len(should) != len(is_):
                what = f"{whose} spread has {len(is_)} values of {column}, from the events there are {len(should)}"
                raise self._tree.error(tile, what)
            k = unequal(should, is_)
            if k is not None:
                what = f"{whose} spread, value {k}: {column} is {is_[k]}, from the events it is {should[k]}"
                raise self._tree.error(tile, what)
        self._tally["spreads"] += 1
