"""Proves that a store keeps the promise: from the store alone, tile by tile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.verify.catalogue import SLICE_KINDS, Catalogue
from tilescope.tiler.verify.counters import CounterCheck
from tilescope.tiler.verify.histograms import HistogramCheck
from tilescope.tiler.verify.overview import OverviewCheck
from tilescope.tiler.verify.page_source import PageSource
from tilescope.tiler.verify.records import RecordCheck, read_trees
from tilescope.tiler.verify.report import Tally, VerifyReport
from tilescope.tiler.verify.rollup import RollupCheck
from tilescope.tiler.verify.slice_block import SliceBlockCheck
from tilescope.tiler.verify.totals import check_totals

# Told how much of the work is done, 0 to 1, and what is being checked. May raise Cancelled.
VerifyProgress = Callable[[float, str], None]


def verify_store(path: Path, *, progress: VerifyProgress | None = None) -> VerifyReport:
    """Checks every record of the published store at `path`, and recomputes every tile from the events.

    Raises DamagedStore at the first thing that is wrong, naming track, level and tile; NoStore; StoreVersion.
    """
    store = open_run_store(path)
    try:
        return _verify(store, progress or (lambda _fraction, _what: None))
    finally:
        store.close()


def _verify(store: RunStore, progress: VerifyProgress) -> VerifyReport:
    catalogue = Catalogue.of(store)
    tally: Tally = Counter()
    work = _Work(catalogue, int(store.manifest()["store_bytes"]), progress)
    trees = read_trees(store, catalogue)
    for tree in trees:
        tally["tiles"] += len(tree)
        tally["leaves"] += int(tree.leaf.sum())
    RecordCheck(store, catalogue, trees, tally).check(work.of("records", _TICKS_PER_BYTE))
    check_totals(catalogue)
    pages = PageSource(store)
    for tree in trees:
        SliceBlockCheck(catalogue, tree, pages, tally, work.of("tiles", _TICKS_PER_EVENT)).check()
    for track in catalogue.tracks:
        tally["tracks"] += track.events > 0 and track.kind != TrackKind.ROLLUP
        if track.kind == TrackKind.COUNTER:
            CounterCheck(catalogue, trees[track.block], pages, track, tally).check()
        elif track.kind == TrackKind.ROLLUP:
            tally["rollup_tracks"] += 1
            RollupCheck(catalogue, trees, pages, track, tally, work.of("rollups", _TICKS_PER_EVENT)).check()
        else:
            tally["events"] += track.events  # as counted in the leaves
            done = work.of("histograms", _TICKS_PER_SUMMED_EVENT)
            HistogramCheck(store, catalogue, trees[track.block], pages, track, tally, done).check()
    OverviewCheck(store, catalogue, trees, pages, tally).check()
    progress(1.0, "done")
    return VerifyReport(**tally)


# The work that a byte of any record and an event of a track mean, measured on 10 M events, in nanoseconds.
_TICKS_PER_BYTE = 3
_TICKS_PER_EVENT = 3000
_TICKS_PER_SUMMED_EVENT = 500


class _Work:
    """Turns pieces of work into a fraction of all work."""

    def __init__(self, catalogue: Catalogue, store_bytes: int, progress: VerifyProgress) -> None:
        events = sum(track.events for track in catalogue.tracks if track.kind != TrackKind.COUNTER)
        summed = catalogue.events_of(*SLICE_KINDS) * _TICKS_PER_SUMMED_EVENT
        self._total = max(1, store_bytes * _TICKS_PER_BYTE + events * _TICKS_PER_EVENT + summed)
        self._done = 0
        self._progress = progress

    def of(self, what: str, cost: int) -> Callable[[int], None]:
        """Something to be told of finished work of one sort."""

        def done(amount: int) -> None:
            self._done += amount * cost
            self._progress(min(1.0, self._done / self._total), what)

        return done
