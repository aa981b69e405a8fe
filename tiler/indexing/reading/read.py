"""Reads the files of a run side by side, each in a thread of its own, with progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from os.path import commonpath
from pathlib import Path

from msgspec import Struct

from tilescope.tiler.columns import EventChunk, TraceSummary
from tilescope.tiler.descriptors import allow_open
from tilescope.tiler.errors import Cancelled, DamagedTrace, FormatFailed, TraceError, UnknownFormat
from tilescope.tiler.indexing.meter import READ_TRACKWISE, READ_WHOLE, Meter
from tilescope.tiler.indexing.reading.async_ends import move_async_ends
from tilescope.tiler.indexing.reading.batch import ChunkBatch
from tilescope.tiler.indexing.reading.clocks import align_lost_clocks
from tilescope.tiler.indexing.reading.copied_slices import leave_out_copies
from tilescope.tiler.indexing.reading.device_clocks import align_device_clocks
from tilescope.tiler.indexing.reading.epochs import align_epochs
from tilescope.tiler.indexing.reading.file_events import TraceFile, TrackwiseEvents
from tilescope.tiler.indexing.reading.gather import Gatherer
from tilescope.tiler.indexing.reading.input_waits import place_waits
from tilescope.tiler.indexing.reading.moved_rows import move_rows
from tilescope.tiler.indexing.reading.ranks import files_of_other_times
from tilescope.tiler.indexing.reading.read_ahead import ahead
from tilescope.tiler.indexing.reading.snapshot import FileSnapshot
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.profile import staged, waiting
from tilescope.tiler.readers.ascend.neighbours import Neighbours
from tilescope.tiler.readers.ascend.reader import AscendTableReader
from tilescope.tiler.readers.capture_rank import job_rank
from tilescope.tiler.readers.left_out import LeftOut
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.reader import Reader, TrackwiseReader
from tilescope.tiler.readers.recognise import reader_of
from tilescope.tiler.readers.sources import Sources
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT, TimeUnit
from tilescope.tiler.readers.trace_event.reader import TraceEventReader

_POLL_SECONDS = 0.03

# What has been found is shown after so long, then after twice as long each time, up to the longest: a snapshot of 150
# tracks takes 50 to 100 ms of processor time, mostly Python's, for which the threads that read have to wait.
_SNAPSHOT_SECONDS = 0.5
_LONGEST_SNAPSHOT_SECONDS = 5.0

# Nor sooner than so many times what its summary took: of 8,000 tracks that is 0.1 s, and a quarter of what all of the
# snapshot takes.
_WAIT_PER_SUMMARY = 20

# Of the memory, what chunks of all files may take that wait for more; as much again while they are sorted.
_BATCH_SHARE = 1 / 64

_NAMED_FILES = 20  # of those that cannot be read


class ReadFiles(Struct, frozen=True):
    """The files of a run. What one of them lacks is no reason to lose the others."""

    traces: list[TraceFile | None]  # in the order of the files; None: left out
    left_out: list[str]  # a line each
    is_unconfirmed: bool = False  # that they are of one time was a guess
    separated: Sequence[int] = ()  # numbers of the files that were left out since they are of another time

    @property
    def readable(self) -> list[TraceFile]:
        """Files that could be read."""
        return [trace for trace in self.traces if trace is not None]


class _Reading(Struct):
    """One file while it is being read."""

    path: Path
    sources: Sources
    scratch: Scratch
    room: Room
    stopped: threading.Event
    batch_bytes: int  # of chunks that wait for more
    threads: int  # that it is read with, where one file is read by several
    time_unit: TimeUnit
    neighbours: Neighbours  # all files of the run
    reader: Reader | None = None
    events: int = 0
    trackwise: bool = False
    snapshot: FileSnapshot | None = None  # of a file that is read from end to end
    refusal: TraceError | None = None

    def read(self, executor: Executor | None) -> TraceFile | None:
        """Everything that is read before tracks are built; None, and `refusal`, for a file that cannot be read."""
        try:
            return self._read(executor)
        except (UnknownFormat, DamagedTrace, FormatFailed) as error:
            self.refusal = error  # of its content; limits and such hold for all
            self.snapshot, self.events = None, 0
            return None

    def _read(self, executor: Executor | None) -> TraceFile:
        source = self.sources.open(self.path, self._stop_if_asked)
        reader = self.reader = reader_of(source, scratch_dir=self.scratch.folder, room=self.room)
        if isinstance(reader, TrackwiseReader):
            self.trackwise = True
            with closing(reader.survey(executor)) as steps:
                for _ in steps:
                    self._stop_if_asked()
            events = TrackwiseEvents(reader)
            self.events = events.events
            self.room.check_flow_ends(self.path, events.flow_ends)
            return TraceFile(self.path, reader.size_bytes, events, reader.summary())
        if isinstance(reader, TraceEventReader) and self.time_unit == "ns":
            reader.count_nanoseconds()
        if isinstance(reader, TraceEventReader):
            reader.take_threads(self.threads)
            reader.take_rank(job_rank(self.path, self.sources.max_inflated))
        if isinstance(reader, AscendTableReader):
            reader.take_neighbours(self.neighbours, job_rank(self.path, self.sources.max_inflated))
        texts = reader.pack_arguments() if isinstance(reader, TraceEventReader) else None
        gathered = Gatherer(self.scratch, executor, texts, batch=ChunkBatch(self.batch_bytes))
        try:
            for chunk, summary in ahead(_with_summaries(reader)):
                self._stop_if_asked()
                gathered.add(chunk)
                self.events = gathered.events
                self.room.check(self.path, gathered.tracks)
                self.room.check_flow_ends(self.path, gathered.flow_ends)
                if summary is not None:
                    self.snapshot = FileSnapshot.take(summary, gathered, gathered.census)
        finally:
            gathered.stop()
        reader.close()
        move_rows(gathered, reader.summary())
        place_waits(gathered, reader.summary())
        move_async_ends(gathered, reader.summary(), self.path, self.room)
        return TraceFile(self.path, reader.size_bytes, gathered, reader.summary())

    def _stop_if_asked(self) -> None:
        if self.stopped.is_set():
            raise Cancelled("reading was stopped")


@contextmanager
def read_files(
    files: Sequence[Path],
    scratch: Scratch,
    meter: Meter,
    executor: Executor,
    workers: int,
    on_snapshots: Callable[[Sequence[FileSnapshot | None]], None],
    max_inflated: int | None = None,
    room: Room | None = None,
    time_unit: TimeUnit = DEFAULT_TIME_UNIT,
    is_unconfirmed: bool = False,
    between_looks: Callable[[], None] = lambda: None,
) -> Iterator[ReadFiles]:
    """Reads all files; they stay open within the block. Raises TraceError when none of them can be read.

    Raises TooMany when one of them has more tracks, names, ids or flow ends than there is room for.

    `on_snapshots` gets what has been found so far, whenever that is more than before; `between_looks` is called each
    time that is looked at. `is_unconfirmed`: files that do not overlap the others in time are left out.
    """
    stopped = threading.Event()
    allow_open(len(files))
    with ExitStack() as stack:
        sources = Sources(files, scratch_dir=scratch.folder, max_inflated=max_inflated)
        stack.callback(sources.close)
        room = room or Room()
        at_once = max(1, min(workers, len(files)))
        batch_bytes = int(room.bytes * _BATCH_SHARE) // at_once
        beside = Neighbours(files)
        # Each thread has a block of 4 MB and its columns: of 16 files with 8 threads each there would be 128 at a time.
        threads = min(workers, 1 + workers // at_once)
        readings = [
            _Reading(file, sources, scratch, room, stopped, batch_bytes, threads, time_unit, beside) for file in files
        ]
        sizes = [_size_bytes(file) for file in files]
        meter.bytes_total = sum(sizes)
        stack.callback(_close, readings)
        with ThreadPoolExecutor(at_once, "read") as pool:
            # Several files keep all cores busy by themselves; the tracks of a single one are looked into side by side.
            lines = executor if len(files) == 1 else None
            futures = [pool.submit(staged("reading", reading.read), lines) for reading in readings]
            try:
                _watch(futures, readings, sizes, meter, on_snapshots, between_looks)
                traces = leave_out_copies(_aligned([future.result() for future in futures], is_unconfirmed), room)
            except BaseException:
                stopped.set()
                for future in futures:
                    future.cancel()
                raise
        meter.bytes_read = meter.bytes_total
        read = ReadFiles(traces, _left_out(readings))
        yield _separated(read) if is_unconfirmed else read


def _aligned(files: Sequence[TraceFile | None], is_unconfirmed: bool) -> list[TraceFile | None]:
    """The files on one clock. Files that may be of several runs are left where their times are."""
    aligned = align_device_clocks(align_lost_clocks(files))
    return aligned if is_unconfirmed else align_epochs(aligned)


def _separated(read: ReadFiles) -> ReadFiles:
    """The files without those of another time: they are of another job, or of another cycle."""
    numbers = files_of_other_times(read.traces)
    lines = LeftOut("more files are left out: they overlap none of the files that are shown", _NAMED_FILES)
    traces = list(read.traces)
    for number in numbers:
        trace, traces[number] = traces[number], None
        if trace is not None:
            lines.add(trace.path.name, "overlaps none of the files that are shown, and is a run of its own")
    return ReadFiles(traces, [*read.left_out, *lines.notes()], True, numbers)


def _left_out(readings: Sequence[_Reading]) -> list[str]:
    """The files that cannot be read, and why. Raises TraceError when that is all of them."""
    refused = [(reading.path, reading.refusal) for reading in readings if reading.refusal is not None]
    if refused and len(refused) == len(readings):
        first = refused[0][1]
        if len(refused) == 1:
            raise first
        what = f"{first.what}; of the other {len(refused) - 1:,} files of the run none can be read either"
        raise TraceError(first.path, what, offset=first.offset, advice=first.advice) from first
    lines = LeftOut("more files are left out: they cannot be read", _NAMED_FILES)
    folder = commonpath([reading.path.parent.absolute() for reading in readings])
    for path, error in refused:
        where = "" if error.offset is None else f"byte {error.offset:,}: "
        lines.add(path.absolute().relative_to(folder).as_posix(), where + error.what)
    return lines.notes()


def _watch(
    futures: Sequence[Future[TraceFile | None]],
    readings: Sequence[_Reading],
    sizes: Sequence[int],
    meter: Meter,
    on_snapshots: Callable[[Sequence[FileSnapshot | None]], None],
    between_looks: Callable[[], None],
) -> None:
    """Reports until all files are read, or one of them cannot be."""
    shown: list[FileSnapshot | None] = [None] * len(readings)
    unread = set(futures)
    while unread:
        with waiting("other threads"):
            done, unread = wait(unread, _POLL_SECONDS, return_when="FIRST_EXCEPTION")
        if any(future.exception() is not None for future in done):
            readings[0].stopped.set()
            _raise_first(futures)
        meter.events = sum(reading.events for reading in readings)
        meter.bytes_read = sum(
            min(size, 0 if reading.reader is None else reading.reader.bytes_read())
            for reading, size in zip(readings, sizes, strict=True)
        )
        meter.read_ends = READ_TRACKWISE if any(reading.trackwise for reading in readings) else READ_WHOLE
        meter.tell()
        snapshots = [reading.snapshot for reading in readings]
        if unread and any(new is not old for new, old in zip(snapshots, shown, strict=True)):
            shown = snapshots
            on_snapshots(snapshots)
        between_looks()


def _raise_first(futures: Sequence[Future[TraceFile | None]]) -> None:
    """Raises the error of the first file, in their order, that has one. The others stop on their own."""
    errors = [error for error in (future.exception() for future in futures) if error is not None]
    raise next((error for error in errors if not isinstance(error, Cancelled)), errors[0])


def _with_summaries(reader: Reader) -> Iterator[tuple[EventChunk, TraceSummary | None]]:
    """The reader's chunks; with some of them what the reader knows of the file so far."""
    wait_seconds = _SNAPSHOT_SECONDS
    due = time.monotonic() + wait_seconds
    for chunk in reader.chunks():
        if time.monotonic() < due:
            yield chunk, None
        else:
            begun = time.monotonic()
            summary = reader.summary_so_far()
            summary_seconds = time.monotonic() - begun
            yield chunk, summary
            wait_seconds = max(2 * wait_seconds, _WAIT_PER_SUMMARY * summary_seconds)
            wait_seconds = min(wait_seconds, _LONGEST_SNAPSHOT_SECONDS)
            due = time.monotonic() + wait_seconds


def _close(readings: Sequence[_Reading]) -> None:
    for reading in readings:
        if reading.reader is not None:
            reading.reader.close()


def _size_bytes(file: Path) -> int:
    """Size on disk; 0 for a member of an archive, whose size is known when it is read."""
    return file.stat().st_size if file.is_file() else 0
