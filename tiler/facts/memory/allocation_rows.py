"""Allocations of tables about memory: of operators, on one device each, with what frees them, chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns.memory_extents import NO_SIZE, AllocationExtent, MomentExtent
from tilescope.tiler.facts.ascend.headers import column_named
from tilescope.tiler.facts.memory.extents import Extents
from tilescope.tiler.facts.memory.table_columns import (
    NO_TICK,
    Ints,
    by_time,
    chunk_cells,
    device_name,
    must_have,
    table_extents,
    tick_of,
    ticks_of,
)
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.tables import RunTable, TableColumn
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.memory_cells import DEVICES, MEBIBYTE, cell_sizes, rows_by_owner
from tilescope.tiler.records.memory_extents import SIZE, allocation_headers, allocation_sizes, allocation_times
from tilescope.tiler.windows import Windows

_NEVER: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class AllocationRows:
    """Allocations and frees on a device, by time: columns (n,), bytes, NO_SIZE where there is none."""

    device: str
    words: Sequence[str]
    tick: Ints
    is_free: NDArray[np.bool_]
    size: Ints
    operation: NDArray[np.int32]  # place in `words`
    replaced: NDArray[np.int32]  # of an allocation: the event that frees it, n if there is none
    allocated: Ints  # in all, after the event
    reserved: Ints
    active: Ints

    def __len__(self) -> int:
        return len(self.tick)


class _Rows(NamedTuple):
    """Rows of a device in a chunk that are allocated or freed at a known time."""

    row: Ints  # of the chunk
    begin: Ints  # ticks, NO_TICK: not recorded
    end: Ints
    size: Ints

    def happening(self, windows: Windows) -> _Rows:
        """Rows that are made or freed in some windows."""
        rows = np.flatnonzero(windows.hold(self.begin) | windows.hold(self.end))
        return _Rows(*(column[rows] for column in self))

    def alive(self, tick: int) -> NDArray[np.bool_]:
        """True for those that are there at a tick, be it as the first or the last of it."""
        alive: NDArray[np.bool_] = (self.begin != NO_TICK) & (self.begin <= tick)
        alive &= (self.end == NO_TICK) | (self.end >= tick)
        return alive


@dataclass(frozen=True, slots=True)
class Moments:
    """Allocations, or frees, by chunk: columns (k,), as those of `extents`."""

    extents: Extents
    count: Ints
    size_bytes: Sequence[int]  # of all of them together

    def within(self, windows: Windows) -> tuple[int, int]:
        """Their number in the chunks that are in one of some windows, and their bytes."""
        whole = np.flatnonzero(self.extents.within(windows))
        return int(self.count[whole].sum()), sum(self.size_bytes[place] for place in whole.tolist())


@dataclass(frozen=True, slots=True)
class DeviceAllocations:
    """The allocations of a table on a device, with what its chunks have of them."""

    reader: QueryReader
    table: RunTable
    owner: str
    made: Moments
    freed: Moments
    last_end: Ints  # of what the chunks of `made` allocate: when the last of it is freed, _NEVER without end

    @property
    def device(self) -> str:
        """The device as files of all versions call it."""
        return device_name(self.owner)

    @property
    def chunks(self) -> Ints:
        """Numbers of all chunks with any."""
        return _numbers([self.made.extents.chunk, self.freed.extents.chunk])

    @property
    def first(self) -> int:
        """The tick of the first of all."""
        return min(int(moments.extents.first.min(initial=_NEVER)) for moments in (self.made, self.freed))

    @property
    def has_made(self) -> bool:
        """True if it is known when some were allocated."""
        return len(self.made.extents) > 0

    def extent(self, chunk: int) -> tuple[int, int]:
        """The first and the last tick at which a chunk allocates, or else frees."""
        for extents in (self.made.extents, self.freed.extents):
            place = np.flatnonzero(extents.chunk == chunk)
            if len(place):
                return int(extents.first[place[0]]), int(extents.last[place[0]])
        raise ValueError(f"chunk {chunk} has no allocations")

    def count(self, chunks: Ints) -> int:
        """Rows of some chunks."""
        return sum(self.table.entry.chunk_rows[chunk] for chunk in chunks.tolist())

    def near(self, windows: Windows, held: Windows) -> Ints:
        """The chunks with what happens in some windows, and with what is last before those that are held."""
        sides = (moments.extents for moments in (self.made, self.freed))
        return _numbers([side.chunk[side.overlap(windows) | side.opening(held.starts)] for side in sides])

    def alive(self, tick: int) -> Ints:
        """The chunks with what is there at a tick."""
        extents = self.made.extents
        return extents.chunk[(extents.first <= tick) & (self.last_end >= tick)]

    def making(self, ticks: Ints) -> Ints:
        """The chunks that may allocate at one of some ticks, which ascend."""
        return self.made.extents.chunk[self.made.extents.holding(ticks)]

    def extremes(self, figure: str) -> Interruptible[list[tuple[Ints, Ints]]]:
        """Least and greatest of a total, as chunks are made and as they are freed: columns as those of extents."""
        key = (self.table.entry.id, self.owner, figure)
        kept = _EXTREMES.get(self.reader, key)
        if kept is not None:
            return kept
        sides = []
        for moments, side in self._sides():
            extremes = []
            for chunk in moments.extents.chunk.tolist():
                _, total = yield from self._side_total(figure, side, chunk)
                extremes.append((int(total.min()), int(total.max())))
            least, most = np.array(extremes, np.int64).reshape(-1, 2).T
            sides.append((least, most))
        return _EXTREMES.keep(self.reader, key, sides)

    def knows_totals(self, figure: str, last: int) -> Interruptible[bool]:
        """True if a total is recorded of all that is allocated and freed up to a tick."""
        for moments, side in self._sides():
            for chunk in moments.extents.chunk[moments.extents.first <= last].tolist():
                ticks, total = yield from self._side_total(figure, side, chunk)
                if bool((total[ticks <= last] < 0).any()):
                    return False
        return True

    def begins_alive(self, chunks: Ints, tick: int) -> Interruptible[Ints]:
        """Ticks at which what is there at a tick was allocated, ascending, of some chunks."""
        begins = [np.zeros(0, np.int64)]
        for chunk in chunks.tolist():
            rows = self._chunk(chunk)
            begins.append(rows.begin[rows.alive(tick)])
            yield
        return np.unique(np.concatenate(begins))

    def counts(self, windows: Windows) -> Interruptible[tuple[int, int, int, int]]:
        """Allocations and frees in some windows, and the bytes of each, as far as they are recorded."""
        figures = []
        for moments, is_end in ((self.made, False), (self.freed, True)):
            count, size_bytes = moments.within(windows)
            extents = moments.extents
            for chunk in extents.chunk[extents.overlap(windows) & ~extents.within(windows)].tolist():
                rows = self._chunk(chunk)
                ticks = rows.end if is_end else rows.begin
                inside = windows.hold(ticks) & (ticks != NO_TICK)
                count += int(np.count_nonzero(inside))
                size_bytes += sum_of(np.maximum(rows.size[inside], 0))
                yield
            figures.append((count, size_bytes))
        (made, made_bytes), (freed, freed_bytes) = figures
        return made, freed, made_bytes, freed_bytes

    def rows(
        self, chunks: Ints, figures: Sequence[str], windows: Windows | None = None, *, has_names: bool = False
    ) -> Interruptible[AllocationRows]:
        """The allocations of some chunks, with these of their totals; the others are NO_SIZE.

        With `windows` those that are made or freed in one.
        """
        parts = []
        for chunk in chunks.tolist():
            rows = self._chunk(chunk)
            parts.append(rows if windows is None else rows.happening(windows))
            yield
        row, begin, end, size = (
            np.concatenate([np.zeros(0, np.int64), *(getattr(part, name) for part in parts)]) for name in _Rows._fields
        )
        words: Sequence[str] = []
        operation = np.broadcast_to(np.int32(-1), len(row))
        if has_names:
            operation, words = yield from self._names(chunks, parts)
        made, freed = np.flatnonzero(begin != NO_TICK), np.flatnonzero(end != NO_TICK)
        tick = np.concatenate([begin[made], end[freed]])
        order = by_time(tick)
        order = np.arange(len(tick)) if order is None else order
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        freed_at = np.full(len(row), len(order), np.int32)
        freed_at[freed] = place[len(made) :]
        replaced = np.concatenate([freed_at[made], np.zeros(len(freed), np.int32)])
        which = np.concatenate([made, freed])[order]
        totals = []
        for figure in ("allocated", "reserved", "active"):
            if figure not in figures:
                totals.append(np.broadcast_to(np.int64(NO_SIZE), len(order)))
                continue
            at_begin = yield from self._totals(f"allocationtotal{figure}", chunks, parts)
            at_end = yield from self._totals(f"releasetotal{figure}", chunks, parts)
            total = np.concatenate([at_begin[made], at_end[freed]])[order]
            total[total < 0] = NO_SIZE
            totals.append(total)
        return AllocationRows(
            self.device,
            words,
            tick[order],
            order >= len(made),
            size[which],
            operation[which],
            replaced[order],
            *totals,
        )

    def _names(self, chunks: Ints, parts: Sequence[_Rows]) -> Interruptible[tuple[NDArray[np.int32], Sequence[str]]]:
        header = column_named(self.table, "name")
        if header is None:
            return np.full(sum(len(part.row) for part in parts), -1, np.int32), []
        place = self.table.places[header]
        column = TableColumn(header, [self.table.cells(place, chunk) for chunk in chunks.tolist()])
        codes, words = yield from column.coding()
        firsts = np.cumsum([0, *map(len, column.chunks)]).tolist()
        own = [part.row + first for part, first in zip(parts, firsts, strict=False)]
        return codes[np.concatenate([np.zeros(0, np.int64), *own])], words

    def _sides(self) -> tuple[tuple[Moments, str], ...]:
        """Allocations and frees, each with the word before the headers of their totals."""
        return (self.made, "allocation"), (self.freed, "release")

    def _side_total(self, figure: str, side: str, chunk: int) -> Interruptible[tuple[Ints, Ints]]:
        """Ticks of a chunk at which something is allocated, or freed, and a total after each."""
        rows = self._chunk(chunk)
        ticks = rows.begin if side == "allocation" else rows.end
        total = yield from self._totals(f"{side}total{figure}", np.array([chunk]), [rows])
        return ticks[ticks != NO_TICK], total[ticks != NO_TICK]

    def _totals(self, plain: str, chunks: Ints, parts: Sequence[_Rows]) -> Interruptible[Ints]:
        header = column_named(self.table, plain)
        totals = [np.zeros(0, np.int64)]
        for chunk, part in zip(chunks.tolist(), parts, strict=True):
            size = np.broadcast_to(np.int64(NO_SIZE), len(part.row))
            if header is not None:
                size = cell_sizes(self.table.cells(self.table.places[header], chunk), header, MEBIBYTE)[part.row]
            totals.append(size)
            yield
        return np.concatenate(totals)

    def _chunk(self, chunk: int) -> _Rows:
        kept = _CHUNKS.get(self.reader, (self.table.entry.id, chunk))
        if kept is None:
            kept = _CHUNKS.keep(self.reader, (self.table.entry.id, chunk), _read(self.reader, self.table, chunk))
        return must_have(self.table, chunk, kept.get(self.owner))


def device_allocations(reader: QueryReader, table: RunTable) -> Interruptible[Sequence[DeviceAllocations]]:
    """The allocations of a table by device, of the first MAX_OWNERS, in the order in which they come."""
    kept = _DEVICES.get(reader, table.entry.id)
    if kept is not None:
        return kept
    by_owner = yield from table_extents(reader, table)
    parts = ([(chunk, part) for chunk, part in own if isinstance(part, AllocationExtent)] for own in by_owner.values())
    return _DEVICES.keep(reader, table.entry.id, [_of_device(reader, table, own) for own in parts])


def _of_device(reader: QueryReader, table: RunTable, own: Sequence[tuple[int, AllocationExtent]]) -> DeviceAllocations:
    """The allocations of some extents, with their chunks."""
    made = [(chunk, extent.made) for chunk, extent in own if extent.made is not None]
    freed = [(chunk, extent.freed) for chunk, extent in own if extent.freed is not None]
    ends = [extent.last_end for _, extent in own if extent.made is not None]
    last_end = [_NEVER if end is None else tick_of(reader, end) for end in ends]
    sides = _moments(reader, made), _moments(reader, freed)
    return DeviceAllocations(reader, table, own[0][1].owner, *sides, np.array(last_end, np.int64))


def _moments(reader: QueryReader, parts: Sequence[tuple[int, MomentExtent]]) -> Moments:
    rows = [
        (chunk, tick_of(reader, extent.first), tick_of(reader, extent.last), extent.events) for chunk, extent in parts
    ]
    chunk, first, last, count = np.array(rows, np.int64).reshape(-1, 4).T
    return Moments(Extents(chunk, first, last), count, [extent.size_bytes for _, extent in parts])


def _read(reader: QueryReader, table: RunTable, chunk: int) -> dict[str, _Rows]:
    """The rows of a chunk by their devices."""
    headers = allocation_headers(table.columns)
    cells = chunk_cells(table, headers, chunk)
    times = allocation_times(headers, cells)
    if times is None:
        return {}
    begin, end = (ticks_of(reader, side) for side in times)
    size = np.full(len(begin), -1)
    if SIZE in cells:
        size = allocation_sizes(cells[SIZE], headers[SIZE])
    rows = np.flatnonzero((begin != NO_TICK) | (end != NO_TICK))
    return {
        device: _Rows(own, begin[own], end[own], size[own])
        for (device,), own in rows_by_owner(rows, cells.get(DEVICES[0]))
    }


def _numbers(chunks: Sequence[Ints]) -> Ints:
    """Numbers of chunks, each once, ascending."""
    return np.unique(np.concatenate(chunks))


def _rows_bytes(rows: Mapping[str, _Rows]) -> int:
    return sum(column.nbytes for own in rows.values() for column in own)


_DEVICES: Final = KeyedRunCache[int, Sequence[DeviceAllocations]](
    "memory_devices", "Extents of allocations that tables tell of"
)
_CHUNKS: Final = KeyedRunCache[tuple[int, int], Mapping[str, _Rows]](
    "allocation_chunks", "Allocations that tables tell of, some of a table", _rows_bytes
)
_EXTREMES: Final = KeyedRunCache[tuple[int, str, str], list[tuple[Ints, Ints]]](
    "allocation_totals", "Least and greatest totals of allocations that tables tell of"
)
