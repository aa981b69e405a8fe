"""The operations of devices of PyTorch traces, by the operator whose launch runs each kernel or task.

What no operator is known to have launched is an operation by its own name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from tilescope.tiler.count_text import plural
from tilescope.tiler.device_lines import DEVICE_PREFIX
from tilescope.tiler.facts.devices import WorkTrack, devices_of, plane_of
from tilescope.tiler.facts.host_operations.naming import launching_operator
from tilescope.tiler.facts.launches.device_launches import has_launches
from tilescope.tiler.facts.launches.frames import StreamFrames
from tilescope.tiler.facts.operations.exact_columns import Ints
from tilescope.tiler.facts.operations.operation import Operation, OperationMetadata
from tilescope.tiler.facts.operations.operation_table import LaunchedWork, OpTable
from tilescope.tiler.facts.operations.program_instructions import KERNEL
from tilescope.tiler.facts.operations.source import OperationSource
from tilescope.tiler.facts.operations.stream_work import stream_overlap, stream_work
from tilescope.tiler.facts.stacks.chains import Chain, FrameChains
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, frame_names
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import Interruptible, QueryReader, Reading, finish
from tilescope.tiler.windows import DeviceTimeOf, Windows, WindowsOf

# Sums of ticks of the events that are read together fit into 64 bits below.
_LONG: Final = 1 << 40


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
        sums = _Sums(reader)
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


class _Sums:
    """Sums of work by the operators around its launch, and by its own name."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._chains = FrameChains()
        self._rows: dict[tuple[int, int], Operation] = {}  # by number of operators, and name id of the work
        self.count = 0  # that start in the windows
        self.unknown = 0  # of these without an operator

    def add(self, work_track: WorkTrack, windows: Windows) -> Interruptible[None]:
        """Adds the work of a track: that which starts in the windows counts, and its time in them."""
        operators = StreamFrames(self._reader, work_track.track, self._chains)
        plan = self._reader.plan(work_track.track, windows)
        for events in Reading(self._reader).events(plan, plan.leaf_runs):
            events = events.take(work_track.kinds[events.name + 1] != Work.NONE)
            if len(events):
                starts = windows.hold(events.start)
                ticks = windows.ticks_before(events.start + events.duration) - windows.ticks_before(events.start)
                chain = yield from operators.behind(events.ordinal)
                self._add(work_track.track, chain, events.name, starts.astype(np.int64), ticks)
            yield

    def _add(self, track: int, chain: Ints, name: Ints, starts: Ints, ticks: Ints) -> None:
        self.count += int(starts.sum())
        self.unknown += int(starts[chain == 0].sum())
        order = np.lexsort((name, chain))
        chain, name = chain[order], name[order]
        first = np.flatnonzero(np.diff(chain, prepend=-2) | np.diff(name, prepend=-2))
        if int(ticks.max()) >= _LONG:
            ticks = ticks.astype(object)
        columns = (chain[first], name[first], *(np.add.reduceat(column[order], first) for column in (starts, ticks)))
        for number, name_id, count, total in zip(*(column.tolist() for column in columns), strict=True):
            if count or total:
                row = self._rows.setdefault((number, name_id), Operation(_metadata("", ""), track=track))
                row.count += count
                row.total += total * self._reader.tick_ps

    def operations(self) -> list[Operation]:
        """An operation for each operator, and for each name of work without one; it is called as most of its work."""
        by_title: dict[str, list[tuple[str, str, Operation]]] = defaultdict(list)
        for operators, name, row in self._named_rows():
            framework = launching_operator(operators)
            by_title[framework or name].append((framework, name, row))
        operations = []
        for rows in by_title.values():
            framework, name, longest = max(rows, key=lambda row: (row[2].total, row[1]))
            operation = Operation(_metadata(name, framework), track=longest.track)
            for _, _, row in rows:
                operation.count += row.count
                operation.total += row.total
                operation.own += row.total
            operations.append(operation)
        return operations

    def launched(self) -> dict[str, LaunchedWork]:
        """Work that each operator launches, with all operators in it."""
        sums: dict[str, LaunchedWork] = defaultdict(LaunchedWork)
        for operators, _, row in self._named_rows():
            for operator in set(operators):
                work = sums[operator]
                work.count += row.count
                work.total += row.total
            if operators:
                sums[launching_operator(operators)].own += row.total
        return dict(sums)

    def _named_rows(self) -> Iterator[tuple[Sequence[str], str, Operation]]:
        """Operators, the name of their work, and its sums."""
        chains: list[Chain] = self._chains.listed()
        ids = {name for chain in chains for name in chain} | {name for _, name in self._rows}
        names = self._reader.names.by_id(ids)
        for (number, name), row in self._rows.items():
            yield [names[operator].text for operator in chains[number]], names[name].text, row


def _metadata(name: str, framework: str) -> OperationMetadata:
    return OperationMetadata("", 0, name, "", KERNEL, framework, None, None, None, (), "", "", "", "")
