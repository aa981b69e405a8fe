"""Proves that a store keeps the promise: from the store alone, tile by tile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import UsageError
from tilescope.tiler.memory_limits import memory_errors
from tilescope.tiler.store import open_store
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.blocks import BlockCheck
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.families import FamilyCheck
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.outliers import OutlierCheck
from tilescope.tiler.verify.overview import OverviewCheck
from tilescope.tiler.verify.records import RecordCheck, read_trees
from tilescope.tiler.verify.report import Tally, VerifyReport
from tilescope.tiler.verify.rollups import BYTES_PER_EVENT, LayerCheck, layers_of
from tilescope.tiler.verify.totals import check_totals
from tilescope.tiler.verify.tree import BlockTree
from tilescope.tiler.verify.workers import OnProgress, ProofTask, run_tasks, worker_count

# Called with the share of the work that is done, 0 to 1, and what is being checked. May raise Cancelled.
VerifyProgress = Callable[[float, str], None]

# What a verification may take when nothing else is said.
DEFAULT_MEMORY_BYTES = 1 << 30


def verify_store(
    path: Path, *, progress: VerifyProgress | None = None, memory_bytes: int = DEFAULT_MEMORY_BYTES
) -> VerifyReport:
    """Checks every record of the published store at `path`, and recomputes every tile from the events.

    `memory_bytes` is what the proof may take, all threads together, beside what the process has already. Raises
    DamagedStore at the first thing that is wrong, naming track, level and tile; UsageError where the proof of something
    takes more memory; NoStore; StoreVersion; OutOfMemory; and what `progress` raises, when all threads have ended.
    """
    store = open_store(path)
    try:
        with memory_errors():
            return _verify(store, progress or (lambda _fraction, _what: None), memory_bytes)
    finally:
        store.close()


def _verify(store: Store, progress: VerifyProgress, memory_bytes: int) -> VerifyReport:
    if "shards" in store.internals():
        raise UsageError(
            f"{store.location}: is the archive of a run of shards: prove the run (tilescope verify RUN), and compare "
            "it with this (tilescope verify RUN --same-as ARCHIVE)"
        )
    catalogue = Catalogue.read(store)
    check_totals(catalogue)
    OutlierCheck(store, catalogue).check()
    trees = read_trees(store, catalogue)
    overview = OverviewCheck(store, catalogue)
    families = FamilyCheck(store, catalogue)
    tally = Tally(tiles=sum(len(tree) for tree in trees), leaves=sum(int(tree.leaf.sum()) for tree in trees))
    tally += overview.read()
    layers = layers_of([track for track in catalogue.tracks if track.kind == TrackKind.ROLLUP and track.events])
    memory = ProofMemory(store.location, memory_bytes)
    batch_events = max(1, memory_bytes // worker_count() // BYTES_PER_EVENT // _PARTS_OF_MEMORY)

    def records(done: OnProgress) -> Tally:
        return RecordCheck(store, catalogue, trees, memory).check(done)

    def block(tree: BlockTree, done: OnProgress) -> Tally:
        return BlockCheck(store, catalogue, tree, overview, families, memory, done).check()

    def layer(rollups: list[TrackEntry], done: OnProgress) -> Tally:
        return LayerCheck(store, catalogue, trees, rollups, overview, memory, batch_events, done).check()

    tasks = [ProofTask("records", _WORK_PER_BYTE, records)]
    tasks += [ProofTask("tiles", _WORK_PER_EVENT, partial(block, tree)) for tree in trees]
    tasks += [ProofTask("rollups", _WORK_PER_SUMMED_EVENT, partial(layer, rollups)) for rollups in layers]
    events = sum(track.events for track in catalogue.tracks if track.kind != TrackKind.ROLLUP)
    summed = sum(rollup.events for rollups in layers for rollup in rollups)
    work = int(store.manifest()["store_bytes"]) * _WORK_PER_BYTE
    work += events * _WORK_PER_EVENT + summed * _WORK_PER_SUMMED_EVENT

    def report_progress(amount: int, what: str) -> None:
        progress(min(1.0, amount / max(1, work)), what)

    for part in run_tasks(tasks, report_progress, memory.refusal):
        tally += part
    families.finish()
    tally["rollup_tracks"] += sum(track.kind == TrackKind.ROLLUP and not track.events for track in catalogue.tracks)
    progress(1.0, "done")
    return VerifyReport(**tally)


# Of the memory, what the batches of rollups may have; the rest is pages, and what runs on from one to the next.
_PARTS_OF_MEMORY = 4

# The work that a byte of any record, and an event of a track and of a rollup mean: nanoseconds, measured on
# 10 M events.
_WORK_PER_BYTE = 10
_WORK_PER_EVENT = 300
_WORK_PER_SUMMED_EVENT = 150
