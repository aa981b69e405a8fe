"""XSpace: the protobuf that XLA, JAX and TensorFlow profilers write (`*.xplane.pb`).

Three passes: an outline of planes, lines and metadata, a look into each line, then the events of any line, in any order
and several at a time. A plane becomes a process, a line a track, both kept whatever they are called, empty or not.
Lines of counters are looked into once more: each series of numbers is a track.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import (
    Activity,
    Clock,
    EventChunk,
    EventCounts,
    MakeColumn,
    Process,
    SliceColumns,
    SliceFlowEnds,
    Span,
    TickScale,
    TraceSummary,
)
from tilescope.tiler.device_lines import DEVICE_PREFIX
from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.profile import staged, waiting
from tilescope.tiler.readers.attached import Attached
from tilescope.tiler.readers.mapped import MappedBytes
from tilescope.tiler.readers.memory_budget import NAME_BYTES, PROCESS_BYTES, TRACK_BYTES, Room
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.text_damage import find_text_damage
from tilescope.tiler.readers.xspace.attached import XSpaceTables, attach
from tilescope.tiler.readers.xspace.facts import (
    INT64_MAX,
    hostname_of,
    line_start_ns,
    plane_detail,
    profile_start_ns,
    profiler_words,
)
from tilescope.tiler.readers.xspace.names import process_names, process_ranks
from tilescope.tiler.readers.xspace.tracks import LineTrack, correlation_notes, counter_notes, described, line_tracks

ID: Final = "xspace"

_T = TypeVar("_T")

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_CHUNK_ROWS = 1 << 15  # stays in the second-level cache: 3 % less user time than 1 << 18
_CHUNK_ARGS_BYTES = 64 << 20
_STEP_BYTES = 64 << 20
_SLICES_BYTES = 4 << 20  # of the file, whose memory is given back then
_HEAD_BYTES = 1 << 20  # what is looked at to tell how a file was damaged
_ADVICE = "copy the file again or capture again"
_OUTLINE_BYTES = 16 << 20  # of an object elsewhere, and as much for what begins in them
_HEADS_AT_ONCE = 256  # lines, of each of which the system maps 64 kB: those of 4,096 took 260 MB
_SURVEYS_AHEAD = 256  # tasks that wait on the executor


class XSpaceReader:
    """Reads one XSpace: a `TrackwiseReader`. `scratch_dir` is where compressed files are inflated.

    Raises `DamagedTrace` with path, byte offset (of the uncompressed data) and advice, and `TooMany` as soon as it has
    found more than there is `room` for.
    """

    def __init__(self, source: ByteSource, *, scratch_dir: Path | None = None, room: Room | None = None) -> None:
        self.path = source.path
        self.size_bytes = source.size_bytes
        self._source = source
        self._scratch_dir = scratch_dir
        self._room = room or Room()
        self._mapped: MappedBytes | None = None
        self._native: _native.XSpaceFile | None = None
        self._lines: list[_native.XSpaceLine] = []
        self._ranges: list[tuple[int, int]] = []  # bytes of each line
        self._counters: dict[int, _native.XSpaceCounters] = {}  # by line, of those that are lines of counters
        self._tracks: list[LineTrack] = []
        self._starts_ns: list[int] = []
        self._sealed = 0  # where metadata that has been read ends
        self._counting = threading.Lock()
        self._parsed_bytes = 0  # by survey and by decoding together
        self._finished = False
        self._summary = TraceSummary(format=ID)

    @classmethod
    def open(cls, path: Path | str, *, scratch_dir: Path | None = None) -> XSpaceReader:
        """Opens an XSpace, compressed or not. `scratch_dir` is the system's temporary folder by default."""
        return cls(ByteSource.open(path), scratch_dir=scratch_dir)

    def survey(self, executor: Executor | None = None) -> Generator[None, None, None]:
        """Outline, then a look into each line. Without an executor one line after the other."""
        mapped = self._mapped = yield from MappedBytes.mapping(self._source, self._scratch_dir)
        with self._damage(mapped):
            native = self._native = yield from self._outline(mapped)
            self._refuse_mangled(mapped, native)
            planes, ranges = native.planes(), native.line_ranges()
            self._ranges = ranges
            start_ns = profile_start_ns(planes)
            has_clock = start_ns != 0
            if not 0 <= start_ns <= INT64_MAX:
                self._summary.warnings.append(
                    f"profile_start_time {start_ns} is no time in nanoseconds: all times stay as they are in the file"
                )
                start_ns = 0

            def look(line: int) -> int:
                with mapped.hold(*ranges[line]):
                    timestamp_ns = self._survey_line(native, mapped, line)
                start = line_start_ns(timestamp_ns, start_ns)
                native.settle(line, start)
                return start

            for start in _in_order(executor, staged("survey", look), range(len(ranges))):
                self._starts_ns.append(start)
                yield
                # While others are looked into: no core waits for it.
                yield from self._seal(native, mapped, ranges)
            yield from self._seal(native, mapped, ranges)
            mapped.release(0, len(mapped))
            tables = XSpaceTables(native, planes, mapped, lambda: self._damage(mapped))
            if executor is not None:
                executor.submit(staged("argument tables", tables.find))

            def split(line: int) -> int:
                with mapped.hold(*ranges[line]):
                    native.split(line)
                mapped.check()
                return line

            with_counters = [line for line in _heads(mapped, len(ranges)) if native.has_counters(line)]
            for line in _in_order(executor, staged("survey", split), with_counters):
                self._counters[line] = native.counters(line)
                yield
            attached = Attached(self._room)
            attach(attached, native, planes, mapped)
        self._summary.attachments = attached.accepted
        for line in _heads(mapped, len(ranges)):
            with mapped.hold(*ranges[line]):  # its names may stand behind its events
                self._lines.append(native.line(line))
        self._tracks = line_tracks(self._lines, self._counters, self._starts_ns)
        self._describe(native, planes)
        self._summary.args_tables = tables
        self._summary.warnings += attached.notes()
        if start_ns or not has_clock:
            used = (self._starts_ns[track.line] for track in self._tracks if track.events)
            self._summary.clock = Clock(start_ns, max(used, default=0))
        self._describe_cut(native, mapped)
        mapped.check()
        mapped.release(0, len(mapped))  # metadata, which was read beside the lines

    def _outline(self, mapped: MappedBytes) -> Generator[None, None, _native.XSpaceFile]:
        """The outline. Of an object elsewhere it is read by ranges, which leave out large lines."""
        step = _STEP_BYTES if mapped.hold_bytes is None else min(_OUTLINE_BYTES, mapped.hold_bytes)
        native = self._new_native(mapped)
        try:
            position, more = 0, True
            while more:
                with mapped.hold(position, position + 2 * step):
                    more = native.read_outline(position + step)
                    if mapped.hold_bytes is not None:
                        _keep_metadata(mapped, native.line_ranges(), position, native.outline_position)
                mapped.check()
                mapped.release(position, native.outline_position)
                position = native.outline_position
                yield
        except _native.WireError:
            if mapped.hold_bytes is None:
                raise
        else:
            return native
        # It is damaged, or a field was so large that it lacked bytes: of all bytes, the outcome is certain.
        mapped.keep(0, len(mapped))
        native = self._new_native(mapped)
        while native.read_outline(native.outline_position + step):
            yield
        return native

    def _new_native(self, mapped: MappedBytes) -> _native.XSpaceFile:
        return _native.XSpaceFile(mapped.array, self._room.bytes, PROCESS_BYTES, TRACK_BYTES, NAME_BYTES)

    def span_of(self, track: int) -> Span:
        """From when to when a track's events last."""
        return self._tracks[track].span

    def events_of(self, track: int) -> int:
        """Number of slices or samples of a track."""
        return self._tracks[track].events

    def rows_of(self, track: int) -> int:
        """Number of rows of a track's chunks."""
        return self._tracks[track].events + self._tracks[track].flow_ends

    def activity_of(self, track: int) -> Activity | None:
        """Times at which a track is busy, or has samples; None when it has no events."""
        native, line_track = self._native, self._tracks[track]
        assert native is not None
        activity = (
            native.activity(line_track.line)
            if line_track.series is None
            else native.series_activity(line_track.line, line_track.series)
        )
        shift, first, busy_ps = activity
        if not len(busy_ps):
            return None
        start_ps = 1000 * self._starts_ns[line_track.line] + (first << shift)
        return Activity(start_ps, 1 << shift, busy_ps / np.float64(1 << shift))

    def track_chunks(self, track: int) -> Iterator[EventChunk]:
        """A track's events, in chunks of up to 32,768 rows. A flow end follows the event that it belongs to."""
        mapped, native, line_track = self._mapped, self._native, self._tracks[track]
        assert mapped is not None
        assert native is not None
        with self._damage(mapped), mapped.hold(*self._ranges[line_track.line]):
            series = line_track.series
            events = (
                native.events(line_track.line, track)
                if series is None
                else native.samples(line_track.line, series, track)
            )
            position = events.position
            while (columns := events.next(_CHUNK_ROWS, _CHUNK_ARGS_BYTES)) is not None:
                mapped.check()
                self._parsed(mapped, position, events.position)
                position = events.position
                yield EventChunk(**columns)
            mapped.check()

    def track_slices(
        self, track: int, scale: TickScale, names: NDArray[np.int32], make: MakeColumn
    ) -> SliceColumns | None:
        """A track's slices; None for samples of counters, and for what else is on their lines."""
        mapped, native, line_track = self._mapped, self._native, self._tracks[track]
        assert mapped is not None
        assert native is not None
        if line_track.line in self._counters:
            return None
        start, duration, args_end = (cast(Ints, make(line_track.events, np.int64)) for _ in range(3))
        name = cast("NDArray[np.int32]", make(line_track.events, np.int32))
        flags = cast(Bytes, make(line_track.events, np.uint8))
        args = cast(Bytes, make(native.args_room(line_track.line), np.uint8))
        stat = self._summary.tracks[track].correlation
        keys = cast(Ints, make(0 if stat is None else line_track.events, np.int64))
        tick, key, place = (cast(Ints, make(line_track.flow_ends, np.int64)) for _ in range(3))
        ends = SliceFlowEnds(cast(Bytes, make(line_track.flow_ends, np.uint8)), tick, key, place)
        with self._damage(mapped), mapped.hold(*self._ranges[line_track.line]):
            slices = native.slices(
                line_track.line,
                scale.from_ns,
                scale.per_ns,
                scale.rounds,
                names,
                start,
                duration,
                name,
                flags,
                args_end,
                args,
                keys,
                [] if stat is None else list(stat.ids),
                stat is not None and stat.is_on_device,
                ends.phase,
                ends.tick,
                ends.key,
                ends.slice,
            )
            more = True
            while more:
                position = slices.position
                more = slices.advance(position + _SLICES_BYTES)
                mapped.check()
                self._parsed(mapped, position, slices.position)
        args = args[: slices.args_bytes]
        flow_ends = ends if line_track.flow_ends else None
        return SliceColumns(start, duration, name, flags, args_end, args, flow_ends, None if stat is None else keys)

    def chunks(self) -> Iterator[EventChunk]:
        """All events, lines in file order."""
        for _ in self.survey():
            pass
        for track in range(len(self._tracks)):
            yield from self.track_chunks(track)
        self._finished = True

    def bytes_read(self) -> int:
        """Progress in `size_bytes`: inflating is half of the way, the rest is survey and decoding in equal parts."""
        if self._finished:
            return self.size_bytes
        mapped = self._mapped
        inflating = self._source.is_compressed
        if mapped is None:
            return self._source.bytes_read // 2 if inflating else 0
        read = self.size_bytes * min(self._parsed_bytes, 2 * len(mapped)) // max(1, 2 * len(mapped))
        return (self.size_bytes + read) // 2 if inflating else read

    def summary(self) -> TraceSummary:
        """Complete once `survey` or `chunks` is exhausted."""
        return self._summary

    def summary_so_far(self) -> TraceSummary:
        """The summary: it is complete before the first chunk."""
        return self._summary

    def close(self) -> None:
        """Closes and unmaps the file."""
        self._native = None
        if self._mapped is not None:
            self._mapped.close()
        self._source.close()

    def _survey_line(self, native: _native.XSpaceFile, mapped: MappedBytes, line: int) -> int:
        survey = native.survey(line)
        more = True
        while more:
            position = survey.position
            more = survey.advance(position + _STEP_BYTES)
            self._parsed(mapped, position, survey.position)
        mapped.check()
        return native.surveyed(line, survey)

    def _seal(
        self, native: _native.XSpaceFile, mapped: MappedBytes, ranges: Sequence[tuple[int, int]]
    ) -> Iterator[None]:
        """Reads the metadata of planes whose lines have all been looked into."""
        surveyed = len(self._starts_ns)
        while native.seal(surveyed):
            mapped.check()
            # What lies before the next line; others are being read behind it.
            stop = ranges[surveyed][0] if surveyed < len(ranges) else len(mapped)
            mapped.release(self._sealed, stop)
            self._sealed = max(self._sealed, stop)
            yield

    def _parsed(self, mapped: MappedBytes, begin: int, end: int) -> None:
        """Counts bytes that were read, and gives their memory back: a file may be larger than it."""
        mapped.release(begin, end)
        with self._counting:
            self._parsed_bytes += end - begin

    def _describe(self, native: _native.XSpaceFile, planes: Sequence[_native.XSpacePlane]) -> None:
        summary = self._summary
        plane_names = [plane.name for plane in planes]
        named = zip(planes, process_names(planes), process_ranks(plane_names), strict=True)
        for plane, name, rank in named:
            detail = " · ".join(filter(None, [plane.name if name != plane.name else "", plane_detail(plane)]))
            summary.processes.append(
                Process(name, detail, sort_index=rank, is_device=plane.name.startswith(DEVICE_PREFIX))
            )
        summary.hostname = next(filter(None, native.hostnames()), "") or hostname_of(self.path)
        summary.warnings += profiler_words("reported an error", native.errors())
        summary.warnings += profiler_words("warned", native.warnings())
        pairs = native.names()
        summary.names = [name for name, _ in pairs]
        summary.categories = [category for _, category in pairs]
        summary.tracks = described(self._tracks, self._lines, self._counters, planes, summary.names)
        summary.warnings += correlation_notes(planes)
        slices = sum(line.events for line in self._lines)
        samples = sum(counters.sampled for counters in self._counters.values())
        out_of_range = sum(line.out_of_range for line in self._lines)
        summary.counts = EventCounts(
            total=slices + samples + out_of_range, slices=slices, counter_samples=samples, other=out_of_range
        )
        ignored = {
            "time_out_of_range": out_of_range,
            "counter_value_not_finite": sum(counters.not_finite for counters in self._counters.values()),
            "counter_duration": sum(counters.lasting for counters in self._counters.values()),
            "trailing_compressed_bytes": self._source.trailing_bytes,
        }
        summary.ignored.update({reason: count for reason, count in ignored.items() if count})
        summary.warnings += counter_notes(self._counters)
        if not summary.counts.total:
            summary.warnings.append("the trace holds no events")

    def _describe_cut(self, native: _native.XSpaceFile, mapped: MappedBytes) -> None:
        """Says what is missing of a file that was cut short. Raises `DamagedTrace` when nothing is left of it."""
        cut, summary = native.cut(), self._summary
        if cut is None and not self._source.is_cut_short:
            return
        what, offset, plane = cut or (self._source.problem, len(mapped), -1)
        where = self._source.counted
        if not summary.counts.total:
            what = f"{what}{where}, and no whole event is before that"
            raise DamagedTrace(self.path, what, offset=offset, advice=_ADVICE)
        count = summary.counts.total
        inside = f", inside the plane {summary.processes[plane].name or '[no name]'}" if plane >= 0 else ""
        text = f"the file is cut short at byte {len(mapped):,}{where}{inside}: {count:,} whole events are kept, "
        text += "what came behind them is missing"
        if plane >= 0 and any(name.startswith("[event ") for name in summary.names):
            text += " (also names: an event whose name is missing is called [event N], by its number in the file)"
        summary.warnings.append(text)

    def _mangled_at(self, mapped: MappedBytes) -> int | None:
        """The byte at which a text conversion has destroyed the file, as far as its head tells."""
        with mapped.hold(0, _HEAD_BYTES):
            return find_text_damage(mapped.array[:_HEAD_BYTES].tobytes())

    def _refuse_mangled(self, mapped: MappedBytes, native: _native.XSpaceFile) -> None:
        """A file that a text conversion has destroyed may look as if it was cut. Raises `DamagedTrace`."""
        mangled_at = self._mangled_at(mapped) if native.cut() is not None else None
        if mangled_at is not None:
            raise self._mangled(mangled_at)

    def _mangled(self, offset: int) -> DamagedTrace:
        what = "a text conversion has destroyed this file: bytes were replaced by U+FFFD (EF BF BD)"
        return DamagedTrace(self.path, what, offset=offset, advice="copy the original again as binary data")

    @contextmanager
    def _damage(self, mapped: MappedBytes) -> Iterator[None]:
        """Turns what the native reader met into a `DamagedTrace`, or `ChangedTrace`."""
        try:
            yield
        except _native.LimitReached as error:
            mapped.check()
            raise self._room.error(self.path, error.args[0]) from error
        except _native.WireError as error:
            mapped.check()
            what, offset = error.args
            mangled_at = self._mangled_at(mapped)
            if mangled_at is not None:
                raise self._mangled(mangled_at) from error
            raise DamagedTrace(self.path, what + self._source.counted, offset=offset, advice=_ADVICE) from error


def _heads(mapped: MappedBytes, lines: int) -> Iterator[int]:
    """The numbers of lines of which little is looked at: what the system has read around that is given back."""
    for line in range(lines):
        yield line
        if line % _HEADS_AT_ONCE == _HEADS_AT_ONCE - 1:
            mapped.release(0, len(mapped))


def _line_head_bytes(size_bytes: int) -> int:
    """Bytes of a line's tag and length, as short as they can be: whatever else stands between lines is metadata."""
    return 1 + max(1, -(-size_bytes.bit_length() // 7))


def _keep_metadata(mapped: MappedBytes, ranges: Sequence[tuple[int, int]], start: int, stop: int) -> None:
    """Keeps what lies between lines in [start, stop): it is read wherever names and arguments are needed."""
    position = start
    for begin, end in [*ranges, (stop, stop)]:
        if begin >= start and begin - position > _line_head_bytes(end - begin):
            mapped.keep(position, begin)
        position = max(position, end)


def _in_order(executor: Executor | None, work: Callable[[int], _T], items: Iterable[int]) -> Iterator[_T]:
    """Results in the order of the items; so the first error is that of the first item that has one."""
    if executor is None:
        yield from map(work, items)
        return
    futures: deque[Future[_T]] = deque()
    try:
        for item in items:
            futures.append(executor.submit(work, item))
            if len(futures) >= _SURVEYS_AHEAD:
                yield _result(futures)
        while futures:
            yield _result(futures)
    finally:
        wait([future for future in futures if not future.cancel()])  # nobody reads when the file is closed


def _result(futures: deque[Future[_T]]) -> _T:
    with waiting("other threads"):
        return futures.popleft().result()
