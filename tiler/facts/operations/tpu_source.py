"""Operations of TPU cores: sums of their tracks, added by instruction, and the time in which cores run none.

Windows lie on the time axis of the timeline, and the clock of a core need not run as that does. Operations have the
part of their own duration that a window leaves of their event. What is left of all the time of a core, from its first
step or operation to the end of its last one, is the time in which none runs: a window has as much of it as it has of
the ticks in which no event of an operation goes on. So windows that touch add up, all of them have what the core's
clock says, and a window in which operations run all the time has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from sys import getsizeof
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import DEVICE_PREFIX, STEP_LINES, is_one_of
from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.busy import Busy
from tilescope.tiler.facts.devices import WorkTrack, plane_of
from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, sum_of, sum_of_columns
from tilescope.tiler.facts.operations.kind_sums import CutParts, KindSums, PlacedSums, kind_sums, stored_sums
from tilescope.tiler.facts.operations.operation import Memory, OpColumns, Operation
from tilescope.tiler.facts.operations.operation_table import OpRows, OpTable
from tilescope.tiler.facts.operations.program_sums import program_sums
from tilescope.tiler.facts.operations.source import OperationSource
from tilescope.tiler.facts.operations.track_records import track_kinds, track_running, track_step_sums
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import DeviceTimeOf, Windows, WindowsOf

_TPU_CORE: Final = re.compile(rf"{DEVICE_PREFIX}TPU:[0-9]+$")

_OP_LINE: Final = frozenset({"XLA Ops"})


@dataclass(frozen=True, slots=True)
class TpuCore:
    """A plane of a TPU core: its lines of operations, and those of its steps."""

    group: int
    operations: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def tracks(self) -> tuple[int, ...]:
        """All its lines."""
        return (*self.operations, *self.steps)


def tpu_cores(reader: QueryReader) -> list[TpuCore]:
    """The TPU cores of a run that have operations, in the order of their processes."""
    lines: dict[int, tuple[list[int], list[int]]] = {}
    for track in reader.tree.leaves(None):
        record = reader.tree.tracks[track]
        name, group = record.name, record.group
        place = 0 if is_one_of(name, _OP_LINE) else 1 if is_one_of(name, STEP_LINES) else None
        if place is not None and _TPU_CORE.match(plane_of(reader.tree.groups[group])):
            lines.setdefault(group, ([], []))[place].append(track)
    return [
        TpuCore(group, tuple(operations), tuple(steps))
        for group, (operations, steps) in sorted(lines.items())
        if operations
    ]


def core_idle(reader: QueryReader, core: TpuCore, windows: Windows) -> Interruptible[int]:
    """Time in windows in which a core runs no operation, ps; 0 if it has none. Raises DamagedStore, NotBuilt."""
    whole = _WHOLE_IDLE.get(reader, core.group)
    if whole is None:
        whole = _WHOLE_IDLE.keep(reader, core.group, (yield from _whole_idle(reader, core)))
    within = windows.clipped(whole.start, whole.stop)
    if not whole.ps or within.ticks == whole.stop - whole.start:
        return whole.ps if within.ticks or bool(windows.hold(np.array([whole.start]))[0]) else 0
    times = np.unique(np.concatenate([within.starts, within.stops]))
    before = times - whole.start
    if whole.ticks:
        before = before - (yield from _running_before(reader, core, whole.start, times))
    until = [whole.ps * ticks // (whole.ticks or whole.stop - whole.start) for ticks in before.tolist()]
    starts, stops = (np.searchsorted(times, ends).tolist() for ends in (within.starts, within.stops))
    return sum(until[stop] - until[start] for start, stop in zip(starts, stops, strict=True))


@dataclass(frozen=True, slots=True)
class _WholeIdle:
    """All the time of a core, in ticks; when no operation runs: in ps on its clock, in ticks on the timeline."""

    start: int
    stop: int
    ps: int
    ticks: int


_WHOLE_IDLE: Final = KeyedRunCache[int, _WholeIdle]("core_idle", "Idle time of TPU cores", getsizeof)


def _whole_idle(reader: QueryReader, core: TpuCore) -> Interruptible[_WholeIdle]:
    lines = [kinds for track in (*core.operations, *core.steps) if (kinds := track_kinds(reader, track)) is not None]
    if not any(track_kinds(reader, track) for track in core.operations):
        return _WholeIdle(0, 0, 0, 0)
    start, stop = min(int(line.start[0]) for line in lines), max(int(line.stop.max()) for line in lines)
    left = max(line.last_ps for line in lines) - min(line.first_ps for line in lines)
    running = yield from _running_before(reader, core, start, np.array([stop]))
    for track in core.operations:
        left -= yield from _taken(reader, track)
    # Operations that overlap on the core's clock take more than all its time: then it is never idle.
    return _WholeIdle(start, stop, max(left, 0), stop - start - int(running[0]))


def _taken(reader: QueryReader, track: int) -> Interruptible[int]:
    """Time that all operations of a track take on the device, ps."""
    kinds = track_kinds(reader, track)
    running = None if kinds is None or _has_outliers(reader, track) else track_running(reader, track, kinds)
    if running is not None:
        return running.taken_ps
    sums = yield from kind_sums(reader, track, Windows.one(0, reader.end + 1))
    return 0 if sums is None else sum_of(sums.own)


def _running_before(reader: QueryReader, core: TpuCore, start: int, times: Ints) -> Interruptible[Ints]:
    """In how many ticks before each of these times, which ascend, an operation of the core runs."""
    tracks = [track for track in core.operations if track_kinds(reader, track) is not None]
    if len(tracks) == 1 and not _has_outliers(reader, tracks[0]):
        return (yield from _running_on(reader, tracks[0], times))
    return (yield from _running_since(reader, tracks, start, 0, times))


def _running_on(reader: QueryReader, track: int, times: Ints) -> Interruptible[Ints]:
    """The same of one track, from what is stored of it and, of times between, its events."""
    stored = _STORED.get(reader, track)
    if stored is None:
        stored = _STORED.keep(reader, track, _stored_running(reader, track))
    before_place = np.searchsorted(stored.times, times, side="right") - 1
    nearest = stored.times[before_place]
    ticks = np.where(before_place < 0, 0, stored.ticks[before_place])  # before the first record nothing runs
    between = (before_place >= 0) & (nearest < times) & (times < stored.stop)
    for place in np.flatnonzero(between).tolist():
        start, before = int(nearest[place]), int(ticks[place])
        if place and times[place - 1] > start:
            start, before = int(times[place - 1]), int(ticks[place - 1])
        ticks[place] = (yield from _running_since(reader, [track], start, before, times[place : place + 1]))[0]
    return ticks


@dataclass(frozen=True, slots=True)
class _StoredRunning:
    """In how many ticks an operation of a track runs before some times, which ascend. From `stop` on none runs."""

    times: Ints
    ticks: Ints
    stop: int


_STORED: Final = KeyedRunCache[int, _StoredRunning](
    "running_ticks", "Ticks in which TPU cores run, up to some times", lambda stored: 2 * stored.times.nbytes
)


def _stored_running(reader: QueryReader, track: int) -> _StoredRunning:
    """As its records and its steps say it."""
    kinds = track_kinds(reader, track)
    assert kinds is not None
    times, ticks, stop = [kinds.start], [kinds.busy], TICK_LIMIT
    running, steps = track_running(reader, track, kinds), track_step_sums(reader, track)
    if running is not None:
        stop = int(kinds.stop.max())
        times.append(np.array([stop]))
        ticks.append(np.array([running.busy_ticks]))
    if steps is not None:
        times += [steps.start, steps.stop]
        ticks += [steps.busy_at_start, steps.busy_at_stop]
    times_once, first = np.unique(np.concatenate(times), return_index=True)
    return _StoredRunning(
        times_once, np.concatenate(ticks)[first], stop if running is not None else int(times_once[-1]) + 1
    )


def _running_since(
    reader: QueryReader, tracks: Sequence[int], start: int, ticks: int, times: Ints
) -> Interruptible[Ints]:
    """The same of some tracks, which run for so many ticks before `start`: their events are read from there on."""
    every = np.full(reader.names.count + 1, Work.COMPUTATION, np.uint8)
    busy = Busy(reader, [WorkTrack(track, every) for track in tracks])
    ticks_before = np.zeros(len(times), np.int64)
    for place, time in enumerate(times.tolist()):
        ticks += busy.ticks(Windows.one(start, time))
        start = max(start, time)
        ticks_before[place] = ticks
        yield
    return ticks_before


def _has_outliers(reader: QueryReader, track: int) -> bool:
    return reader.outliers is not None and reader.outliers.ordinals(track) is not None


# Whose sums two threads read together; those of 40,000 kinds take three megabytes.
_CORES_AT_ONCE: Final = 8


def op_table(reader: QueryReader, cores: Iterable[TpuCore], windows_of: WindowsOf) -> Interruptible[OpTable]:
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

    def sums(self, size: int) -> NDArray[Any]:
        """The sums of so many places."""
        return np.concatenate([self._sums, np.zeros(size - len(self._sums), self._sums.dtype)])


class _Summing:
    """Adds the sums of tracks, by what their kinds are."""

    def __init__(self, reader: QueryReader) -> None:
        self._instructions = instruction_places(reader)
        self._columns = [_ColumnSums() for _ in range(4)]  # count, uncut, total, own
        self._stall = _ColumnSums()
        self._cut: list[CutParts] = []
        self._shortest: Ints = np.zeros(0, np.int64)
        self._longest: Ints = np.zeros(0, np.int64)
        self._track: Ints = np.zeros(0, np.int64)
        # FLOPs, model FLOPs and bytes of custom calls, whose events may say what they do.
        self._custom: dict[int, list[int]] = {}

    def add(self, track: int, sums: KindSums) -> Interruptible[None]:
        """Adds those of a track."""
        instructions = yield from self._instructions.of_track(track, sums.kinds)
        if instructions is None:
            return
        self._add(track, sums.placed(instructions.places), instructions.size)
        for kind, place, metadata in instructions.custom_calls:
            costs = sums.custom_costs(kind, (metadata.flops, metadata.model_flops, metadata.bytes))
            self._custom[place] = [a + b for a, b in zip(self._custom.get(place, (0, 0, 0)), costs, strict=True)]

    def _add(self, track: int, sums: PlacedSums, size: int) -> None:
        places = sums.places
        for column, values in zip(self._columns, sums.columns, strict=True):
            column.add(places, values, size)
        if sums.stall is not None:
            self._stall.add(places, sums.stall, size)
        self._cut.append(sums.cut)
        more = size - len(self._track)
        self._shortest = np.concatenate([self._shortest, np.full(more, _NONE)])
        self._longest, self._track = (
            np.concatenate([column, np.full(more, -1)]) for column in (self._longest, self._track)
        )
        np.maximum.at(self._longest, places, sums.longest)
        np.minimum.at(self._shortest, places, np.where(sums.shortest < 0, _NONE, sums.shortest))
        first = places[sums.is_there & (self._track[places] < 0)]
        self._track[first] = track

    def operations(self) -> Sequence[Operation]:
        """A row for each instruction that has been met."""
        instructions, size = self._instructions.columns, len(self._track)
        count, uncut, total, own = (column.sums(size) for column in self._columns)
        stall = self._stall.sums(size)
        costs = (instructions.flops, instructions.model_flops, instructions.bytes, *instructions.traffic.values())
        flops, model_flops, moved, *traffic = CutParts.added_columns(self._cut, costs, uncut)
        for place, (custom_flops, custom_model_flops, custom_bytes) in self._custom.items():
            flops = _with(flops, place, custom_flops)
            model_flops = _with(model_flops, place, custom_model_flops)
            moved = _with(moved, place, custom_bytes)
        places = np.flatnonzero((self._track >= 0) & instructions.has_symbol[:size])
        rows_met = places if len(places) < size else slice(size)  # as a rule all, which need not be copied
        by_memory = {key: column[rows_met] for key, column in zip(instructions.traffic, traffic, strict=True)}
        hbm = [column for (memory, _), column in by_memory.items() if memory == Memory.HBM]
        columns = OpColumns(
            count[rows_met],
            total[rows_met],
            own[rows_met],
            flops[rows_met],
            model_flops[rows_met],
            moved[rows_met],
            sum_of_columns(hbm, len(count[rows_met])),
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


_LARGEST: Final = int(np.iinfo(np.int64).max)
_NONE: Final = _LARGEST


class TpuSource(OperationSource[TpuCore]):
    """Operations of TPU cores."""

    id: ClassVar = "cores"
    is_gpu: ClassVar = False
    has_own_clock: ClassVar = True

    def find_devices(self, reader: QueryReader) -> Sequence[TpuCore]:
        """The TPU cores of a run."""
        return tpu_cores(reader)

    def make_table(
        self, reader: QueryReader, devices: Sequence[TpuCore], windows_of: WindowsOf, device_time: DeviceTimeOf
    ) -> Interruptible[OpTable]:
        """Their operations; the time of a core is that of its tracks."""
        return (yield from op_table(reader, devices, windows_of))

    def programs(
        self,
        reader: QueryReader,
        devices: Sequence[TpuCore],
        windows: Sequence[WindowsOf],
        times: Sequence[DeviceTimeOf] = (),
        *,
        with_feeds: bool,
    ) -> Interruptible[list[Operation | None]]:
        """The program in each of some windows, without a table for each."""
        return (yield from program_sums(reader, devices, windows, core_idle, with_feeds=with_feeds))
