"""The operations of devices of PyTorch traces, by the operator whose launch runs each kernel or task.

What no operator is known to have launched is an operation by its own name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tilescope.tiler.count_text import plural
from tilescope.tiler.device_lines import DEVICE_PREFIX
from tilescope.tiler.facts.devices import WorkTrack, devices_of, plane_of
from tilescope.tiler.facts.host_operations import OperatorKey, OperatorSplit
from tilescope.tiler.facts.launches.device_launches import has_launches
from tilescope.tiler.facts.operations.launched_sums import LaunchedSums
from tilescope.tiler.facts.operations.operation_table import LaunchedWork, OpTable
from tilescope.tiler.facts.operations.source import OperationSource
from tilescope.tiler.facts.operations.stream_work import stream_overlap, stream_work
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, frame_names
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.windows import DeviceTimeOf, WindowsOf


@dataclass(frozen=True, slots=True)
class LaunchingDevice:
    """A device whose work launches lead to, and the tracks on which it works."""

    group: int
    work: tuple[WorkTrack, ...]

    @property
    def tracks(self) -> tuple[int, ...]:
        """Its tracks."""
        return tuple(work_track.track for work_track in self.work)


class LaunchedSource(OperationSource[LaunchingDevice]):
    """Work of devices by the operators of PyTorch that launch it; of a run that is still being indexed none."""

    id: ClassVar = "launched"
    is_gpu: ClassVar = True
    has_own_clock: ClassVar = False

    def find_devices(self, reader: QueryReader) -> Sequence[LaunchingDevice]:
        """Devices with launches, of a run that has operators; those of planes have sources of their own."""
        if not reader.is_whole or not finish(frame_names(reader, OPERATORS)).any():
            return []
        devices = [
            LaunchingDevice(device.group, device.tracks)
            for device in finish(devices_of(reader))
            if not plane_of(reader.tree.groups[device.group]).startswith(DEVICE_PREFIX)
        ]
        return [device for device in devices if any(has_launches(reader, track) for track in device.tracks)]

    def make_table(
        self, reader: QueryReader, devices: Sequence[LaunchingDevice], windows_of: WindowsOf, device_time: DeviceTimeOf
    ) -> Interruptible[OpTable]:
        """Their operations."""
        table = OpTable([], 0, 0, [], overlap=None)
        sums = LaunchedSums(reader)
        for device in devices:
            for work_track in device.work:
                yield from sums.add(work_track, windows_of(work_track.track))
            table.cores += 1
            table.tracks += device.tracks
            work = yield from stream_work(reader, device.tracks)
            table.span += (yield from work.span(windows_of, device_time(device.group))) * reader.tick_ps
        table.operations = sums.operations()
        table.launched = sums.launched()
        if sums.unknown:
            table.notes.append(
                f"of {plural(sums.count, 'kernel or task', 'kernels and tasks')} {sums.unknown} have no operator of "
                "PyTorch: their launches were not recorded or lie in none; they are listed by their own names"
            )
        return table

    def overlap(
        self,
        reader: QueryReader,
        devices: Sequence[LaunchingDevice],
        windows_of: WindowsOf,
        device_time: DeviceTimeOf,
        table: OpTable,
    ) -> Interruptible[int]:
        """By how much work takes more than the busy time of the devices, ps."""
        streams = [(device.group, device.tracks) for device in devices]
        return (yield from stream_overlap(reader, streams, windows_of, device_time, table))


def launched_by_split(
    reader: QueryReader, devices: Sequence[LaunchingDevice], windows_of: WindowsOf, split: OperatorSplit
) -> Interruptible[Mapping[OperatorKey, LaunchedWork]]:
    """Work of some devices by operators that are told apart further. Raises DamagedStore, UsageError."""
    sums = LaunchedSums(reader, split)
    for device in devices:
        for work_track in device.work:
            yield from sums.add(work_track, windows_of(work_track.track))
    return sums.launched()
