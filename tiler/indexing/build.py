"""Builds a store: reads the files of a run, lays out their tracks, writes tiles and what belongs to them, publishes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

from tilescope.tiler import _native
from tilescope.tiler.errors import TraceError
from tilescope.tiler.garbage import seldom_collected
from tilescope.tiler.indexing.builder import Builder
from tilescope.tiler.indexing.free_memory import FreeMemory
from tilescope.tiler.indexing.meter import Meter
from tilescope.tiler.indexing.output.finished import build_of
from tilescope.tiler.indexing.output.manifest import ManifestParts
from tilescope.tiler.indexing.output.tables import ENTRIES_AT_ONCE, batched, tree_entries
from tilescope.tiler.indexing.preview import Preview
from tilescope.tiler.indexing.priorities import Priorities
from tilescope.tiler.indexing.progress import BuildProgress, ProgressCallback
from tilescope.tiler.indexing.reading.axis import RunAxis
from tilescope.tiler.indexing.reading.read import ReadFiles, read_files
from tilescope.tiler.indexing.reading.snapshot import FileSnapshot
from tilescope.tiler.indexing.reading.unchanged import unchanged
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.decoding_tables import DecodingTables
from tilescope.tiler.indexing.tracks.findings import Findings
from tilescope.tiler.indexing.tracks.layout import lay_out
from tilescope.tiler.indexing.tracks.recorder import Recording
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.memory_limits import memory_errors
from tilescope.tiler.profile import stage
from tilescope.tiler.readers.fingerprint import Fingerprint, archive_of, take_fingerprints
from tilescope.tiler.readers.memory_budget import FLOW_END_BYTES, Room
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT, TimeUnit
from tilescope.tiler.records.overview import OVERVIEW, OverviewGrid
from tilescope.tiler.records.tracks import BLOCK_TRACKS
from tilescope.tiler.store.build_lock import turn
from tilescope.tiler.store.generation import Generation, building_in
from tilescope.tiler.store.readership import folder_mode
from tilescope.tiler.store.store import Entry
from tilescope.tiler.store.sweep import sweep_in_turn
from tilescope.tiler.system import processors

DEFAULT_MEMORY_BYTES = 1 << 30

# How the memory is shared out. The rest is for readers, names, trees, compression, gaps between pieces, pages of the
# store that is written, and Python itself: with 100 million events as much as all shares together. Columns of blocks
# that are in work have the working share, and lie in files beyond it. How many blocks are in work goes by the blocks'
# share: two of 2.7 million rows (10 million events on 120 tracks), else many threads wait for the end of one. With 0.17
# there was one, 0.67 GB were resident at the peak with 16 threads, and 0.71 to 0.78 GB with 0.25 (2026-11-30).
_KEPT_SHARE = 0.15
_WORKING_SHARE = 0.16
_BLOCKS_SHARE = 0.25
_MAPPED_SHARE = 0.05

# Where the slices of all tracks take no more, rollups keep all of them in memory, and tracks are built from the same
# columns: such a run leaves parts of other shares unused. Else all of them go to a file, packed: with those of the
# first tracks in memory, columns of blocks had no room there, and 100 million events took 10.9 s of system time in one
# run, instead of 6.0 to 7.9 s in four (2026-11-26).
_ALL_SLICES_SHARE = 0.25
_BYTES_PER_SLICE = 20
_WORKING_BESIDE_SLICES_SHARE = 0.08

# Of a block while it is built: 25 bytes of columns, and trees and bins, 16 on synthetic traces; rounded up.
_BLOCK_BYTES_PER_ROW = 45

# A run with fewer events is built in the blink of an eye: nothing is shown of it before.
_PREVIEW_EVENTS = 500_000


def build_store(
    files: Sequence[Path],
    store: Path,
    *,
    progress: ProgressCallback | None = None,
    priorities: Priorities | None = None,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    max_inflated: int | None = None,
    time_unit: TimeUnit = DEFAULT_TIME_UNIT,
    workers: int | None = None,
    executor: Executor | None = None,
    force: bool = False,
    is_unconfirmed: bool = False,
    axis: RunAxis | None = None,
) -> str:
    """Indexes the files of one run into the store at `store`, and publishes it. Returns the build id.

    A store that is an index of these very files is left as it is, unless `force` is set. While another process indexes
    into the same store this one waits, and then takes its result if it is of the same files.

    `memory_bytes` is about what the process may take; what does not fit lies in scratch files beside the store while
    it is built. `workers` tasks build tracks side by side, by default one per processor that this process may use: on
    `executor`, whose threads share this process's memory, by default one made for the purpose. `priorities` says which
    blocks are wanted first. While it is built, the generation can be read by another process: see BuildProgress.

    `max_inflated` is to how many bytes one file may inflate, an archive with all that is in it; by default 100 times
    its size and at least 1 GiB. `time_unit` is that of times in JSON traces: files that were read in another unit count
    as other files. A file that cannot be read is left out, with a warning, if there are others.
    `is_unconfirmed`: so is one that overlaps none of those that are shown (see `DiscoveredRun.is_unconfirmed`).
    `axis`: that of the run of which these files are a part; by default the finest for the files themselves.

    Raises TraceError when no file can be read, StoreError when the store cannot be written, OutOfMemory. Whatever
    ends the build early, nothing of it is left, and what was published before still is.
    """
    report = progress or (lambda _: None)
    workers = workers or processors()
    sources = take_fingerprints(
        files, time_unit
    )  # before the first byte is read: what changes meanwhile is indexed again
    try:
        mode = folder_mode([archive_of(file) for file in files], store.parent)
    except OSError as error:
        raise TraceError(files[0], f"cannot be opened: {error.strerror or error}") from error
    with (
        turn(store, on_wait=lambda: report(BuildProgress("wait", 0.0, 0)), mode=mode) as our_turn,
        ExitStack() as stack,
    ):
        is_reusable = our_turn.waited or not force
        axis_id = axis.id if axis else None
        ready = build_of(store, sources, is_unconfirmed=is_unconfirmed, axis=axis_id) if is_reusable else None
        if ready is not None:
            sweep_in_turn(store)
            return ready
        stack.enter_context(memory_errors())
        stack.enter_context(seldom_collected())
        pool = executor or stack.enter_context(ThreadPoolExecutor(workers, "build"))
        size_bytes = sum(source.size_bytes for source in sources)
        with stage("main thread"), building_in(our_turn, size_bytes, mode) as generation, unchanged(files):
            meter = Meter(report, generation.build)
            _build(
                generation,
                files,
                sources,
                meter,
                priorities or Priorities(),
                memory_bytes,
                max_inflated,
                time_unit,
                pool,
                workers,
                is_unconfirmed,
                axis,
            )
    return generation.build


def _build(
    generation: Generation,
    files: Sequence[Path],
    sources: Sequence[Fingerprint],
    meter: Meter,
    priorities: Priorities,
    memory_bytes: int,
    max_inflated: int | None,
    time_unit: TimeUnit,
    executor: Executor,
    workers: int,
    is_unconfirmed: bool,
    axis: RunAxis | None,
) -> None:
    """Everything between the beginning of a generation and its publication."""
    room = Room(memory_bytes)
    free_memory = FreeMemory(room.bytes)
    folder, mapped_bytes = generation.scratch, int(memory_bytes * _MAPPED_SHARE)
    preview = Preview(generation, files, sources, meter)
    with (
        closing(Scratch(folder, int(memory_bytes * _KEPT_SHARE), mapped_bytes)) as kept,
        read_files(
            files,
            kept,
            meter,
            executor,
            workers,
            preview.show,
            max_inflated,
            room,
            time_unit,
            is_unconfirmed,
            free_memory.release_when_full,
        ) as read,
        ExitStack() as while_built,
    ):
        traces = read.readable
        summaries = [file.summary for file in traces]
        room.check(
            files[0] if len(files) == 1 else files[0].parent,
            tracks=sum(len(summary.tracks) for summary in summaries),
            processes=sum(len(summary.processes) for summary in summaries),
            names=sum(len(summary.names) for summary in summaries),
        )
        run = RunFiles(traces, read.left_out, axis)
        paths = [file.path for file in traces]
        layout = lay_out(
            summaries, lambda file, track: traces[file].events.rows_of(track), paths, is_shard=axis is not None
        )
        meter.events, meter.tracks = run.events, len(layout.tracks)
        has_preview = bool(meter.revision) or run.events >= _PREVIEW_EVENTS
        snapshots = [
            FileSnapshot.take(file.summary, file.events) if file and has_preview else None for file in read.traces
        ]
        rollup_bytes, working_bytes = _shared_out(run.events, memory_bytes)
        working = while_built.enter_context(closing(Scratch(folder, working_bytes, mapped_bytes)))
        end = run.timeline.end
        recording = Recording(
            run,
            layout,
            DecodingTables(run),
            kept,
            working,
            _native.root_level(end),
            OverviewGrid.of(end),
            has_preview=has_preview,
            most_flow_ends=room.bytes // FLOW_END_BYTES,
        )
        builder = Builder(recording, generation, meter, rollup_bytes, room, free_memory, is_shown=has_preview)
        rows_at_once = int(memory_bytes * _BLOCKS_SHARE / _BLOCK_BYTES_PER_ROW)

        def show() -> None:
            if has_preview:
                with stage("preview"):
                    preview.show_all(snapshots, run.timeline, layout, run.names)
            meter.phase, meter.blocks = "build", builder.blocks
            meter.tell(now=True)

        builder.build(executor, workers, priorities, rows_at_once, show)
        meter.phase = "publish"
        meter.tell(now=True)
        with stage("last records"):
            generation.data.begin_flush()
            for entries in batched(
                _last_entries(generation.build, recording, builder, sources, read, axis), ENTRIES_AT_ONCE
            ):
                generation.data.put_many(entries)
            stale = [OVERVIEW.key(page) for page in preview.stale_pages(recording.grid.pages)]
            if has_preview:
                stale += [BLOCK_TRACKS.key(block) for block in range(builder.blocks)]
            generation.data.remove(stale)
        meter.finished = True
        meter.tell(now=True)


def _shared_out(events: int, memory_bytes: int) -> tuple[int, int]:
    """Bytes of slices that may stay in memory for rollups, and bytes of columns, with these."""
    if events * _BYTES_PER_SLICE > memory_bytes * _ALL_SLICES_SHARE:
        return 0, int(memory_bytes * _WORKING_SHARE)
    rollup_bytes = int(memory_bytes * _ALL_SLICES_SHARE)
    return rollup_bytes, int(memory_bytes * _WORKING_BESIDE_SLICES_SHARE) + rollup_bytes


def _last_entries(
    build: str,
    recording: Recording,
    builder: Builder,
    sources: Sequence[Fingerprint],
    read: ReadFiles,
    axis: RunAxis | None,
) -> Iterator[Entry]:
    """All that is written when tracks and rollups are built."""
    run, findings = recording.run, Findings()
    for recorder in builder.recorders:
        yield from recorder.last()
        recorder.report(findings)
    yield from tree_entries(
        ManifestParts(
            build,
            sources,
            [(file.path, file.size_bytes, run.summary_of(number)) for number, file in enumerate(run.files)],
            run.timeline,
            recording.layout,
            builder.facts,
            len(run.names),
            findings=findings,
            ignored=run.ignored(),
            warnings=run.warnings(),
            is_unconfirmed=read.is_unconfirmed,
            separated=read.separated,
            axis=axis.id if axis else None,
        )
    )
