"""Builds a store: reads the files of a run, lays out their tracks, writes tiles and what belongs to them, publishes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

from tilescope.tiler import _native
from tilescope.tiler.build.block_pages import BlockPages
from tilescope.tiler.build.finished import build_of
from tilescope.tiler.build.flows import Flows
from tilescope.tiler.build.histograms import histograms
from tilescope.tiler.build.layout import Layout, PlacedTrack, lay_out
from tilescope.tiler.build.manifest import make_manifest
from tilescope.tiler.build.progress import Progress, ProgressCallback
from tilescope.tiler.build.read import read_files
from tilescope.tiler.build.run import Run
from tilescope.tiler.build.scratch import Scratch
from tilescope.tiler.details import chunk
from tilescope.tiler.pages import TRACKS_PER_BLOCK, compress
from tilescope.tiler.readers.fingerprint import Fingerprint, take_fingerprints
from tilescope.tiler.store import keys
from tilescope.tiler.store.generation import Generation, building_in
from tilescope.tiler.store.sweep import sweep_in_turn
from tilescope.tiler.store.turn import turn

Entry = tuple[bytes, bytes]
_T = TypeVar("_T")

DEFAULT_MEMORY_BYTES = 1 << 30

# How the memory is shared out; the rest is for readers, compression and Python itself.
_ARRAYS_SHARE = 0.5
_MAPPED_SHARE = 0.15
_BLOCKS_SHARE = 0.2

# Trees and bins of a block while it is built, measured on synthetic traces.
_BLOCK_BYTES_PER_EVENT = 16

# A write transaction holds what it writes in memory: about 48 KB an entry.
_ENTRIES_AT_ONCE = 64


def build_store(
    files: Sequence[Path],
    store: Path,
    *,
    progress: ProgressCallback | None = None,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    workers: int | None = None,
    force: bool = False,
) -> str:
    """Indexes the files of one run into the store at `store`, and publishes it. Returns the build id.

    A store that is an index of these very files is left as it is, unless `force` is set. While another process indexes
    into the same store this one waits, and then takes its result if it is of the same files.

    `memory_bytes` is about what the process may take; what does not fit lies in scratch files beside the store while
    it is built. `workers` threads build tracks and blocks, by default one per core (the work is native, without GIL).
    Raises TraceError when a file cannot be read and StoreError when the store cannot be written. Whatever ends the
    build early, nothing of it is left, and what was published before still is.
    """
    report = progress or (lambda _: None)
    sources = take_fingerprints(files)  # before the first byte is read: what changes meanwhile is indexed again
    with turn(store, on_wait=lambda: report(Progress("wait", 0.0, 0))) as our_turn:
        ready = build_of(store, sources) if our_turn.waited or not force else None
        if ready is not None:
            sweep_in_turn(store)
            return ready
        with building_in(our_turn, sum(source.size_bytes for source in sources)) as generation:
            _build(generation, files, sources, report, memory_bytes, workers or os.cpu_count() or 1)
    return generation.build


def _build(
    generation: Generation,
    files: Sequence[Path],
    sources: Sequence[Fingerprint],
    report: ProgressCallback,
    memory_bytes: int,
    workers: int,
) -> None:
    """Everything between the beginning of a generation and its publication."""
    with (
        closing(_scratch(generation, memory_bytes)) as scratch,
        ThreadPoolExecutor(workers) as executor,
    ):
        try:
            run = Run(read_files(files, scratch, report), scratch)
            events = run.events
            report(Progress("build", 0.0, events))
            data = run.all_data(executor)
            layout = lay_out([file.summary for file in run.files], data.get)
            flows = Flows(run, data, layout)
            for entries in batched(flows.entries(), _ENTRIES_AT_ONCE):
                generation.data.put_many(entries)
            writer = _Writer(generation, int(memory_bytes * _BLOCKS_SHARE / _BLOCK_BYTES_PER_EVENT))
            for done in writer.write_blocks(layout, run.timeline.end, executor):
                generation.wrote(done)
                report(Progress("build", done, events))
            report(Progress("publish", 0.0, events))
            generation.data.put_many(_tables(generation.build, run, layout, flows, sources))
            report(Progress("publish", 1.0, events))
        except BaseException:
            executor.shutdown(cancel_futures=True)
            raise


def _scratch(generation: Generation, memory_bytes: int) -> Scratch:
    return Scratch(generation.scratch, int(memory_bytes * _ARRAYS_SHARE), int(memory_bytes * _MAPPED_SHARE))


class _Writer:
    """Builds blocks side by side, and writes their entries as they come."""

    def __init__(self, generation: Generation, events_at_once: int) -> None:
        self._data = generation.data
        self._writing = threading.Lock()
        self._room = threading.Condition()
        self._events_at_once = events_at_once
        self._events_now = 0

    def write_blocks(self, layout: Layout, end: int, executor: Executor) -> Iterator[float]:
        """Yields the fraction that is done."""
        root_level = _native.root_level(end)
        blocks = [layout.tracks[k : k + TRACKS_PER_BLOCK] for k in range(0, len(layout.tracks), TRACKS_PER_BLOCK)]
        weights = [sum(track.events for track in block) for block in blocks]
        # The largest first: a large one begun last would keep one core busy alone.
        order = sorted(range(len(blocks)), key=lambda number: -weights[number])
        finished, total = 0, max(1, sum(weights))
        futures = {
            executor.submit(self._write_block, number, root_level, blocks[number], weights[number]): weights[number]
            for number in order
        }
        for future in as_completed(futures):
            future.result()
            finished += futures[future]
            yield finished / total

    def _write_block(self, number: int, root_level: int, tracks: Sequence[PlacedTrack], events: int) -> None:
        with self._room_for(events):
            for entries in batched(_block_entries(number, root_level, tracks), _ENTRIES_AT_ONCE):
                with self._writing:
                    self._data.put_many(entries)

    @contextmanager
    def _room_for(self, events: int) -> Iterator[None]:
        """Waits until the trees of so many events fit into memory beside the others; alone, a block always does."""
        with self._room:
            self._room.wait_for(lambda: not self._events_now or self._events_now + events <= self._events_at_once)
            self._events_now += events
        try:
            yield
        finally:
            with self._room:
                self._events_now -= events
                self._room.notify_all()


def _block_entries(number: int, root_level: int, tracks: Sequence[PlacedTrack]) -> Iterator[Entry]:
    """All that is stored of a block: pages, shape record, histograms, arguments."""
    block = BlockPages(number, root_level, tracks)
    for key, page in block.pages():
        yield keys.page(key), page
    shape = block.shape()
    yield keys.shape(number), compress(shape.encode())
    for track in tracks:
        yield from histograms(track, shape)
        if track.data is not None and track.events_with_details:
            for ordinal, args in chunk.split(track.data.args_end, track.data.args):
                yield keys.details(track.id, ordinal), args


def _tables(build: str, run: Run, layout: Layout, flows: Flows, sources: Sequence[Fingerprint]) -> Iterator[Entry]:
    """All that is stored once for a run."""
    for number, page in enumerate(run.names.pages()):
        yield keys.names(number), page
    for number, file in enumerate(run.files):
        yield keys.args_tables(number), compress(file.summary.args_tables)
    yield keys.TRACKS, compress(_json(layout.to_json()))
    yield keys.MANIFEST, compress(_json(make_manifest(build, run, layout, flows, sources)))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """The items in lists of `size`; the last may be shorter. (In itertools from Python 3.12 on.)"""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
