"""Operations of TPU cores: sums of their tracks, added by instruction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, sum_of, sum_of_columns
from tilescope.tiler.facts.operations.kind_sums import NO_PARTS, KindSums, kind_sums, stored_sums
from tilescope.tiler.facts.operations.operation import Memory, Operation, OperationMetadata
from tilescope.tiler.facts.operations.operation_table import OpColumns, OpRows, OpTable
from tilescope.tiler.facts.operations.program_sums import program_sums
from tilescope.tiler.facts.operations.source import OperationSource
from tilescope.tiler.facts.operations.tpu_cores import TpuCore, core_idle, tpu_cores
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.windows import WindowsOf

# Whose sums two threads read together; those of 40,000 kinds take three megabytes.
_CORES_AT_ONCE: Final = 8


def op_table(reader: QueryReader, cores: Iterable[TpuCore], windows_of: WindowsOf) -> Steps[OpTable]:
    """The operations of some cores, in the windows of each. Raises DamagedStore, NotBuilt."""
    table = OpTable([], 0, 0, [])
    summing = _Summing(reader)
    cores = list(cores)
    stored: dict[int, KindSums | None] = {}
    for number, core in enumerate(cores):
        if number % _CORES_AT_ONCE == 0:
            tracks = [track for item in cores[number : number + _CORES_AT_ONCE] for track in item.operations]
            pairs = [(track, windows_of(track)) for track in tracks]
            sums_of = yield from for_each(
                pairs, lambda pair, item: stored_sums(item, *pair), reader, reader, _CORES_AT_ONCE, _CORES_AT_ONCE
            )
            stored = dict(zip(tracks, sums_of, strict=True))
        busy: int | None = None
        for track in core.operations:
            sums = stored.pop(track)
            if sums is None:
                sums = yield from kind_sums(reader, track, windows_of(track))
            if sums is not None:
                yield from summing.add(track, sums)
                table.tracks.append(track)
                busy = (busy or 0) + sum_of(sums.own)
            yield
        if busy is not None:
            table.cores += 1
            table.span += busy + (yield from core_idle(reader, core, windows_of(core.operations[0])))
    table.operations = summing.operations()
    return table


# Sums of so many tracks of smaller numbers fit into 64 bits.
_LONG: Final = 1 << 50

_MAX_TRACKS: Final = 1 << 11


class _ColumnSums:
    """Sums of columns of numbers that are not negative, by place: exact."""

    def __init__(self) -> None:
        self._sums: NDArray[Any] = np.zeros(0, np.int64)
        self._added = 0

    def add(self, places: Ints, values: NDArray[Any], size: int) -> None:
        """Adds values at places, all below `size`."""
        self._added += 1
        if len(self._sums) < size:
            self._sums = np.concatenate([self._sums, np.zeros(size - len(self._sums), self._sums.dtype)])
        is_large = values.dtype == object or int(values.max(initial=0)) >= _LONG or self._added > _MAX_TRACKS
        if is_large and self._sums.dtype != object:
            self._sums = self._sums.astype(object)
        np.add.at(self._sums, places, values)

    def of(self, size: int) -> NDArray[Any]:
        """The sums of so many places."""
        return np.concatenate([self._sums, np.zeros(size - len(self._sums), self._sums.dtype)])


class _Summing:
    """Adds the sums of tracks, by what their kinds are."""

    def __init__(self, reader: QueryReader) -> None:
        self._instructions = instruction_places(reader)
        self._count, self._uncut, self._total, self._own, self._stall = (_ColumnSums() for _ in range(5))
        self._cut = NO_PARTS
        self._shortest: Ints = np.zeros(0, np.int64)
        self._longest: Ints = np.zeros(0, np.int64)
        self._track: Ints = np.zeros(0, np.int64)
        # FLOPs, model FLOPs and bytes of custom calls, whose events may say what they do.
        self._custom: dict[int, list[int]] = {}

    def add(self, track: int, sums: KindSums) -> Steps[None]:
        """Adds those of a track."""
        places = yield from self._instructions.places(track, sums.kinds)
        if places is None:
            return
        size = len(self._instructions)
        self._count.add(places, sums.count, size)
        self._uncut.add(places, sums.uncut, size)
        self._cut = self._cut.joined(sums.cut.placed(places))
        self._total.add(places, sums.total, size)
        self._own.add(places, sums.own, size)
        if _STALL in sums.numbers:
            self._stall.add(places, sums.numbers[_STALL], size)
        more = size - len(self._track)
        self._shortest = np.concatenate([self._shortest, np.full(more, _NONE)])
        self._longest, self._track = (
            np.concatenate([item, np.full(more, -1)]) for item in (self._longest, self._track)
        )
        shortest = sums.shortest
        np.maximum.at(self._longest, places, sums.longest)
        np.minimum.at(self._shortest, places, np.where(shortest < 0, _NONE, shortest))
        first = places[sums.is_there & (self._track[places] < 0)]
        self._track[first] = track
        custom = np.flatnonzero(self._instructions.are_custom()[places])
        metadata = self._instructions.some(places[custom].tolist())
        for kind, place, item in zip(custom.tolist(), places[custom].tolist(), metadata, strict=True):
            added = _custom(item, sums, kind)
            self._custom[place] = [a + b for a, b in zip(self._custom.get(place, (0, 0, 0)), added, strict=True)]

    def operations(self) -> Sequence[Operation]:
        """A row for each instruction that has been met."""
        instructions, size = self._instructions.columns, len(self._track)
        count, uncut, total, own, stall = (
            of.of(size) for of in (self._count, self._uncut, self._total, self._own, self._stall)
        )
        flops, model_flops, moved = (
            self._cut.added(column[:size], uncut)
            for column in (instructions.flops, instructions.model_flops, instructions.bytes)
        )
        for place, (custom_flops, custom_model_flops, custom_bytes) in self._custom.items():
            flops = _with(flops, place, custom_flops)
            model_flops = _with(model_flops, place, custom_model_flops)
            moved = _with(moved, place, custom_bytes)
        places = np.flatnonzero((self._track >= 0) & instructions.has_symbol[:size])
        rows_met = places if len(places) < size else slice(size)  # as a rule all, which need not be copied
        by_memory = {key: self._cut.added(of[:size], uncut)[rows_met] for key, of in instructions.traffic.items()}
        columns = OpColumns(
            count[rows_met],
            total[rows_met],
            own[rows_met],
            flops[rows_met],
            model_flops[rows_met],
            moved[rows_met],
            sum_of_columns([of for (memory, _), of in by_memory.items() if memory == Memory.HBM], len(count[rows_met])),
            instructions.tells_flops[rows_met] | (flops[rows_met] != 0),
            instructions.tells_bytes[rows_met] | (moved[rows_met] != 0),
            instructions.tells_memory[rows_met],
            instructions.rank[rows_met],
            instructions.category[rows_met],
            instructions.categories,
            by_memory,
        )
        rows = OpRows(
            columns,
            self._instructions,
            places,
            self._shortest[rows_met],
            self._longest[rows_met],
            stall[rows_met],
            self._track[rows_met],
        )
        first = instructions.first[rows_met]
        if bool((first == places).all()) or len(distinct(first)[0]) == len(first):
            return rows
        merged: dict[int, Operation] = {}
        for place, row in zip(first.tolist(), rows, strict=True):
            first_row = merged.setdefault(place, row)
            if first_row is not row:
                first_row.add(row)
        return list(merged.values())


def _with(column: Exact, place: int, value: int) -> Exact:
    """A column with another value at a place."""
    if value > _LARGEST:
        column = column.astype(object)
    column[place] = value
    return column


_STALL: Final = "dma_stall_duration_ps"

_LARGEST: Final = int(np.iinfo(np.int64).max)

_NONE: Final = _LARGEST


def _custom(metadata: OperationMetadata, sums: KindSums, kind: int) -> tuple[int, int, int]:
    """FLOPs, model FLOPs and bytes of custom calls: as their events say, where any does."""
    costs = metadata.flops, metadata.model_flops, metadata.bytes
    flops, model_flops, moved = (sums.done(kind, value or 0) for value in costs)
    if "flops" in sums.numbers:
        flops = model_flops = int(sums.numbers["flops"][kind])
    if "model_flops" in sums.numbers:
        model_flops = int(sums.numbers["model_flops"][kind])
    if "bytes_accessed" in sums.numbers:
        moved = int(sums.numbers["bytes_accessed"][kind])
    return flops, model_flops, moved


class TpuSource(OperationSource[TpuCore]):
    """Operations of TPU cores."""

    id: ClassVar = "cores"
    is_gpu: ClassVar = False
    has_own_clock: ClassVar = True

    def devices(self, reader: QueryReader) -> Sequence[TpuCore]:
        """The TPU cores of a run."""
        return tpu_cores(reader)

    def make_table(self, reader: QueryReader, devices: Sequence[TpuCore], windows_of: WindowsOf) -> Steps[OpTable]:
        """Their operations."""
        return (yield from op_table(reader, devices, windows_of))

    def programs(
        self, reader: QueryReader, devices: Sequence[TpuCore], windows: Sequence[WindowsOf], *, with_feeds: bool
    ) -> Steps[list[Operation | None]]:
        """The program in each of some windows, without a table for each."""
        return (yield from program_sums(reader, devices, windows, with_feeds=with_feeds))
