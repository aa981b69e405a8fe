"""The operations of the devices of a run, a row for each instruction of a program: what most tools are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from tilescope.tiler.device_lines import DEVICE_PREFIX, STEP_LINES, is_one_of
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.facts.operations.instruction_places import ColumnSums, Ints, instruction_places
from tilescope.tiler.facts.operations.kind_sums import KindSums, clipped, kind_sums
from tilescope.tiler.facts.operations.metadata import Memory, OperationMetadata
from tilescope.tiler.facts.operations.records import track_kinds
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.windows import Windows, WindowsOf

_TPU_CORE: Final = re.compile(rf"{DEVICE_PREFIX}TPU:[0-9]+$")
_OP_LINE: Final = frozenset({"XLA Ops"})


@dataclass(slots=True)
class Operation:
    """All operations of one instruction, on all devices that are looked at. Times in ps, on the device."""

    metadata: OperationMetadata
    count: int = 0
    total: int = 0
    own: int = 0  # without those that lie in it
    shortest: int | None = None
    longest: int | None = None
    stall: int = 0  # waiting for copies
    flops: int = 0
    model_flops: int = 0
    bytes: int = 0
    by_memory: dict[tuple[int, bool], int] = field(default_factory=dict)  # bytes by memory and whether it is written
    track: int = -1  # one on which it occurs

    def add(self, other: Operation) -> None:
        """Adds operations that are of the same instruction."""
        self.shortest = min((of for of in (self.shortest, other.shortest) if of is not None), default=None)
        self.longest = max((of for of in (self.longest, other.longest) if of is not None), default=None)
        self.track = other.track if not self.count else self.track
        for name in ("count", "total", "own", "stall", "flops", "model_flops", "bytes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for key, moved in other.by_memory.items():
            self.by_memory[key] = self.by_memory.get(key, 0) + moved

    @property
    def tells_flops(self) -> bool:
        """Whether the trace says how much it computes."""
        return bool(self.flops) or self.metadata.flops is not None

    @property
    def tells_bytes(self) -> bool:
        """Whether the trace says how much it moves."""
        return bool(self.bytes) or self.metadata.bytes is not None

    @property
    def hbm_bytes(self) -> int:
        """Those that go to the device's memory, or come from it; all where the trace does not tell."""
        return self.known_hbm_bytes if self.by_memory else self.bytes

    @property
    def known_hbm_bytes(self) -> int:
        """Those of which the trace says so."""
        return sum(count for (memory, _), count in self.by_memory.items() if memory == Memory.HBM)

    def memory_bytes(self, memory: Memory, *, written: bool) -> int:
        """Those that are read from a memory, or written to it."""
        return self.by_memory.get((memory, written), 0)


@dataclass
class OpTable:
    """`operations` by program and symbol, in the order in which they are first met."""

    operations: list[Operation]
    span: int  # of all cores together, from the first operation of each to the end of its last one, ps
    cores: int
    tracks: list[int]  # that were looked at
    overlap: int = 0  # of what operations take, in which others run on the same device: on GPUs, ps
    program_names: dict[str, str] = field(default_factory=dict)  # by id, where operations tell them
    notes: list[str] = field(default_factory=list)  # what is missing, and why

    @cached_property
    def busy(self) -> int:
        """What operations take, ps. To be asked when all are there: it is kept."""
        return sum(of.own for of in self.operations)

    @property
    def idle(self) -> int:
        """When none runs, ps."""
        return self.span - self.busy + self.overlap

    @property
    def whole(self) -> int:
        """What shares are of: the time of all operations, and in which none runs, ps."""
        return self.busy + self.idle


@dataclass(frozen=True, slots=True)
class TpuCore:
    """A plane of a TPU core: its lines of operations, and those of its steps."""

    group: int
    operations: tuple[int, ...]
    steps: tuple[int, ...]


def tpu_cores(reader: QueryReader) -> list[TpuCore]:
    """The TPU cores of a run that have operations, in the order of their processes."""
    lines: dict[int, tuple[list[int], list[int]]] = {}
    for track in reader.tree.leaves(None):
        told = reader.tree.tracks[track]
        name, group = str(told["name"]), int(told["group"])
        place = 0 if is_one_of(name, _OP_LINE) else 1 if is_one_of(name, STEP_LINES) else None
        if place is not None and _TPU_CORE.match(plane_of(reader.tree.groups[group])):
            lines.setdefault(group, ([], []))[place].append(track)
    return [TpuCore(group, tuple(of), tuple(steps)) for group, (of, steps) in sorted(lines.items()) if of]


def op_table(reader: QueryReader, cores: Iterable[TpuCore], windows_of: WindowsOf) -> Steps[OpTable]:
    """The operations of some cores, in the windows of each. Raises DamagedStore, NotBuilt."""
    table = OpTable([], 0, 0, [])
    summing = _Summing(reader)
    for core in cores:
        found = 0
        for track in core.operations:
            sums = yield from kind_sums(reader, track, windows_of(track))
            if sums is not None:
                summing.add(track, sums)
                table.tracks.append(track)
                found += 1
            yield
        if found:
            table.cores += 1
            table.span += _span(reader, core, windows_of(core.operations[0]))
    table.operations = summing.operations()
    return table


def _span(reader: QueryReader, core: TpuCore, windows: Windows) -> int:
    """What windows leave of the time from the first step or operation of a core to the end of the last one, ps."""
    lines = [kinds for track in (*core.operations, *core.steps) if (kinds := track_kinds(reader, track)) is not None]
    start, stop = min(int(of.start[0]) for of in lines), max(int(of.stop.max()) for of in lines)
    length = max(of.last_ps for of in lines) - min(of.first_ps for of in lines)
    return clipped(windows, start, stop, length)


class _Summing:
    """Adds the sums of tracks, by what their kinds are."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._instructions = instruction_places(reader)
        self._count, self._total, self._own, self._stall = (ColumnSums() for _ in range(4))
        self._shortest: Ints = np.zeros(0, np.int64)
        self._longest: Ints = np.zeros(0, np.int64)
        self._track: Ints = np.zeros(0, np.int64)
        # FLOPs, model FLOPs and bytes of custom calls, whose events may say what they do.
        self._custom: dict[int, list[int]] = {}

    def add(self, track: int, sums: KindSums) -> None:
        """Adds those of a track."""
        places = self._instructions.places(self._reader, track, sums.kinds)
        if places is None:
            return
        size = len(self._instructions.metadata)
        self._count.add(places, sums.count, size)
        self._total.add(places, sums.total, size)
        self._own.add(places, sums.own, size)
        if _STALL in sums.numbers:
            self._stall.add(places, sums.numbers[_STALL], size)
        more = size - len(self._track)
        self._shortest = np.concatenate([self._shortest, np.full(more, _NONE)])
        self._longest, self._track = (np.concatenate([of, np.full(more, -1)]) for of in (self._longest, self._track))
        np.maximum.at(self._longest, places, sums.longest)
        np.minimum.at(self._shortest, places, np.where(sums.shortest < 0, _NONE, sums.shortest))
        first = places[(sums.count > 0) & (self._track[places] < 0)]
        self._track[first] = track
        known = self._instructions.metadata
        for kind in np.flatnonzero(self._instructions.are_custom()[places]).tolist():
            place = int(places[kind])
            added = _custom(known[place], sums, kind)
            self._custom[place] = [a + b for a, b in zip(self._custom.get(place, (0, 0, 0)), added, strict=True)]

    def operations(self) -> list[Operation]:
        """A row for each instruction that has been met."""
        known = self._instructions.metadata
        size = len(self._track)
        rows: dict[tuple[str, int], Operation] = {}
        columns = (self._count.of(size), self._total.of(size), self._own.of(size), self._stall.of(size))
        for place, (count, total, own, stall) in enumerate(zip(*columns, strict=True)):
            metadata = known[place]
            if not (count or total) or not metadata.symbol:
                continue
            if place in self._custom:
                flops, model_flops, moved = self._custom[place]
            else:
                flops, model_flops, moved = _of_metadata(metadata, count)
            by_memory: dict[tuple[int, bool], int] = {}
            for traffic in metadata.traffic:
                key = traffic.memory, traffic.is_write
                by_memory[key] = by_memory.get(key, 0) + traffic.bytes * count
            shortest, longest = int(self._shortest[place]), int(self._longest[place])
            row = Operation(
                metadata,
                count,
                total,
                own,
                shortest if count else None,
                longest if count else None,
                stall,
                flops,
                model_flops,
                moved,
                by_memory,
                int(self._track[place]),
            )
            one = rows.setdefault((metadata.program, metadata.symbol), row)
            if one is not row:
                one.add(row)
        return list(rows.values())


_STALL: Final = "dma_stall_duration_ps"
_NONE: Final = np.iinfo(np.int64).max


def _of_metadata(metadata: OperationMetadata, count: int) -> tuple[int, int, int]:
    """FLOPs, model FLOPs and bytes of so many operations."""
    return (metadata.flops or 0) * count, (metadata.model_flops or 0) * count, (metadata.bytes or 0) * count


def _custom(metadata: OperationMetadata, sums: KindSums, kind: int) -> tuple[int, int, int]:
    """The same of custom calls: as their events say, where any does."""
    flops, model_flops, moved = _of_metadata(metadata, int(sums.count[kind]))
    if "flops" in sums.numbers:
        flops = model_flops = int(sums.numbers["flops"][kind])
    if "model_flops" in sums.numbers:
        model_flops = int(sums.numbers["model_flops"][kind])
    if "bytes_accessed" in sums.numbers:
        moved = int(sums.numbers["bytes_accessed"][kind])
    return flops, model_flops, moved
