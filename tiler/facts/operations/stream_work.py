"""Streams of a device together: their extent, and by how much their work takes more than the time in which any runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from tilescope.tiler.facts.busy import Busy, UnsortedPiece
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.operations.operation_table import OpTable
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.store.two_threads import worked_aside
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import DeviceTimeOf, Windows, WindowsOf


@dataclass(frozen=True, slots=True)
class StreamWork:
    """Some streams of a device, and when they are busy."""

    tracks: Sequence[int]
    busy: Busy

    def windows(self, windows_of: WindowsOf) -> Windows:
        """The windows of any of them."""
        return Windows.from_spans([], []).joined(*map(windows_of, self.tracks))

    def span(self, windows_of: WindowsOf, time: Windows | None) -> Interruptible[int]:
        """Ticks from the first work on them to the end of the last, in the windows of any of them or else in `time`."""
        extent = yield from self.busy.extent(TickRange(0, TICK_LIMIT))
        windows = self.windows(windows_of) if time is None else time
        return windows.clipped(extent.start, extent.stop).ticks

    def running_ticks(self, windows_of: WindowsOf, time: Windows | None) -> Interruptible[int]:
        """Ticks in which anything runs on any of the streams, each in its own windows.

        `time`: that of the device, such as steps, in which anything counts that runs; None: it has none of its own.
        """
        windows = self.windows(windows_of) if time is None else time
        # A stream works for something else outside its windows.
        others = [windows.without(windows_of(track) if time is None else time) for track in self.tracks]

        def ticks_of(piece: UnsortedPiece) -> int:
            runs = [stream.any.without(other) for stream, other in zip(piece.sorted().of, others, strict=True)]
            return runs[0].joined(*runs[1:]).ticks

        running = 0
        for ticks in worked_aside(self.busy.unsorted_pieces(windows), ticks_of):
            running += ticks or 0
            yield
        return running


def stream_work(reader: QueryReader, streams: Collection[int]) -> Interruptible[StreamWork]:
    """Streams among these that are of a device. Raises DamagedStore."""
    devices = yield from devices_of(reader)
    tracks = [track.of_any_kind for device in devices for track in device.tracks if track.track in streams]
    return StreamWork([track.track for track in tracks], Busy(reader, tracks))


def stream_overlap(
    reader: QueryReader,
    devices: Iterable[tuple[int, Sequence[int]]],
    windows_of: WindowsOf,
    device_time: DeviceTimeOf,
    table: OpTable,
) -> Interruptible[int]:
    """By how much the operations of a table take more than the busy time of its devices, ps.

    `devices`: process and streams of each. Raises DamagedStore, NotBuilt.
    """
    running = 0
    for group, tracks in devices:
        streams = [track for track in tracks if track in table.tracks]
        if streams:
            work = yield from stream_work(reader, streams)
            running += yield from work.running_ticks(windows_of, device_time(group))
    return table.busy - running * reader.tick_ps
