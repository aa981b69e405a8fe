"""Memories of Ascend devices, from the tables that their profilers write: a memory for each component.

`memory_record` and `npu_module_mem` say how full a component is, `operator_memory` what operators allocate and free.
Allocations lie in the component whose totals they repeat; a sample and an allocation of the same moment are one event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import StoredLast
from tilescope.tiler.facts.memory.allocation_rows import ALLOCATIONS, AllocationRows, allocation_rows
from tilescope.tiler.facts.memory.fill_rows import FILLS, FillRows, fill_rows
from tilescope.tiler.facts.memory.pool import MemoryPool
from tilescope.tiler.facts.memory.table_columns import NO_SIZE, Ints
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.tables import TableEntry

Value = TypeVar("Value", bound=np.generic)

OPERATORS: Final = "operators"  # a memory of which operators alone tell

_FIGURES: Final = ("Total Allocated", "Total Reserved")  # how counters of a component are called
_ANYWHERE: Final = -1
_NOTHING: Final = np.zeros(0, np.int64)


def memory_tables(reader: QueryReader) -> list[RunTable]:
    """Tables of a run that tell of memories. Raises StoredLast while it is indexed, DamagedStore."""
    return [table for table in run_tables(reader, *FILLS, ALLOCATIONS) if len(table)]


class TablePlace(NamedTuple):
    """Tables of one rank and capture, of whose memories no other tells."""

    number: int  # among those of its host
    rank: int  # -1: none
    capture: str
    tables: Sequence[RunTable]

    @property
    def rows(self) -> int:
        """Rows of all of them."""
        return sum(map(len, self.tables))


def table_places(reader: QueryReader, host: int) -> list[TablePlace]:
    """The tables of a host, a group of the track tree; none while the run is indexed: tables are stored last.

    Raises DamagedStore.
    """
    places: dict[tuple[int, str, str], list[RunTable]] = defaultdict(list)
    try:
        run = memory_tables(reader)
    except StoredLast:
        return []
    for table in run:
        entry = table.entry
        if host_of_table(reader, entry) == host:
            places[-1 if entry.rank is None else entry.rank, entry.device, entry.capture].append(table)
    ordered = enumerate(sorted(places.items(), key=lambda place: place[0]))
    return [TablePlace(number, rank, capture, tables) for number, ((rank, _, capture), tables) in ordered]


def host_of_table(reader: QueryReader, entry: TableEntry) -> int:
    """The group of its host in the track tree, -1 if there is none."""
    hosts = [group for group in reader.tree.groups if group.kind == "host"]
    named = [group.id for group in hosts if group.name == entry.host or len(hosts) == 1]
    return named[0] if named else _ANYWHERE


def pools_of_place(reader: QueryReader, host: int, tables: Sequence[RunTable]) -> Interruptible[list[MemoryPool]]:
    """The memories of which some tables tell, by the names that these have. Raises DamagedStore."""
    fills: list[FillRows] = []
    for table in tables:
        if table.entry.family in FILLS:
            fills += yield from fill_rows(reader, table)
    pairs: dict[int, _Pair] = {}
    alone: list[_Pair] = []
    for table in tables:
        if table.entry.family == ALLOCATIONS:
            for rows in (yield from allocation_rows(reader, table, allocated_only=bool(fills))):
                owner, pair = _paired(fills, rows, pairs)
                if owner is None:
                    alone.append(pair)
                else:
                    pairs[owner] = pair
                yield
    pools = []
    for number, fill in enumerate(fills):
        pair = pairs.get(number) or _Pair(fill, None, None)
        pools.append(_pool(reader, host, f"{fill.device} {fill.component}".strip(), pair))
        yield
    for pair in alone:
        device = "" if pair.rows is None else pair.rows.device
        pools.append(_pool(reader, host, f"{device} {OPERATORS}".strip(), pair))
        yield
    return pools


class _Meeting(NamedTuple):
    """Samples of the moments of allocations."""

    place: Ints  # of each allocation, where there is one: of several of a moment the first meets the first
    is_there: NDArray[np.bool_]
    before: Ints  # the last sample before it, -1 if there is none


class _Pair(NamedTuple):
    """Samples of a component, and the allocations in it."""

    fill: FillRows | None
    rows: AllocationRows | None
    meeting: _Meeting | None


def _paired(fills: Sequence[FillRows], rows: AllocationRows, taken: Container[int]) -> tuple[int | None, _Pair]:
    """The component most of whose samples have the time and the total of an allocation; of equal ones the first."""
    owner, most = None, 0
    earlier = _earlier(rows.tick)
    pair = _Pair(None, rows, None)
    for number, fill in enumerate(fills):
        # No two allocations meet one sample: a component with few cannot be it.
        if fill.device == rows.device and number not in taken and len(fill) > most:
            meeting = _meeting(fill.tick, rows.tick, earlier)
            total = rows.allocated[meeting.is_there]
            same = fill.allocated[meeting.place[meeting.is_there]] == total
            count = int(np.count_nonzero(same & (total >= 0)))
            if count > most:
                owner, most, pair = number, count, _Pair(fill, rows, meeting)
    return owner, pair


def _earlier(ticks: Ints) -> Ints:
    """Numbers of events before each that have its tick, by time."""
    places = np.arange(len(ticks))
    is_new = np.append(True, np.diff(ticks) > 0)[: len(ticks)]
    return places - np.maximum.accumulate(np.where(is_new, places, 0)) if len(ticks) else places


def _meeting(ticks: Ints, others: Ints, earlier: Ints) -> _Meeting:
    if np.array_equal(ticks, others):  # profilers take a sample after each allocation
        places = np.arange(len(ticks))
        return _Meeting(places, np.ones(len(ticks), np.bool_), places - earlier - 1)
    first = np.searchsorted(ticks, others)
    place = first + earlier
    inside = np.minimum(place, max(len(ticks) - 1, 0))
    is_there = ticks[inside] == others if len(ticks) else np.zeros(len(others), np.bool_)
    return _Meeting(inside, is_there & (place < len(ticks)), first - 1)


class _Events(NamedTuple):
    """Samples and allocations by time; None for places that are those of the events themselves."""

    time: Ints
    sample: Ints | None  # that holds by then, -1 before the first
    is_sample: NDArray[np.bool_] | None  # it is of this moment, and this event's
    row: Ints | None  # of the allocations, -1 for a sample alone


def _events(pair: _Pair) -> _Events:
    fill, rows, meeting = pair
    if rows is None or fill is None or meeting is None:
        part = fill if rows is None else rows
        times = _NOTHING if part is None else part.tick
        nothing = np.full(len(times), -1)
        return _Events(times, None if rows is None else nothing, None, nothing if rows is None else None)
    is_alone = np.ones(len(fill), np.bool_)
    is_alone[meeting.place[meeting.is_there]] = False
    samples = np.flatnonzero(is_alone)
    if not len(samples) and len(rows) == len(fill):  # each allocation meets a sample: the same one
        return _Events(fill.tick, None, None, None)
    times = np.concatenate([rows.tick, fill.tick[samples]])
    # Allocations of a moment before its other samples, which say what is there in the end.
    order = np.argsort(times, kind="stable")
    sample = np.concatenate([np.where(meeting.is_there, meeting.place, meeting.before), samples])[order]
    is_sample = np.concatenate([meeting.is_there, np.ones(len(samples), np.bool_)])[order]
    return _Events(times[order], sample, is_sample, np.where(order < len(rows), order, -1))


def _pool(reader: QueryReader, host: int, name: str, pair: _Pair) -> MemoryPool:
    """Events of both, by time. Fills are those of the component, where it is sampled by then."""
    fill, rows, events = pair.fill, pair.rows, _events(pair)
    count = len(events.time)

    def figure(column: str) -> Ints:
        """Figures of the sample that holds by then, or else of the allocation."""
        own = _NOTHING if rows is None else getattr(rows, column)
        if fill is None:
            return own
        return _taken(getattr(fill, column), events.sample, _taken(own, events.row, np.int64(NO_SIZE)))

    allocated, reserved, active = figure("allocated"), figure("reserved"), figure("active")
    is_told = bool((allocated >= 0).any())
    is_reserved = not is_told and bool((reserved >= 0).any())
    heap = _held(reserved if is_reserved else allocated)
    nothing = np.broadcast_to(np.int64(-1), count)
    none = np.broadcast_to(np.int32(-1), count)
    is_made = is_freeing = np.zeros(count, np.bool_)
    size, operation, replaced = nothing, none, np.zeros(count, np.int32)
    if rows is not None:
        is_freeing = _taken(rows.is_free, events.row, np.False_)
        is_made = _taken(~rows.is_free, events.row, np.False_)
        size = _taken(rows.size, events.row, np.int64(-1))
        operation = _taken(rows.operation, events.row, np.int32(-1))
        replaced = _replaced(rows, events)
    is_counted = not is_reserved and not is_told
    if is_counted:
        change = np.cumsum(np.where(is_freeing, -1, 1) * np.maximum(size, 0))
        heap = change - min(0, int(change.min(initial=0)))  # at least what is freed was there
    track = -1 if fill is None else _counter(reader, fill)
    ordinals = nothing
    if fill is not None and track >= 0:
        ordinals = _taken(fill.ordinal, events.sample, np.int64(-1))
        if events.is_sample is not None:
            ordinals = np.where(events.is_sample, ordinals, -1)
    return MemoryPool(
        name=name,
        host=host,
        start=events.time,
        track=np.broadcast_to(np.int32(_place(reader, host) if track < 0 else track), count),
        ordinal=ordinals,
        is_made=is_made,
        is_free=is_freeing,
        stack=np.broadcast_to(np.int64(0), count),
        heap=heap,
        free=nothing if is_reserved else _free(heap, reserved),
        active=active if int(active.min(initial=0)) >= 0 else np.maximum(active, -1),
        fragmentation=np.broadcast_to(np.float64(np.nan), count),
        lifetime=nothing,
        requested=nothing,
        size=size,
        operation=operation,
        region=none,
        data_type=none,
        shape=none,
        replaced=replaced,
        texts=[] if rows is None else rows.words,
        source="tables",
        is_reserved=is_reserved,
        is_counted=is_counted,
    )


def _taken(column: NDArray[Value], places: Ints | None, otherwise: Value | NDArray[Value]) -> NDArray[Value]:
    """The values at some places, of none the others; None: all as they are."""
    if places is None:
        return column
    is_there = places >= 0
    if not len(column):
        return np.broadcast_to(otherwise, len(places))
    return column[places] if is_there.all() else np.where(is_there, column[places], otherwise)


def _replaced(rows: AllocationRows, events: _Events) -> NDArray[np.int32]:
    """The event that frees the allocation of each; 0 of frees, which nothing replaces, and of samples."""
    if events.row is None:
        return np.where(rows.is_free, np.int32(0), rows.replaced)
    is_own = events.row >= 0
    position = np.zeros(len(rows) + 1, np.int32)
    position[events.row[is_own]] = np.flatnonzero(is_own)
    position[-1] = len(events.row)
    return _taken(np.where(rows.is_free, np.int32(0), position[rows.replaced]), events.row, np.int32(0))


def _free(heap: Ints, reserved: Ints) -> Ints:
    is_less = reserved < heap
    return np.where(is_less, -1, reserved - heap) if is_less.any() else reserved - heap


def _held(allocated: Ints) -> Ints:
    """Totals of which unknown ones are those before them; nothing before the first."""
    if int(allocated.min(initial=0)) >= 0:
        return allocated
    is_known = allocated >= 0
    last = np.maximum.accumulate(np.where(is_known, np.arange(len(allocated)), -1))
    return np.where(last >= 0, allocated[last], 0)


def _counter(reader: QueryReader, fill: FillRows) -> int:
    """The counter that is drawn of a component; -1 if there is none."""
    tree, file = reader.tree, fill.table.entry.file
    names = [f"{fill.component} {figure}".strip() for figure in _FIGURES]
    wanted = names[0 if (fill.allocated >= 0).any() else 1]
    counters = [track for track in tree.tracks if track.kind == "counter" and track.name == wanted]
    here = [track for track in counters if reader.file_of(track.id) == file]
    named = [track for track in here if tree.groups[track.group].detail == fill.device]
    return next((track.id for track in named or here[:1]), -1)


def _place(reader: QueryReader, host: int) -> int:
    """A track of a host whose steps are those of its memories; -1 if there is none."""
    tree = reader.tree
    name = tree.groups[host].name if host >= 0 else ""
    tracks = tree.of_host(name) if name else [track.id for track in tree.tracks]
    return tracks[0] if tracks else -1
