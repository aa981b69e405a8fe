"""Memories of Ascend devices, from the tables that their profilers write: a memory for each component.

`memory_record` and `npu_module_mem` say how full a component is, `operator_memory` what operators allocate and free.
Allocations lie in the component whose totals they repeat.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from typing import Final, NamedTuple

import numpy as np

from tilescope.tiler.errors import StoredLast
from tilescope.tiler.facts.memory.allocation_rows import AllocationRows, DeviceAllocations, device_allocations
from tilescope.tiler.facts.memory.fill_rows import Component, FillRows, components
from tilescope.tiler.facts.memory.joined_events import PoolIdentity, meeting_samples
from tilescope.tiler.facts.memory.table_columns import Ints
from tilescope.tiler.facts.memory.table_pool import MAX_ROWS, TablePool
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.memory_cells import ALLOCATIONS, FILLS
from tilescope.tiler.records.tables import TableEntry

OPERATORS: Final = "operators"  # a memory of which operators alone tell

_COUNTERS: Final = ("Total Allocated", "Total Reserved")  # how counters of a component are called
_ANYWHERE: Final = -1

# Of the allocations of a device, which tell the component: more would be in several chunks of its samples.
_FIRST_EVENTS: Final = 4096

_FIGURES: Final = ("allocated", "reserved", "active")


def memory_tables(reader: QueryReader) -> list[RunTable]:
    """Tables of a run that tell of memories. Raises StoredLast while it is indexed, DamagedStore."""
    return [table for table in run_tables(reader, *FILLS, ALLOCATIONS) if len(table)]


class TablePlace(NamedTuple):
    """Tables of one rank and capture, of whose memories no other tells."""

    number: int  # among those of its host
    rank: int  # -1: none
    capture: str
    tables: Sequence[RunTable]


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


def pools_of_place(reader: QueryReader, host: int, place: TablePlace) -> Interruptible[list[TablePool]]:
    """The memories of which the tables of a place tell, by the names that these have. Raises DamagedStore."""
    sampled: list[Component] = []
    for table in place.tables:
        if table.entry.family in FILLS:
            sampled += yield from components(reader, table)
    pairs: dict[int, DeviceAllocations] = {}
    alone: list[DeviceAllocations] = []
    for table in place.tables:
        if table.entry.family == ALLOCATIONS:
            for allocations in (yield from device_allocations(reader, table)):
                owner = yield from _owner(sampled, allocations, pairs)
                if owner is None:
                    alone.append(allocations)
                else:
                    pairs[owner] = allocations
                yield
    pools = []
    for number, component in enumerate(sampled):
        pools.append((yield from _component_pool(reader, host, component, pairs.get(number))))
    for allocations in alone:
        pools.append((yield from _lone_pool(reader, host, allocations, _FIGURES[: 1 if sampled else None])))
        yield
    return pools


def _component_pool(
    reader: QueryReader, host: int, component: Component, allocations: DeviceAllocations | None
) -> Interruptible[TablePool]:
    counter = _counter(reader, component)
    identity = PoolIdentity(
        name=f"{component.device} {component.name}".strip(),
        host=host,
        track=counter if counter >= 0 else _place(reader, host),
        has_counter=counter >= 0,
        is_reserved=not component.is_allocated,
        is_counted=False,
        has_addresses=allocations is not None and allocations.has_made,
    )
    totals: tuple[str, ...] = ()
    is_partial = component.is_ascending
    first = int(component.extents.first.min())
    if allocations is not None and allocations.first < first:  # before the first sample they say how full it is
        totals = _FIGURES[:1]
        # Where a total is missing the one before it holds, wherever that is.
        is_partial = is_partial and (yield from allocations.knows_totals(totals[0], first))
    return TablePool(identity, component, allocations, totals, is_partial, ())


def _lone_pool(
    reader: QueryReader, host: int, allocations: DeviceAllocations, totals: tuple[str, ...]
) -> Interruptible[TablePool]:
    """A memory of which operators alone tell, with these of their totals."""
    figure = None
    extremes = []
    for name in totals[:2]:
        extremes = yield from allocations.extremes(name)
        if any((most >= 0).any() for _, most in extremes):
            figure = name
            break
    identity = PoolIdentity(
        name=f"{allocations.device} {OPERATORS}".strip(),
        host=host,
        track=_place(reader, host),
        has_counter=False,
        is_reserved=figure == "reserved",
        is_counted=figure is None,
        has_addresses=allocations.has_made,
    )
    is_whole = figure is not None and all((least >= 0).all() for least, _ in extremes)
    return TablePool(identity, None, allocations, totals, is_whole, tuple(most for _, most in extremes))


def _owner(
    sampled: Sequence[Component], allocations: DeviceAllocations, taken: Container[int]
) -> Interruptible[int | None]:
    """The component most of whose samples have the time and the total of an allocation; of equal ones the first.

    The first events decide, if one component alone has most of them, and more than half; else the first chunk of
    allocations, or all of them, if none in it has a sample.
    """
    candidates = {
        number: component
        for number, component in enumerate(sampled)
        if component.device == allocations.device and number not in taken
    }
    first = allocations.chunks[:1]
    for chunks, events in ((first, _FIRST_EVENTS), (first, None), (allocations.chunks, None)):
        rows: AllocationRows | None = None
        repeated: dict[int, int] = {}
        for number, component in candidates.items():
            samples = np.ones(len(component.extents), np.bool_)
            if chunks is first and component.is_ascending:
                rows = rows or (yield from allocations.rows(chunks, _FIGURES[:1]))
                begin, end = allocations.extent(int(chunks[0]))
                samples = component.extents.near(begin, min(end, int(rows.tick[:events][-1])))
            elif component.count(samples) + allocations.count(chunks) > MAX_ROWS:
                continue
            fill = yield from component.rows(samples)
            # No two allocations meet one sample: a component with few cannot be it.
            if len(fill) >= max(repeated.values(), default=1):
                rows = rows or (yield from allocations.rows(chunks, _FIGURES[:1]))
                repeated[number] = _repeated(fill, rows.tick[:events], rows.allocated[:events])
            yield
        most = max(repeated.values(), default=0)
        owners = [number for number, count in repeated.items() if count == most > 0]
        is_clear = len(owners) == 1 and rows is not None and 2 * most > len(rows.tick[:events])
        if owners and (is_clear or events is None):
            return owners[0]
    return None


def _repeated(fill: FillRows, ticks: Ints, allocated: Ints) -> int:
    """The number of samples that have the time and the total of an allocation."""
    meeting = meeting_samples(fill.tick, ticks)
    total = allocated[meeting.is_there]
    same = fill.allocated[meeting.place[meeting.is_there]] == total
    return int(np.count_nonzero(same & (total >= 0)))


def _counter(reader: QueryReader, component: Component) -> int:
    """The counter that is drawn of a component; -1 if there is none."""
    tree, file = reader.tree, component.table.entry.file
    names = [f"{component.name} {figure}".strip() for figure in _COUNTERS]
    wanted = names[0 if component.is_allocated else 1]
    counters = [track for track in tree.tracks if track.kind == "counter" and track.name == wanted]
    here = [track for track in counters if reader.file_of(track.id) == file]
    named = [track for track in here if tree.groups[track.group].detail == component.device]
    return next((track.id for track in named or here[:1]), -1)


def _place(reader: QueryReader, host: int) -> int:
    """A track of a host whose steps are those of its memories; -1 if there is none."""
    tree = reader.tree
    name = tree.groups[host].name if host >= 0 else ""
    tracks = tree.of_host(name) if name else [track.id for track in tree.tracks]
    return tracks[0] if tracks else -1
