"""Columns of tables about memory: times as ticks of the timeline, and the extents of chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns.memory_extents import MemoryExtent, MemoryOwner, Reach, Stamp
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.records.cell_values import CellTimes
from tilescope.tiler.records.cells import Cells
from tilescope.tiler.records.memory_extents import memory_extents
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]

NO_TICK: Final = -(1 << 63)

MAX_OWNERS: Final = 1000  # components of devices in a file, or devices: as many components as are drawn

# A column of a chunk counts as so many records: a second thread is worth its start from two columns on. The first tenth
# of a run of eight ranks that a reader is asked about took 0.40 s with one thread, 0.33 s with two.
_COLUMN_RECORDS: Final = 4

Rows = TypeVar("Rows")


def chunk_cells(table: RunTable, headers: Mapping[str, str], chunk: int) -> dict[str, Cells]:
    """The columns of a chunk, by the plain names that they have in `headers`; two threads read them."""
    places = [table.places[header] for header in headers.values()]
    read = for_each(places, lambda place, table: table.cells(place, chunk), table, table, records=_COLUMN_RECORDS)
    cells = finish(read)
    return dict(zip(headers, cells, strict=True))


def table_extents(
    reader: QueryReader, table: RunTable
) -> Interruptible[Mapping[MemoryOwner, list[tuple[int, MemoryExtent]]]]:
    """The extents of the rows that are on the time axis, with their chunks, of the first MAX_OWNERS in their order.

    Cells are read where extents are not stored, or some rows are further away than a time axis reaches.
    """
    reach, entry = _reach(reader), table.entry
    by_owner: dict[MemoryOwner, list[tuple[int, MemoryExtent]]] = {}

    def is_wanted(owner: MemoryOwner) -> bool:
        return owner in by_owner or len(by_owner) < MAX_OWNERS

    for chunk, stored in enumerate(entry.extents):
        extents: Iterable[MemoryExtent]
        if stored is not None and all(extent.is_within(reach) for extent in stored):
            extents = stored
        else:
            extents = memory_extents(entry.family, table.columns, _cells_of(table, chunk), reach, is_wanted)
            yield
        for extent in extents:
            if is_wanted(extent.owner):
                by_owner.setdefault(extent.owner, []).append((chunk, extent))
    return by_owner


def _cells_of(table: RunTable, chunk: int) -> Callable[[int], Cells]:
    return lambda place: table.cells(place, chunk)


def must_have(table: RunTable, chunk: int, rows: Rows | None) -> Rows:
    """The rows of an owner in a chunk. Raises DamagedStore where it has none, though its extents say so."""
    if rows is None:
        what = f"chunk {chunk} of table {table.entry.id} ({table.entry.name!r}) has not the rows that the list says"
        raise DamagedStore(f"{table.reader.store.location}: {what}")
    return rows


def tick_of(reader: QueryReader, stamp: Stamp) -> int:
    """The tick of a time that is on the axis, or before its beginning: negative."""
    per_ns = 1000 // reader.tick_ps
    return (stamp[0] - reader.manifest.origin_ns) * per_ns + (stamp[1] if per_ns > 1 else 0)


def ticks_of(reader: QueryReader, times: CellTimes) -> Ints:
    """The same by row; NO_TICK where a cell is no time, or further away."""
    per_ns = 1000 // reader.tick_ps
    first, stop = _reach(reader)
    ticks = times.ns - reader.manifest.origin_ns
    ticks *= per_ns
    if per_ns > 1:
        ticks += times.ps
    is_near = first <= times.ns.min(initial=first) and times.ns.max(initial=first) < stop
    if not (is_near and times.fits.all()):  # seldom
        ticks[~(times.fits & (times.ns >= first) & (times.ns < stop))] = NO_TICK
    return ticks


def _reach(reader: QueryReader) -> Reach:
    limit, origin_ns = TICK_LIMIT // (1000 // reader.tick_ps), reader.manifest.origin_ns
    return origin_ns - limit + 1, origin_ns + limit


def by_time(ticks: Ints) -> Ints | None:
    """The order of rows by time, of one moment as they are; None where they are in it, as in files as a rule."""
    return None if bool((ticks[1:] >= ticks[:-1]).all()) else np.argsort(ticks, kind="stable")


def device_name(text: str) -> str:
    """A device as files of all versions call it."""
    return f"NPU:{text}" if text.isdecimal() else text
