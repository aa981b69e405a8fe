"""The operations of the devices of a run, a row for each instruction of a program: what most tools are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tilescope.tiler.device_lines import DEVICE_PREFIX, STEP_LINES, is_one_of
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.facts.operations.kind_sums import KindSums, clipped, kind_sums
from tilescope.tiler.facts.operations.metadata import Memory, OperationMetadata, operation_metadata
from tilescope.tiler.facts.operations.records import track_kinds
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.windows import Windows, WindowsOf

CUSTOM_CALL: Final = "custom-call"

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


@dataclass(slots=True)
class OpTable:
    """`operations` by program and symbol, in the order in which they are first met."""

    operations: list[Operation]
    span: int  # of all cores together, from the first operation of each to the end of its last one, ps
    cores: int
    tracks: list[int]  # that were looked at
    overlap: int = 0  # of what operations take, in which others run on the same device: on GPUs, ps
    program_names: dict[str, str] = field(default_factory=dict)  # by id, where operations tell them
    notes: list[str] = field(default_factory=list)  # what is missing, and why

    @property
    def busy(self) -> int:
        """What operations take, ps."""
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
    rows: dict[tuple[str, int], Operation] = {}
    for core in cores:
        found = 0
        for track in core.operations:
            sums = yield from kind_sums(reader, track, windows_of(track))
            if sums is not None:
                _add_track(reader, track, sums, rows)
                table.tracks.append(track)
                found += 1
            yield
        if found:
            table.cores += 1
            table.span += _span(reader, core, windows_of(core.operations[0]))
    table.operations = [row for row in rows.values() if row.count or row.total]
    return table


def _span(reader: QueryReader, core: TpuCore, windows: Windows) -> int:
    """What windows leave of the time from the first step or operation of a core to the end of the last one, ps."""
    lines = [kinds for track in (*core.operations, *core.steps) if (kinds := track_kinds(reader, track)) is not None]
    start, stop = min(int(of.start[0]) for of in lines), max(int(of.stop.max()) for of in lines)
    length = max(of.last_ps for of in lines) - min(of.first_ps for of in lines)
    return clipped(windows, start, stop, length)


def _add_track(reader: QueryReader, track: int, sums: KindSums, rows: dict[tuple[str, int], Operation]) -> None:
    file = reader.store.file_of(track)
    tables = reader.store.event_metadata(file)
    if tables is None:
        return
    own = sums.own
    for place, kind in enumerate(sums.kinds.kinds):
        metadata = operation_metadata(reader, file, tables, kind)
        if not metadata.symbol:
            continue
        row = rows.setdefault((metadata.program, metadata.symbol), Operation(metadata, track=track))
        count = int(sums.count[place])
        row.count += count
        row.total += int(sums.total[place])
        row.own += int(own[place])
        if count:
            row.track = track if row.count == count else row.track
            shortest, longest = int(sums.shortest[place]), int(sums.longest[place])
            row.shortest = shortest if row.shortest is None else min(row.shortest, shortest)
            row.longest = longest if row.longest is None else max(row.longest, longest)
        row.stall += _number(sums, "dma_stall_duration_ps", place)
        of_events = metadata.category == CUSTOM_CALL and "flops" in sums.numbers
        flops = _number(sums, "flops", place) if of_events else (metadata.flops or 0) * count
        row.flops += flops
        of_model = metadata.category == CUSTOM_CALL and "model_flops" in sums.numbers
        if of_model:
            row.model_flops += _number(sums, "model_flops", place)
        else:
            row.model_flops += flops if of_events else (metadata.model_flops or 0) * count
        in_events = metadata.category == CUSTOM_CALL and "bytes_accessed" in sums.numbers
        row.bytes += _number(sums, "bytes_accessed", place) if in_events else (metadata.bytes or 0) * count
        for traffic in metadata.traffic:
            key = traffic.memory, traffic.is_write
            row.by_memory[key] = row.by_memory.get(key, 0) + traffic.bytes * count


def _number(sums: KindSums, name: str, place: int) -> int:
    found = sums.numbers.get(name)
    return 0 if found is None else int(found[place])
