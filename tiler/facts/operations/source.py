"""The contract of a source of operations: one kind of devices, or the operators of one framework, in one file.

A source finds its devices and makes a table of what they run, with rows of `operation.py`: all figures that tools show
of operations come from these. A new source is a file with a subclass, named in `sources.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.operation_table import OpTable
from tilescope.tiler.facts.operations.rates import program
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.windows import DeviceTimeOf, WindowsOf, no_device_time, windows_digest


class OperationDevice(Protocol):
    """A device that runs operations."""

    @property
    def group(self) -> int:
        """The process of the track tree that it is."""
        ...

    @property
    def tracks(self) -> tuple[int, ...]:
        """Tracks that say something of it, first one with operations: it is looked at when all are built."""
        ...


Device = TypeVar("Device", bound=OperationDevice)


class OperationSource(ABC, Generic[Device]):
    """Operations of one kind of devices."""

    id: ClassVar[str]
    is_gpu: ClassVar[bool]  # programs count costs of instructions as GPUs do
    has_own_clock: ClassVar[bool]  # durations are of the devices' clocks, ranges of the timeline's

    def devices(self, reader: QueryReader) -> Sequence[Device]:
        """The devices of a run, in the order of their processes; none of another kind of run."""
        devices = _DEVICES.get(reader, self.id)
        return _DEVICES.keep(reader, self.id, self.find_devices(reader)) if devices is None else devices

    @abstractmethod
    def find_devices(self, reader: QueryReader) -> Sequence[Device]:
        """The same, which is then cached."""

    @abstractmethod
    def make_table(
        self, reader: QueryReader, devices: Sequence[Device], windows_of: WindowsOf, device_time: DeviceTimeOf
    ) -> Interruptible[OpTable]:
        """The operations of some devices, in the windows of each track. Raises DamagedStore, NotBuilt."""

    def table(
        self,
        reader: QueryReader,
        devices: Sequence[Device],
        windows_of: WindowsOf,
        device_time: DeviceTimeOf = no_device_time,
        *,
        with_idle: bool = True,
    ) -> Interruptible[OpTable]:
        """The same, cached: the next tool that is asked about the same range takes it.

        `with_idle`: somebody asks when none of its operations runs.
        """
        tracks = [track for device in devices for track in device.tracks]
        times = {device.group: time for device in devices if (time := device_time(device.group)) is not None}
        key = self.id, windows_digest(tracks, windows_of) + windows_digest(list(times), times.__getitem__)
        table = _TABLES.get(reader, key)
        if table is None:
            table = _TABLES.keep(reader, key, (yield from self.make_table(reader, devices, windows_of, device_time)))
        else:
            table.mark_used()
        if with_idle and table.overlap is None:
            table.overlap = yield from self.overlap(reader, devices, windows_of, device_time, table)
        return table

    def overlap(
        self,
        reader: QueryReader,
        devices: Sequence[Device],
        windows_of: WindowsOf,
        device_time: DeviceTimeOf,
        table: OpTable,
    ) -> Interruptible[int]:
        """The overlap of a table that was made without it; of a core there is none. Raises DamagedStore, NotBuilt."""
        yield
        return 0

    def programs(
        self,
        reader: QueryReader,
        devices: Sequence[Device],
        windows: Sequence[WindowsOf],
        times: Sequence[DeviceTimeOf] = (),
        *,
        with_feeds: bool,
    ) -> Interruptible[list[Operation | None]]:
        """The program as a whole in each of some windows, as `rates.program` has it; None: nothing runs there.

        `times`: of devices, for each of the windows, where they are not those of their tracks. Raises DamagedStore,
        NotBuilt.
        """
        programs = []
        for windows_of, device_time in zip(windows, times or [no_device_time] * len(windows), strict=True):
            table = yield from self.table(reader, devices, windows_of, device_time)
            programs.append(program(table, with_feeds=with_feeds) if table.operations else None)
        return programs


_DEVICES: Final = KeyedRunCache[str, Sequence[Any]]("operation_devices", "Devices that run operations")
_TABLES: Final = KeyedRunCache[tuple[str, bytes], OpTable](  # by source and digest of tracks and windows
    "operations", "Tables of operations of devices", attrgetter("size_bytes"), grows=True
)
