"""Builds a store: reads the files of a run, lays out their tracks, writes tiles and what belongs to them, publishes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from pathlib import Path

from tilescope.tiler import _native
from tilescope.tiler.build.block_pages import BlockPages, build_block
from tilescope.tiler.build.layout import Layout, PlacedTrack, lay_out
from tilescope.tiler.build.manifest import make_manifest
from tilescope.tiler.build.progress import Progress, ProgressCallback
from tilescope.tiler.build.read import read_files
from tilescope.tiler.build.run import Run
from tilescope.tiler.details import chunk
from tilescope.tiler.pages import TRACKS_PER_BLOCK, compress
from tilescope.tiler.store import keys
from tilescope.tiler.store.generation import Generation, building

Entry = tuple[bytes, bytes]


def build_store(
    files: Sequence[Path],
    store: Path,
    *,
    progress: ProgressCallback | None = None,
    executor: Executor | None = None,
) -> str:
    """Indexes the files of one run into the store at `store`, and publishes it. Returns the build id.

    `executor` runs the blocks: threads by default, one per core, since the work is native and needs no GIL.
    Raises TraceError when a file cannot be read and StoreError when the store cannot be written. Whatever ends the
    build early, nothing of it is left, and what was published before still is.
    """
    report = progress or (lambda _: None)
    with building(store) as generation:
        run = Run(read_files(files, report))
        events = run.events
        report(Progress("build", 0.0, events))
        layout = lay_out([file.summary for file in run.files], run.data_of)
        own = ThreadPoolExecutor(os.cpu_count() or 1) if executor is None else None
        try:
            for done in _write_blocks(generation, layout, run.timeline.end, executor or own):
                report(Progress("build", done, events))
        finally:
            if own is not None:
                own.shutdown(cancel_futures=True)
        report(Progress("publish", 0.0, events))
        generation.data.put_many(_tables(generation.build, run, layout))
    report(Progress("publish", 1.0, events))
    return generation.build


def _write_blocks(
    generation: Generation, layout: Layout, end: int, executor: Executor | None
) -> Iterator[float]:
    """Builds blocks side by side, and writes each as soon as it is there. Yields the fraction that is done."""
    assert executor is not None
    root_level = _native.root_level(end)
    blocks = [layout.tracks[k : k + TRACKS_PER_BLOCK] for k in range(0, len(layout.tracks), TRACKS_PER_BLOCK)]
    # The largest first: a large one begun last would keep one core busy alone.
    order = sorted(range(len(blocks)), key=lambda number: -sum(track.events for track in blocks[number]))
    total = max(1, sum(track.events for track in layout.tracks))
    finished = 0
    futures = {executor.submit(_block_entries, number, root_level, blocks[number]): number for number in order}
    for future in as_completed(futures):
        generation.data.put_many(future.result())
        finished += sum(track.events for track in blocks[futures.pop(future)])
        yield finished / total


def _block_entries(number: int, root_level: int, tracks: Sequence[PlacedTrack]) -> list[Entry]:
    """All that is stored of a block: pages, shape record, arguments."""
    block: BlockPages = build_block(number, root_level, tracks)
    entries = [(keys.page(key), page) for key, page in block.pages]
    entries.append((keys.shape(number), compress(block.shape.encode())))
    for track in tracks:
        if track.data is not None and track.events_with_details:
            for ordinal, args in chunk.split(track.data.args_end, track.data.args):
                entries.append((keys.details(track.id, ordinal), args))
    return entries


def _tables(build: str, run: Run, layout: Layout) -> Iterator[Entry]:
    """All that is stored once for a run."""
    for number, page in enumerate(run.names.pages()):
        yield keys.names(number), page
    for number, file in enumerate(run.files):
        yield keys.args_tables(number), compress(file.summary.args_tables)
    yield keys.TRACKS, compress(_json(layout.to_json()))
    yield keys.MANIFEST, compress(_json(make_manifest(build, run, layout)))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
