"""The operations of GPUs: of kernels the instruction of a program that they run, with its cost from the HLO proto.

Kernels of an instruction that follow each other on a stream are one occurrence of it, until the first of them comes
again. What runs for no instruction, copies among it, is an operation by its own name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import DEVICE_PREFIX, is_stream
from tilescope.tiler.facts.busy import Busy
from tilescope.tiler.facts.devices import devices_of, plane_of
from tilescope.tiler.facts.operations.instructions import Instructions
from tilescope.tiler.facts.operations.kind_sums import KindSums, clipped, kind_sums
from tilescope.tiler.facts.operations.metadata import OperationMetadata, program_id
from tilescope.tiler.facts.operations.op_table import OpTable
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.records import track_kinds
from tilescope.tiler.pages.operations import OperationKind, TrackKinds
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.windows import Windows, WindowsOf

_GPU: Final = re.compile(rf"{DEVICE_PREFIX}GPU:[0-9]+$")

_NO_HLO: Final = "the trace does not say which operation a kernel belongs to: kernels are listed by their names"
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class GpuDevice:
    """A plane of a GPU, and its streams."""

    group: int
    streams: tuple[int, ...]


def gpu_devices(reader: QueryReader) -> list[GpuDevice]:
    """The GPUs of a run that have streams, in the order of their processes."""
    streams: dict[int, list[int]] = {}
    for track in reader.tree.leaves(None):
        told = reader.tree.tracks[track]
        group = int(told["group"])
        if is_stream(str(told["name"])) and _GPU.match(plane_of(reader.tree.groups[group])):
            streams.setdefault(group, []).append(track)
    return [GpuDevice(group, tuple(of)) for group, of in sorted(streams.items())]


def gpu_op_table(reader: QueryReader, devices: Iterable[GpuDevice], windows_of: WindowsOf) -> Steps[OpTable]:
    """The operations of some GPUs, in the windows of each. Raises DamagedStore, NotBuilt."""
    table = OpTable([], 0, 0, [])
    rows: dict[_Key, Operation] = {}
    instructions = Instructions(reader)
    for device in devices:
        busy, streams = 0, []
        for track in device.streams:
            sums = yield from kind_sums(reader, track, windows_of(track), _grouped)
            if sums is None:
                continue
            busy += int(sums.total.sum())
            yield from _add_stream(instructions, track, sums, rows)
            streams.append(track)
        if streams:
            table.tracks += streams
            table.cores += 1
            windows = windows_of(streams[0])
            table.span += _span(reader, streams, windows)
            table.overlap += yield from _overlap(reader, streams, windows, busy)
    table.operations = [row for row in rows.values() if row.count or row.total]
    table.program_names = instructions.names
    table.notes = instructions.notes
    if table.operations and not any(row.metadata.program for row in table.operations):
        table.notes.append(_NO_HLO)
    return table


def _grouped(kinds: TrackKinds) -> NDArray[np.int64]:
    """Of each kind a number that those of its instruction share."""
    numbers: dict[object, int] = {}
    keys = (_instruction(kind) or place for place, kind in enumerate(kinds.kinds))
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def _instruction(kind: OperationKind) -> tuple[str, str] | None:
    """Its program, by id or else name, and its own name; None: it runs for none."""
    name = str(kind.stats.get("hlo_op", ""))
    if not name:
        return None
    return program_id(str(kind.stats.get("program_id", kind.stats.get("hlo_module", "")))), name


def _add_stream(instructions: Instructions, track: int, sums: KindSums, rows: dict[_Key, Operation]) -> Steps[None]:
    kernels: dict[_Key, set[int]] = {}
    file = instructions.file_of(track)
    columns = [column.tolist() for column in (sums.occurrences, sums.total, sums.shortest, sums.longest)]
    for place, (count, total, shortest, longest) in enumerate(zip(*columns, strict=True)):
        if not total and longest < 0:
            continue  # not in the windows
        kind = sums.kinds.kinds[place]
        metadata = yield from instructions.metadata(file, kind, *(_instruction(kind) or ("", "")))
        known = metadata.program, metadata.name
        kernels.setdefault(known, set()).add(place)
        row = rows.get(known)
        if row is None:
            row = rows[known] = Operation(metadata, track=track)
        _count(row, metadata, count, total)
        if count and row.count == count:
            row.track = track
        if longest >= 0:
            row.shortest = shortest if row.shortest is None else min(row.shortest, shortest)
            row.longest = longest if row.longest is None else max(row.longest, longest)
    for known, places in kernels.items():
        if known[0] and len(places) > 1:  # what an occurrence takes, its kernels do not tell
            rows[known].shortest = rows[known].longest = None


def _count(row: Operation, metadata: OperationMetadata, count: int, total: int) -> None:
    row.count += count
    row.total += total
    row.own += total
    row.flops += (metadata.flops or 0) * count
    row.model_flops += (metadata.model_flops or 0) * count
    row.bytes += (metadata.bytes or 0) * count
    for traffic in metadata.traffic:
        way = traffic.memory, traffic.is_write
        row.by_memory[way] = row.by_memory.get(way, 0) + traffic.bytes * count


def _span(reader: QueryReader, streams: Iterable[int], windows: Windows) -> int:
    """What windows leave of the time from the first thing that a GPU does to the end of the last one, ps."""
    lines = [kinds for track in streams if (kinds := track_kinds(reader, track)) is not None]
    start, stop = min(int(of.start[0]) for of in lines), max(int(of.stop.max()) for of in lines)
    length = max(of.last_ps for of in lines) - min(of.first_ps for of in lines)
    return clipped(windows, start, stop, length)


def _overlap(reader: QueryReader, streams: Collection[int], windows: Windows, busy: int) -> Steps[int]:
    """By how much what runs on the streams takes more than the time in which any does, ps."""
    devices = yield from devices_of(reader)
    tracks = [of.of_any_kind for device in devices for of in device.tracks if of.track in streams]
    any_work = 0
    for piece in Busy(reader, tracks).pieces(windows):
        if piece is not None:
            merged = piece.of[0].any.joined(*(of.any for of in piece.of[1:]))
            any_work += sum((merged.stops - merged.starts).tolist())
        yield
    return max(0, busy - any_work * int(reader.store.manifest()["tick_ps"]))
