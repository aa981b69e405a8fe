"""Trace-event JSON: what Chrome, PyTorch (Kineto), MindSpore, Fuchsia and many others write.

The native stream finds the events, in any of the layouts in use and however damaged; docs/formats.md says how they
become tracks, and how they are counted. Here it is fed, and what it found is put into words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tilescope.tiler import _native
from tilescope.tiler.columns import DeviceFile, EventChunk, EventCounts, JobRank, TraceSummary
from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers.attached import MAX_ATTACHMENTS, Attached
from tilescope.tiler.readers.layouts.ascend_names import device_place, is_first_timeline
from tilescope.tiler.readers.layouts.pytorch_head import DISTRIBUTED, PYTORCH_MEMBERS, parse_distributed
from tilescope.tiler.readers.layouts.rank_names import host_in_name, rank_name
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.other_tools import other_tool
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.trace_event.blocks import default_workers, read_blocks
from tilescope.tiler.readers.trace_event.fields import JsonFields
from tilescope.tiler.readers.trace_event.process_hosts import MAX_HOSTS_BYTES, PROCESS_HOSTS, parse_hosts
from tilescope.tiler.readers.trace_event.tracks import TrackNames

ID: Final = "trace_event_json"

_DISTRIBUTED_BYTES: Final = 16 << 20  # groups of a hundred thousand ranks

_ADVICE = "Tilescope reads an array of trace events, or an object with such an array as its traceEvents"


class TraceEventReader:
    """Reads one trace-event JSON file.

    Raises `UnknownFormat` for JSON, or text, that is no trace, and `TooMany` as soon as it has found more names than
    there is `room` for.
    """

    def __init__(
        self,
        source: ByteSource,
        workers: int | None = None,
        room: Room | None = None,
        *,
        scratch_dir: Path | None = None,
    ) -> None:
        """Reads with so many threads, by default with one per core. `scratch_dir`: for what it has beside events."""
        self.path = source.path
        self.size_bytes = source.size_bytes
        self._source = source
        self._workers = workers or default_workers()
        self._room = room or Room()
        self._stream = _native.TraceEventStream(MAX_ATTACHMENTS)
        self._nanoseconds = False
        self._rank_beside: JobRank | None = None
        self._texts: _native.PackedTexts | None = None
        self._fields = JsonFields(scratch_dir)
        self._first_block = b""  # an object that ends within it gives no names of members
        self._summary = TraceSummary(format=ID)

    @classmethod
    def open(cls, path: Path | str) -> TraceEventReader:
        """Opens a file, compressed or not."""
        return cls(ByteSource.open(path))

    def count_nanoseconds(self) -> None:
        """Takes the times in the file for nanoseconds, not microseconds. Before everything else."""
        self._nanoseconds = True
        self._stream = _native.TraceEventStream(MAX_ATTACHMENTS, nanoseconds=True)

    def take_threads(self, threads: int) -> None:
        """Reads with no more threads. Before everything else."""
        self._workers = min(self._workers, threads)

    def take_rank(self, rank: JobRank | None) -> None:
        """Takes the rank that files beside it say, for where it says none itself. Before everything else."""
        self._rank_beside = rank

    def pack_arguments(self) -> _native.PackedTexts:
        """Has the arguments of all chunks packed, and returns what unpacks them once the file has been read.

        Before `chunks`.
        """
        self._texts = _native.PackedTexts()
        self._stream.pack_arguments(self._texts)
        return self._texts

    def chunks(self) -> Iterator[EventChunk]:
        """Chunks of events in file order: those of a block of text each, for most files. Worker threads read ahead."""
        stream = self._stream
        try:
            for block, part in read_blocks(self._source, self._workers, self._texts, nanoseconds=self._nanoseconds):
                self._first_block = self._first_block or bytes(block)
                stream.feed(block, part)
                self._fields.take(stream)
                self._room.check(
                    self.path,
                    processes=stream.process_count,
                    threads=stream.thread_count,
                    names=stream.name_count,
                    text_bytes=stream.name_bytes,
                    ids=stream.id_count,
                    id_bytes=stream.id_bytes,
                )
                while stream.chunk_ready:
                    yield EventChunk(*stream.take())
            stream.finish()
            self._fields.take(stream)
        except _native.NotTraceJson as error:
            what, offset, line, column = error.args
            raise UnknownFormat(
                self.path, f"{what} (line {line}, column {column}{self._source.counted})", offset=offset, advice=_ADVICE
            ) from None
        while stream.rows:
            yield EventChunk(*stream.take())
        self._complete()

    def bytes_read(self) -> int:
        """Bytes of the file as it lies on disk."""
        return self._source.bytes_read

    def summary(self) -> TraceSummary:
        """Complete when `chunks` is exhausted."""
        return self._summary

    def summary_so_far(self) -> TraceSummary:
        """Processes and tracks of the events that have been taken."""
        summary = TraceSummary(format=ID)
        self._describe_tracks(summary)
        return summary

    def close(self) -> None:
        """Closes the source."""
        self._source.close()

    def _complete(self) -> None:
        stream, summary = self._stream, self._summary
        read, written = stream.read(), stream.written()
        self._refuse_what_is_no_trace(bool(stream.written_total or written))
        summary.counts = count_events(read, stream.written_total)
        summary.ignored = stream.ignored()
        if self._source.trailing_bytes:
            summary.ignored["trailing_compressed_bytes"] = self._source.trailing_bytes
        pairs = stream.names()
        summary.names = [name for name, _ in pairs]
        summary.categories = [category for _, category in pairs]
        self._describe_tracks(summary)
        attached = Attached(self._room)
        self._fields.attach(attached, stream)
        summary.attachments = attached.accepted
        summary.warnings = [*self._warnings(), *attached.notes()]

    def _describe_tracks(self, summary: TraceSummary) -> None:
        hosts = parse_hosts(self._fields.text_of(PROCESS_HOSTS, MAX_HOSTS_BYTES))
        names = TrackNames(self._stream, self.path.name, summary.names, hosts, summary.categories)
        summary.processes = names.processes
        summary.tracks = names.tracks
        summary.moves = names.moves
        summary.waits = names.waits
        summary.labels = names.labels
        summary.hostname = self._stream.host_name
        summary.rank = self._rank() or self._rank_beside
        streams = names.streams
        if streams is None and is_first_timeline(self.path):
            streams = [""] * len(names.tracks)  # no other file has its slices
        if streams is not None:
            place = device_place(self.path)
            capture = (
                place.capture if names.streams is not None else ""
            )  # as its tables, which stand in no folder of a capture
            summary.device_file = DeviceFile(capture, place.device, streams)
        summary.base_time_ns = self._stream.base_time_ns or 0

    def _rank(self) -> JobRank | None:
        """The rank that a trace of PyTorch says, or else its name."""
        if not PYTORCH_MEMBERS & self._fields.names:
            return None
        distributed = parse_distributed(self._fields.text_of(DISTRIBUTED, _DISTRIBUTED_BYTES) or "")
        name = self.path.name
        number = rank_name(name).rank if distributed.world_size is None else distributed.rank
        if number is None:
            return None
        return JobRank(number, distributed.world_size, self._stream.host_name or host_in_name(name))

    def _refuse_what_is_no_trace(self, any_event: bool) -> None:
        stream = self._stream
        if any_event:
            return
        if stream.event_array_is_none:
            raise UnknownFormat(self.path, "is JSON, but its traceEvents is not an array", advice=_ADVICE)
        if stream.elements > (0 if stream.has_event_array else 1):
            raise self._no_trace(f'none of its {stream.elements:,} values has a "ph"')
        cut = stream.ended_in not in ("nothing", "complete")
        if stream.ended_in != "nothing" and not stream.has_event_array and not (cut and self._source.truncated):
            raise self._no_trace("it has no traceEvents")

    def _no_trace(self, why: str) -> UnknownFormat:
        tool = other_tool(self._first_block, self._fields.names)
        if tool is not None:
            return UnknownFormat(self.path, f"is {tool.what}, not a trace", advice=tool.advice)
        return UnknownFormat(self.path, f"is JSON, but not a trace: {why}", advice=_ADVICE)

    def _warnings(self) -> list[str]:
        stream = self._stream
        total = self._summary.counts.total
        warnings = []
        if self._source.problem is not None:
            warnings.append(f"{self._source.problem}: what could be read was kept, {_events(total)}")
        ended_in = {
            "array": "the closing ] is missing",
            "object": "the closing } is missing",
            "value": "the file ends inside a member of its outer object",
            "event": f"the file ends inside an event (byte {stream.cut_offset:,}{self._source.counted})",
        }.get(stream.ended_in)
        if ended_in is not None:
            warnings.append(f"{ended_in}: the trace was cut short, and {_events(total)} kept")
        elif total == 0:
            warnings.append("the trace is empty: there is no event in it")
        out_of_range = self._summary.ignored.get("ts_out_of_range", 0)
        # Few are damage, most are another unit.
        if 2 * out_of_range > total and not self._nanoseconds:
            warnings.append(
                f"{_out_of(out_of_range, total)} beyond the range of times: ts is in microseconds, and these look like "
                "nanoseconds; read them as such with --time-unit ns (time_unit in Python)"
            )
        if stream.base_time_differs:
            warnings.append("there are several baseTimeNanoseconds: the first one was used for all events")
        damaged = sum(self._summary.ignored.get(reason, 0) for reason in ("damaged_event", "oversized_event"))
        if damaged:
            places = "1 place" if damaged == 1 else f"{damaged:,} places"
            warnings.append(f"damaged JSON in {places}: what events there were is skipped")
        unescaped = self._summary.ignored.get("unescaped_quotes", 0)
        if unescaped:
            events = "1 event has" if unescaped == 1 else f"{unescaped:,} events have"
            warnings.append(f"{events} quotes that are not escaped in a text: what was meant is a guess")
        deep = self._summary.ignored.get("nested_too_deep", 0)
        if deep:
            warnings.append(f"{deep:,} {'value' if deep == 1 else 'values'} nested more than 256 deep: cut there")
        return [*warnings, *self._samples_not_shown()]

    def _samples_not_shown(self) -> list[str]:
        samples, profiles = self._stream.samples, self._stream.v8_profiles
        lines = []
        if samples:
            lines.append(f"{samples:,} {'sample' if samples == 1 else 'samples'} of a profiler: not shown yet")
        if profiles:
            what = (
                "1 event Profile or ProfileChunk has"
                if profiles == 1
                else f"{profiles:,} events Profile and ProfileChunk have"
            )
            lines.append(f"{what} samples of V8's CPU profiler, which are not shown yet")
        return lines


def _out_of(part: int, total: int) -> str:
    """As the beginning of a sentence: `all 10 events are`."""
    if part == total:
        return "the only event is" if total == 1 else f"all {total:,} events are"
    return f"{part:,} of {total:,} events {'is' if part == 1 else 'are'}"


def _events(count: int) -> str:
    return "1 whole event" if count == 1 else f"{count:,} whole events"


def count_events(read: Mapping[str, int], total: int) -> EventCounts:
    """Events by phase letter as `EventCounts`; docs/formats.md has the same formulas.

    `read` counts what became rows, `total` all events as written, M not counted.
    """

    def count(phases: str) -> int:
        return sum(read.get(phase, 0) for phase in phases)

    counts = EventCounts(
        total=total,
        slices=count("XB"),
        instants=count("iIPRnTp"),
        counter_samples=count("C"),
        async_slices=count("bS"),
        flow_ends=count("stf"),
    )
    shown = counts.slices + counts.instants + counts.counter_samples + counts.async_slices + counts.flow_ends
    counts.other = total - shown - count("EeF")
    return counts
