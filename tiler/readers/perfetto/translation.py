"""The translation of a trace of Perfetto: packets in the order of the file, each with the state of its sequence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeGuard

from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.perfetto.clocks import MONOTONIC, Clocks
from tilescope.tiler.readers.perfetto.machine_events import MachineEvents
from tilescope.tiler.readers.perfetto.packets import PacketReader
from tilescope.tiler.readers.perfetto.sequence import NEEDS_STATE, STATE_CLEARED, Sequence, text
from tilescope.tiler.readers.perfetto.track_events import TrackEvents
from tilescope.tiler.readers.perfetto.tracks import DescribedTracks
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.translated.event_text import Event, event_texts, metadata, trace_text

_MICROSECOND_NS: Final = 1000
_LATEST_NS: Final = 1 << 62


class PerfettoTranslation:
    """A `Translation` of a source, which belongs to it."""

    def __init__(self, source: ByteSource, room: Room) -> None:
        self._source = source
        self._room = room
        self._reader = PacketReader(source)
        self.ignored = self._reader.ignored
        self.warnings = self._reader.warnings
        self._clocks = Clocks()
        self._tracks = DescribedTracks()
        self._track_events = TrackEvents(self._tracks, self.ignored)
        self._machine = MachineEvents(self.ignored)
        self._sequences: dict[int, Sequence] = {}
        self._interned_bytes = 0

    def pieces(self) -> Iterator[bytes]:
        """The text. Raises TraceError."""
        return trace_text(event_texts(self._events()), self._members)

    def bytes_read(self) -> int:
        """Bytes of the file that were read."""
        return self._source.bytes_read

    def close(self) -> None:
        """Closes the source."""
        self._source.close()

    def _members(self) -> Mapping[str, object]:
        offset = self._clocks.epoch_offset_ns
        return {"baseTimeNanoseconds": offset} if offset else {}

    def _events(self) -> Iterator[Event]:
        for packet in self._reader.packets():
            yield from self._packet_events(packet)
        yield from self._tracks.names()
        if self._tracks.undescribed:
            self.ignored["events_before_their_track_is_described"] = self._tracks.undescribed

    def _packet_events(self, packet: Any) -> Iterator[Event]:
        number = packet.trusted_packet_sequence_id
        sequence = self._sequences.get(number)
        if sequence is None:
            sequence = self._sequences[number] = Sequence()
            self._room.check(self._source.path, processes=len(self._sequences))
        if packet.previous_packet_dropped and sequence.is_valid:
            sequence.is_valid = False
            self._count("losses_of_packets")
        if packet.sequence_flags & STATE_CLEARED or packet.incremental_state_cleared:
            sequence.clear()
        if packet.HasField("trace_packet_defaults"):
            sequence.take_defaults(packet.trace_packet_defaults)
        if packet.HasField("interned_data"):
            self._interned_bytes += sequence.take_interned(packet.interned_data)
            self._room.check(self._source.path, text_bytes=self._interned_bytes)
        if packet.HasField("clock_snapshot"):
            self._clocks.snapshot(packet.clock_snapshot, number)
        if packet.HasField("track_descriptor"):
            self._tracks.describe(packet.track_descriptor)
        yield from self._names(packet, sequence)
        # Of each packet, whether or not it is drawn: a clock may count from the packet before.
        clock = packet.timestamp_clock_id or sequence.clock
        is_timed = packet.HasField("timestamp") or packet.HasField("track_event")
        time = self._clocks.time_ns(packet.timestamp, clock, number) if is_timed else None
        if packet.sequence_flags & NEEDS_STATE and not sequence.is_valid:
            self._count("packets_whose_state_was_lost")
        elif packet.HasField("track_event"):
            yield from self._timed(packet, time, sequence, number)
        elif packet.HasField("ftrace_events"):
            yield from self._machine.scheduling(packet.ftrace_events)
        elif packet.HasField("gpu_render_stage_event"):
            if self._has_time(time):
                yield from self._machine.render_stage(packet.gpu_render_stage_event, time, sequence)
        elif packet.HasField("gpu_counter_event") and self._has_time(time):
            yield from self._machine.counters(packet.gpu_counter_event, time, sequence)

    def _timed(self, packet: Any, time: int | None, sequence: Sequence, number: int) -> Iterator[Event]:
        event = packet.track_event
        if event.HasField("timestamp_delta_us"):
            sequence.time_us += event.timestamp_delta_us
            time = self._clocks.time_ns(sequence.time_us * _MICROSECOND_NS, MONOTONIC, number)
        elif event.HasField("timestamp_absolute_us"):
            time = self._clocks.time_ns(event.timestamp_absolute_us * _MICROSECOND_NS, MONOTONIC, number)
        if self._has_time(time):
            yield from self._track_events.events(event, time, sequence)

    def _has_time(self, time: int | None) -> TypeGuard[int]:
        """True for a time that can be drawn; others are counted."""
        if time is None:
            self._count("packets_of_a_clock_without_snapshot")
        elif abs(time) >= _LATEST_NS:
            self._count("times_out_of_range")
        else:
            return True
        return False

    def _names(self, packet: Any, sequence: Sequence) -> Iterator[Event]:
        """Names of processes and threads, whoever says them."""
        if packet.HasField("thread_descriptor"):
            thread = packet.thread_descriptor
            sequence.thread = (thread.pid, thread.tid)
            sequence.time_us = thread.reference_timestamp_us
            if thread.thread_name:
                yield metadata("thread_name", thread.pid, thread.tid, text(thread.thread_name))
        if packet.HasField("process_descriptor"):
            process = packet.process_descriptor
            name = text(process.process_name) or (text(process.cmdline[0]) if process.cmdline else "")
            if name:
                yield metadata("process_name", process.pid, None, name)
        for process in packet.process_tree.processes:
            if process.cmdline:
                yield metadata("process_name", process.pid, None, text(process.cmdline[0]))
        for thread in packet.process_tree.threads:
            if thread.name:
                yield metadata("thread_name", thread.tgid, thread.tid, text(thread.name))

    def _count(self, reason: str) -> None:
        self.ignored[reason] = self.ignored.get(reason, 0) + 1
