"""Columns of tables about memory: times as ticks of the timeline, and the extents of chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns.memory_extents import MemoryExtent, Reach, Stamp
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.cell_values import CellTimes
from tilescope.tiler.records.cells import Cells
from tilescope.tiler.records.memory_extents import memory_extents
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]

NO_TICK: Final = -(1 << 63)

# Between two turns: some tens of milliseconds of two threads.
_CHUNKS_AT_ONCE: Final = 16


def chunk_cells(table: RunTable, headers: Mapping[str, str], chunk: int) -> dict[str, Cells]:
    """The columns of a chunk, by the plain names that they have in `headers`."""
    return {plain: table.cells(table.places[header], chunk) for plain, header in headers.items()}


def table_extents(reader: QueryReader, table: RunTable) -> Interruptible[list[tuple[MemoryExtent, ...]]]:
    """The extents of the rows that are on the time axis, by chunk, of each owner.

    Cells are read where extents are not stored, or some rows are further away than a time axis reaches.
    """
    reach, entry = _reach(reader), table.entry
    every = list(entry.extents)
    lacking = [
        chunk
        for chunk, extents in enumerate(every)
        if extents is None or not all(extent.is_within(reach) for extent in extents)
    ]

    def extents_of(chunk: int, _: object) -> tuple[MemoryExtent, ...]:
        return memory_extents(entry.family, table.columns, lambda place: table.cells(place, chunk), reach)

    parts = yield from for_each(lacking, extents_of, lacking, lacking, _CHUNKS_AT_ONCE)
    for chunk, extents in zip(lacking, parts, strict=True):
        every[chunk] = extents
    return [extents or () for extents in every]


def tick_of(reader: QueryReader, stamp: Stamp) -> int:
    """The tick of a time that is on the axis, or before its beginning: negative."""
    per_ns = 1000 // reader.tick_ps
    return (stamp[0] - reader.manifest.origin_ns) * per_ns + (stamp[1] if per_ns > 1 else 0)


def ticks_of(reader: QueryReader, times: CellTimes) -> Ints:
    """The same by row; NO_TICK where a cell is no time, or further away."""
    per_ns = 1000 // reader.tick_ps
    first, stop = _reach(reader)
    fits = times.fits & (times.ns >= first) & (times.ns < stop)
    since = times.ns - reader.manifest.origin_ns
    ticks: Ints = np.where(fits, since * per_ns + (times.ps if per_ns > 1 else 0), NO_TICK)
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
