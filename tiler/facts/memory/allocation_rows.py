"""Allocations of tables about memory: of operators, on one device each, with what frees them, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import column_named
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.memory.extents import Extents
from tilescope.tiler.facts.memory.fill_rows import CHUNKS_AT_ONCE, MAX_OWNERS
from tilescope.tiler.facts.memory.table_columns import (
    DEVICES,
    KIBIBYTE,
    MEBIBYTE,
    NO_SIZE,
    NO_TICK,
    Ints,
    by_time,
    chunk_columns,
    chunk_sizes,
    chunk_texts,
    chunk_ticks,
    device_name,
    headers_named,
)
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.tables import RunTable, TableColumn
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.windows import Windows

ALLOCATIONS: Final = "operator_memory"

_BEGIN, _END, _LENGTH, _SIZE = "allocationtime", "releasetime", "duration", "size"
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
            rows = yield from self._chunk(chunk)
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
                rows = yield from self._chunk(chunk)
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
            rows = yield from self._chunk(chunk)
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
        rows = yield from self._chunk(chunk)
        ticks = rows.begin if side == "allocation" else rows.end
        total = yield from self._totals(f"{side}total{figure}", np.array([chunk]), [rows])
        return ticks[ticks != NO_TICK], total[ticks != NO_TICK]

    def _totals(self, plain: str, chunks: Ints, parts: Sequence[_Rows]) -> Interruptible[Ints]:
        header = column_named(self.table, plain)
        totals = [np.zeros(0, np.int64)]
        for chunk, part in zip(chunks.tolist(), parts, strict=True):
            size = np.broadcast_to(np.int64(NO_SIZE), len(part.row))
            if header is not None:
                column = TableColumn(header, [self.table.cells(self.table.places[header], chunk)])
                size = (yield from chunk_sizes(column, header, MEBIBYTE))[part.row]
            totals.append(size)
            yield
        return np.concatenate(totals)

    def _chunk(self, chunk: int) -> Interruptible[_Rows]:
        kept = _CHUNKS.get(self.reader, (self.table.entry.id, chunk))
        if kept is None:
            rows = yield from _read(self.reader, self.table, chunk)
            kept = _CHUNKS.keep(self.reader, (self.table.entry.id, chunk), dict(rows))
        return kept[self.owner]


class _ChunkMoments(NamedTuple):
    """Begins, or ends, of allocations of a device in a chunk."""

    chunk: int
    first: int
    last: int
    events: int
    size_bytes: int

    @classmethod
    def from_ticks(cls, chunk: int, ticks: Ints, size: Ints) -> _ChunkMoments:
        return cls(chunk, int(ticks.min()), int(ticks.max()), len(ticks), sum_of(np.maximum(size, 0)))


class _ChunkFigures(NamedTuple):
    """Allocations of a device in a chunk; None: none begin, or end, in it."""

    made: _ChunkMoments | None
    freed: _ChunkMoments | None
    last_end: int  # of those that begin in it

    @classmethod
    def from_rows(cls, chunk: int, rows: _Rows) -> _ChunkFigures:
        made, freed = rows.begin != NO_TICK, rows.end != NO_TICK
        ends = rows.end[made]
        return cls(
            _ChunkMoments.from_ticks(chunk, rows.begin[made], rows.size[made]) if len(ends) else None,
            _ChunkMoments.from_ticks(chunk, rows.end[freed], rows.size[freed]) if freed.any() else None,
            int(_NEVER if (ends == NO_TICK).any() else ends.max(initial=NO_TICK)),
        )


def _moments(parts: Sequence[_ChunkMoments]) -> Moments:
    chunk, first, last, count = (np.array([part[column] for part in parts], np.int64) for column in range(4))
    return Moments(Extents(chunk, first, last), count, [part.size_bytes for part in parts])


@dataclass(slots=True)
class _Parts:
    """Figures of a device by chunk, one after the other."""

    made: list[_ChunkMoments] = field(default_factory=list)
    freed: list[_ChunkMoments] = field(default_factory=list)
    last_end: list[int] = field(default_factory=list)

    def add(self, part: _ChunkFigures) -> None:
        if part.made is not None:
            self.made.append(part.made)
            self.last_end.append(part.last_end)
        if part.freed is not None:
            self.freed.append(part.freed)


def device_allocations(reader: QueryReader, table: RunTable) -> Interruptible[Sequence[DeviceAllocations]]:
    """The allocations of a table by device, of the first MAX_OWNERS, in the order in which they come."""
    kept = _DEVICES.get(reader, table.entry.id)
    if kept is not None:
        return kept
    parts: dict[str, _Parts] = {}

    def figures(chunk: int, _: object) -> list[tuple[str, _ChunkFigures]]:
        return [(owner, _ChunkFigures.from_rows(chunk, rows)) for owner, rows in finish(_read(reader, table, chunk))]

    every_chunk = range(len(table.entry.chunk_rows))
    for owned in (yield from for_each(every_chunk, figures, every_chunk, every_chunk, CHUNKS_AT_ONCE)):
        for owner, part in owned:
            if owner in parts or len(parts) < MAX_OWNERS:
                parts.setdefault(owner, _Parts()).add(part)
    devices = [
        DeviceAllocations(
            reader, table, owner, _moments(part.made), _moments(part.freed), np.array(part.last_end, np.int64)
        )
        for owner, part in parts.items()
    ]
    return _DEVICES.keep(reader, table.entry.id, devices)


def _read(reader: QueryReader, table: RunTable, chunk: int) -> Interruptible[list[tuple[str, _Rows]]]:
    """The rows of a chunk by their devices, in the order in which these come."""
    headers = headers_named(table, (_BEGIN,), (_END,), (_LENGTH,), (_SIZE,), DEVICES)
    if _END in headers:  # msprof writes durations alone
        headers.pop(_LENGTH, None)
    cells = chunk_columns(table, headers, chunk)
    count = table.entry.chunk_rows[chunk]

    def ticks(plain: str, origin_ns: int) -> Ints:
        if plain not in cells:
            return np.full(count, NO_TICK)
        return chunk_ticks(reader, cells[plain], headers[plain], origin_ns)

    begin, end = (ticks(plain, reader.manifest.origin_ns) for plain in (_BEGIN, _END))
    if _END not in headers:
        length = ticks(_LENGTH, 0)
        end = np.where((begin != NO_TICK) & (length != NO_TICK), begin + length, NO_TICK)
    end = np.where((end != NO_TICK) & (begin != NO_TICK), np.maximum(begin, end), end)
    size = np.full(count, -1)
    if _SIZE in cells:
        size = yield from chunk_sizes(cells[_SIZE], headers[_SIZE], KIBIBYTE)
        size = np.where(size == NO_SIZE, -1, np.abs(size))
    devices = chunk_texts(cells.get(DEVICES[0]), count)
    return [
        (devices.words[code], _Rows(rows, begin[rows], end[rows], size[rows]))
        for code, rows in _groups(devices.codes, (begin != NO_TICK) | (end != NO_TICK))
    ]


def _groups(keys: Ints, chosen: NDArray[np.bool_]) -> Iterator[tuple[int, Ints]]:
    """Keys of the chosen rows in the order in which they come first, and the rows of each."""
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return
    _, codes = distinct(keys[rows])
    order = np.argsort(codes.astype(np.uint16), kind="stable")  # so many rows has a chunk: sorted by their digits
    parts = np.split(rows[order], np.cumsum(np.bincount(codes))[:-1])
    for part in sorted(parts, key=lambda part: int(part[0])):
        yield int(keys[part[0]]), part


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
