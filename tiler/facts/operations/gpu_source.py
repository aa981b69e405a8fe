"""The operations of GPUs: of kernels the instruction of a program that they run, with its cost from the HLO proto.

Kernels of an instruction that follow each other on a stream are one occurrence of it, until the first of them comes
again. What runs for no instruction, copies among it, is an operation by its own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from tilescope.tiler.device_lines import DEVICE_PREFIX, is_stream
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.facts.operations.exact_columns import Ints
from tilescope.tiler.facts.operations.graph_kinds import AttributedKinds, GraphTimes, attributed_kinds
from tilescope.tiler.facts.operations.kind_sums import KindSums, kind_sums, record_sums
from tilescope.tiler.facts.operations.operation import Operation, OperationMetadata
from tilescope.tiler.facts.operations.operation_table import OpTable
from tilescope.tiler.facts.operations.program_instructions import Instructions
from tilescope.tiler.facts.operations.source import OperationSource
from tilescope.tiler.facts.operations.stream_work import stream_overlap, stream_work
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.operations import TrackKinds
from tilescope.tiler.windows import DeviceTimeOf, Windows, WindowsOf, no_device_time

_GPU: Final = re.compile(rf"{DEVICE_PREFIX}GPU:[0-9]+$")

_NO_HLO: Final = "the trace does not say which operation a kernel belongs to: kernels are listed by their names"

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class GpuDevice:
    """A plane of a GPU, and its streams."""

    group: int
    streams: tuple[int, ...]

    @property
    def tracks(self) -> tuple[int, ...]:
        """Its streams."""
        return self.streams


def gpu_devices(reader: QueryReader) -> list[GpuDevice]:
    """The GPUs of a run that have streams, in the order of their processes."""
    streams: dict[int, list[int]] = {}
    for track in reader.tree.leaves(None):
        record = reader.tree.tracks[track]
        group = record.group
        if is_stream(record.name) and _GPU.match(plane_of(reader.tree.groups[group])):
            streams.setdefault(group, []).append(track)
    return [GpuDevice(group, tuple(tracks)) for group, tracks in sorted(streams.items())]


def gpu_op_table(
    reader: QueryReader,
    devices: Iterable[GpuDevice],
    windows_of: WindowsOf,
    device_time: DeviceTimeOf = no_device_time,
) -> Interruptible[OpTable]:
    """The operations of some GPUs, in the windows of each of their streams, without their overlap.

    Raises DamagedStore, NotBuilt.
    """
    table = OpTable([], 0, 0, [], overlap=None)
    rows: dict[_Key, Operation] = {}
    instructions = Instructions(reader)
    graph_times = GraphTimes()
    for device in devices:
        streams = []
        for track in device.streams:
            attributed = yield from attributed_kinds(reader, track, device.streams)
            if attributed is None:
                continue
            sums = yield from _stream_sums(reader, track, attributed, windows_of(track))
            graph_times.add(attributed, sums)
            yield from _add_stream(instructions, track, sums, rows)
            streams.append(track)
        if streams:
            table.tracks += streams
            table.cores += 1
            work = yield from stream_work(reader, streams)
            table.span += (yield from work.span(windows_of, device_time(device.group))) * reader.tick_ps
    table.operations = [row for row in rows.values() if row.count or row.total or row.flops or row.bytes]
    table.program_names = instructions.names
    table.notes = instructions.notes + [note for note in graph_times.notes if note not in instructions.notes]
    table.graph_times = graph_times.by_way
    if table.operations and not any(row.metadata.program for row in table.operations):
        table.notes.append(_NO_HLO)
    return table


def _stream_sums(
    reader: QueryReader, track: int, attributed: AttributedKinds, windows: Windows
) -> Interruptible[KindSums]:
    """The sums of a stream; where no two kinds are of one instruction, each kernel is an occurrence of its kind."""
    kinds = attributed.kinds
    numbers = _instruction_numbers(kinds)
    if attributed.graphs is None and len(np.unique(numbers)) == len(numbers):
        sums = yield from kind_sums(reader, track, windows)
        if sums is not None:
            return sums
    return (yield from record_sums(reader, track, kinds, windows, numbers, attributed.graphs))


def _instruction_numbers(kinds: TrackKinds) -> Ints:
    """A number for each kind, which kinds of one instruction share."""
    numbers: dict[object, int] = {}
    instructions = [kind.instruction for kind in kinds.kinds]
    keys = (instruction if instruction[1] else place for place, instruction in enumerate(instructions))
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def _add_stream(
    instructions: Instructions, track: int, sums: KindSums, rows: dict[_Key, Operation]
) -> Interruptible[None]:
    kernels: dict[_Key, set[int]] = {}
    columns = [column.tolist() for column in (sums.is_there, sums.occurrences, sums.shortest, sums.longest)]
    for place, (is_there, count, shortest, longest) in enumerate(zip(*columns, strict=True)):
        if not is_there:
            continue
        metadata = yield from instructions.metadata(track, sums.kinds.kinds[place])
        key = metadata.program, metadata.name
        kernels.setdefault(key, set()).add(place)
        row = rows.get(key)
        if row is None:
            row = rows[key] = Operation(metadata, track=track)
        _add(row, metadata, sums, place)
        if count and row.count == count:
            row.track = track
        if longest >= 0:
            row.shortest = shortest if row.shortest is None else min(row.shortest, shortest)
            row.longest = longest if row.longest is None else max(row.longest, longest)
    for key, places in kernels.items():
        if key[0] and len(places) > 1:  # what an occurrence takes, its kernels do not tell
            rows[key].shortest = rows[key].longest = None


def _add(row: Operation, metadata: OperationMetadata, sums: KindSums, place: int) -> None:
    """Adds the operations of a kind. What an occurrence does belongs to where its first kernel runs."""
    total = int(sums.total[place])
    row.count += int(sums.occurrences[place])
    row.total += total
    row.own += total
    row.flops += sums.done(place, metadata.flops or 0)
    row.model_flops += sums.done(place, metadata.model_flops or 0)
    row.bytes += sums.done(place, metadata.bytes or 0)
    for traffic in metadata.traffic:
        way = traffic.memory, traffic.is_write
        row.by_memory[way] = row.by_memory.get(way, 0) + sums.done(place, traffic.bytes)


class GpuSource(OperationSource[GpuDevice]):
    """Operations of GPUs."""

    id: ClassVar = "gpus"
    is_gpu: ClassVar = True
    has_own_clock: ClassVar = False

    def find_devices(self, reader: QueryReader) -> Sequence[GpuDevice]:
        """The GPUs of a run."""
        return gpu_devices(reader)

    def make_table(
        self, reader: QueryReader, devices: Sequence[GpuDevice], windows_of: WindowsOf, device_time: DeviceTimeOf
    ) -> Interruptible[OpTable]:
        """Their operations."""
        return (yield from gpu_op_table(reader, devices, windows_of, device_time))

    def overlap(
        self,
        reader: QueryReader,
        devices: Sequence[GpuDevice],
        windows_of: WindowsOf,
        device_time: DeviceTimeOf,
        table: OpTable,
    ) -> Interruptible[int]:
        """By how much kernels take more than the busy time of the devices, ps."""
        streams = [(device.group, device.streams) for device in devices]
        return (yield from stream_overlap(reader, streams, windows_of, device_time, table))
