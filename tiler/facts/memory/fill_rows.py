"""Samples of tables about memory: how full the components of devices are over time, in the chunks that are wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.memory.extents import Extents
from tilescope.tiler.facts.memory.table_columns import (
    DEVICES,
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
from tilescope.tiler.facts.tables import RunTable, TableColumn
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.store.two_threads import for_each

FILLS: Final = ("memory_record", "npu_module_mem")

MAX_OWNERS: Final = 1000  # components of devices in a file, as many as are drawn

_TICK: Final = "timestamp"
_COMPONENT: Final = "component"
_SIZES: Final = ("totalallocated", "totalreserved", "totalactive")

# Between two turns: some tens of milliseconds of two threads.
CHUNKS_AT_ONCE: Final = 16

Owner = tuple[str, str]  # device, component


@dataclass(frozen=True, slots=True)
class FillRows:
    """Samples of a component of a device, by time: columns (n,), bytes, NO_SIZE where there is none."""

    device: str
    component: str
    table: RunTable
    tick: Ints
    allocated: Ints
    reserved: Ints
    active: Ints
    ordinal: Ints  # of the counter that is drawn of it; -1: the cell is no plain number, and not drawn

    def __len__(self) -> int:
        return len(self.tick)

    def part(self, rows: slice) -> FillRows:
        """Some of them."""
        columns = self.tick, self.allocated, self.reserved, self.active, self.ordinal
        return FillRows(self.device, self.component, self.table, *(column[rows] for column in columns))


class _Samples(NamedTuple):
    """Columns of rows of a component."""

    tick: Ints
    allocated: Ints
    reserved: Ints
    active: Ints
    has_allocated: NDArray[np.bool_]  # a plain number
    has_reserved: NDArray[np.bool_]

    def take(self, rows: Ints | NDArray[np.bool_]) -> _Samples:
        sizes = self.tick[rows], self.allocated[rows], self.reserved[rows], self.active[rows]
        return _Samples(*sizes, self.has_allocated[rows], self.has_reserved[rows])


class _Figure(NamedTuple):
    """Samples of a component in a chunk, of one of its figures."""

    chunk: int
    first: int  # tick of a sample
    last: int
    most: int  # bytes, NO_SIZE: no sample
    drawn: int  # plain numbers

    @classmethod
    def from_sizes(cls, chunk: int, ticks: Ints, sizes: Ints, is_drawn: NDArray[np.bool_]) -> _Figure:
        most, drawn = int(sizes.max()), int(np.count_nonzero(is_drawn))
        if most < 0:
            return cls(chunk, NO_TICK, NO_TICK, NO_SIZE, drawn)
        ticks = ticks[sizes >= 0] if int(sizes.min()) < 0 else ticks
        return cls(chunk, int(ticks.min()), int(ticks.max()), most, drawn)


class _ChunkFigures(NamedTuple):
    """Samples of a component in a chunk. `first` and `last`: ticks of its first and its last row."""

    is_ascending: bool
    first: int
    last: int
    allocated: _Figure
    reserved: _Figure

    @classmethod
    def from_samples(cls, chunk: int, samples: _Samples) -> _ChunkFigures:
        tick = samples.tick
        return cls(
            by_time(tick) is None,
            int(tick[0]),
            int(tick[-1]),
            _Figure.from_sizes(chunk, tick, samples.allocated, samples.has_allocated),
            _Figure.from_sizes(chunk, tick, samples.reserved, samples.has_reserved),
        )


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a device in a table, with what its chunks have of it: columns (k,), as those of `extents`."""

    reader: QueryReader
    table: RunTable
    owner: Owner
    extents: Extents
    is_ascending: bool  # its rows are in the order of time
    is_allocated: bool  # sampled is what is allocated, or else what is reserved
    most: Ints  # bytes of the greatest sample
    drawn: Ints  # samples of its counter in the chunks before

    @property
    def device(self) -> str:
        """The device as files of all versions call it."""
        return device_name(self.owner[0])

    @property
    def name(self) -> str:
        """The component."""
        return self.owner[1]

    def count(self, which: NDArray[np.bool_]) -> int:
        """Rows of some chunks, of all components."""
        return sum(self.table.entry.chunk_rows[chunk] for chunk in self.extents.chunk[which].tolist())

    def rows(self, which: NDArray[np.bool_]) -> Interruptible[FillRows]:
        """Its samples in some chunks. Ordinals are right if rows ascend, or with all chunks."""
        parts = [_NO_SAMPLES]
        ordinals = [np.zeros(0, np.int64)]
        for place in np.flatnonzero(which).tolist():
            samples = (yield from _chunk(self.reader, self.table, int(self.extents.chunk[place])))[self.owner]
            parts.append(samples)
            ordinals.append(_ordinals(self._is_drawn(samples), int(self.drawn[place])))
            yield
        samples = parts[1] if len(parts) == 2 else _Samples(*map(np.concatenate, zip(*parts, strict=True)))
        ordinal = np.concatenate(ordinals)
        order = None if self.is_ascending else by_time(samples.tick)
        if order is not None:
            samples = samples.take(order)
            ordinal = _ordinals(self._is_drawn(samples), 0)
        is_sample = (samples.allocated if self.is_allocated else samples.reserved) >= 0
        columns = samples.tick, samples.allocated, samples.reserved, samples.active, ordinal
        chosen = columns if is_sample.all() else [column[is_sample] for column in columns]
        return FillRows(self.device, self.name, self.table, *chosen)

    def _is_drawn(self, samples: _Samples) -> NDArray[np.bool_]:
        # Of those that say what is allocated other samples are none: the others have what is reserved.
        return samples.has_allocated if self.is_allocated else samples.has_reserved


@dataclass(slots=True)
class _Parts:
    """Figures of a component by chunk, one after the other."""

    is_ascending: bool = True
    last: int = NO_TICK
    allocated: list[_Figure] = field(default_factory=list)
    reserved: list[_Figure] = field(default_factory=list)

    def add(self, part: _ChunkFigures) -> None:
        self.is_ascending &= part.is_ascending and self.last <= part.first
        self.last = part.last
        self.allocated.append(part.allocated)
        self.reserved.append(part.reserved)

    def component(self, reader: QueryReader, table: RunTable, owner: Owner) -> Component | None:
        """None where nothing is sampled."""
        is_allocated = any(figure.most >= 0 for figure in self.allocated)
        chunk, first, last, most, drawn = np.array(self.allocated if is_allocated else self.reserved, np.int64).T
        is_sampled = most >= 0
        if not is_sampled.any():
            return None
        extents = Extents(chunk[is_sampled], first[is_sampled], last[is_sampled])
        before = (np.cumsum(drawn) - drawn)[is_sampled]
        return Component(reader, table, owner, extents, self.is_ascending, is_allocated, most[is_sampled], before)


def components(reader: QueryReader, table: RunTable) -> Interruptible[Sequence[Component]]:
    """The components of which a table has samples, of the first MAX_OWNERS, in the order in which they come."""
    kept = _COMPONENTS.get(reader, table.entry.id)
    if kept is not None:
        return kept
    parts: dict[Owner, _Parts] = {}
    headers = headers_named(table, *_COLUMNS[:-1])  # what is active has no extents

    def figures(chunk: int, _: object) -> list[tuple[Owner, _ChunkFigures]]:
        owned = finish(_read(reader, table, headers, chunk))
        return [(owner, _ChunkFigures.from_samples(chunk, samples)) for owner, samples in owned]

    every_chunk = range(len(table.entry.chunk_rows))
    for owned in (yield from for_each(every_chunk, figures, every_chunk, every_chunk, CHUNKS_AT_ONCE)):
        for owner, part in owned:
            if owner in parts or len(parts) < MAX_OWNERS:
                parts.setdefault(owner, _Parts()).add(part)
    every = (part.component(reader, table, owner) for owner, part in parts.items())
    return _COMPONENTS.keep(reader, table.entry.id, [component for component in every if component is not None])


def _chunk(reader: QueryReader, table: RunTable, chunk: int) -> Interruptible[Mapping[Owner, _Samples]]:
    kept = _CHUNKS.get(reader, (table.entry.id, chunk))
    if kept is None:
        samples = yield from _read(reader, table, headers_named(table, *_COLUMNS), chunk)
        kept = _CHUNKS.keep(reader, (table.entry.id, chunk), dict(samples))
    return kept


def _read(
    reader: QueryReader, table: RunTable, headers: Mapping[str, str], chunk: int
) -> Interruptible[list[tuple[Owner, _Samples]]]:
    """The rows of a chunk that have a time, by their owners, in the order in which these come."""
    count = table.entry.chunk_rows[chunk]
    cells = chunk_columns(table, headers, chunk)
    samples = yield from _samples(reader, headers, cells, count)
    devices, places = (chunk_texts(cells.get(plain), count) for plain in (DEVICES[0], _COMPONENT))
    rows = np.flatnonzero(samples.tick != NO_TICK)
    keys, codes = distinct((devices.codes * len(places.words) + places.codes)[rows])
    if not len(keys):
        return []
    order = np.argsort(codes.astype(np.uint16), kind="stable")  # so many rows has a chunk: sorted by their digits
    ends = np.cumsum(np.bincount(codes))
    starts = ends - np.bincount(codes)
    owned = []
    for place in np.argsort(order[starts]).tolist():
        device, component = divmod(int(keys[place]), len(places.words))
        own = rows[order[starts[place] : ends[place]]]
        part = samples if len(own) == count else samples.take(own)
        owned.append(((devices.words[device], places.words[component]), part))
    return owned


def _samples(
    reader: QueryReader, headers: Mapping[str, str], cells: Mapping[str, TableColumn], count: int
) -> Interruptible[_Samples]:
    """The columns of a chunk."""
    tick = np.full(count, NO_TICK)
    if _TICK in cells:
        tick = chunk_ticks(reader, cells[_TICK], headers[_TICK], reader.manifest.origin_ns)
    sizes: list[Ints] = []
    for plain in _SIZES:
        size = np.broadcast_to(np.int64(NO_SIZE), count)
        if plain in cells:
            size = yield from chunk_sizes(cells[plain], headers[plain], MEBIBYTE)
            size[size < 0] = NO_SIZE
        sizes.append(size)
    nothing = np.zeros(count, np.bool_)
    allocated, reserved, active = sizes
    drawn, held = (cells[plain].has_number if plain in cells else nothing for plain in _SIZES[:2])
    return _Samples(tick, allocated, reserved, active, drawn, held)


def _ordinals(is_drawn: NDArray[np.bool_], first: int) -> Ints:
    """Ordinals of rows, from that of the first that is drawn on; -1 of others."""
    if is_drawn.all():
        return np.arange(first, first + len(is_drawn))
    return np.where(is_drawn, np.cumsum(is_drawn) + (first - 1), -1)


def _samples_bytes(samples: Mapping[Owner, _Samples]) -> int:
    return sum(column.nbytes for own in samples.values() for column in own)


_COLUMNS: Final = ((_TICK,), (_COMPONENT,), DEVICES, *((plain,) for plain in _SIZES))
_NO_SIZES: Final = np.zeros(0, np.int64)
_NO_FLAGS: Final = np.zeros(0, np.bool_)
_NO_SAMPLES: Final = _Samples(_NO_SIZES, _NO_SIZES, _NO_SIZES, _NO_SIZES, _NO_FLAGS, _NO_FLAGS)

_COMPONENTS: Final = KeyedRunCache[int, Sequence[Component]]("memory_components", "Extents of samples of memories")
_CHUNKS: Final = KeyedRunCache[tuple[int, int], Mapping[Owner, _Samples]](
    "memory_chunks", "Samples of memories, some of a table", _samples_bytes
)
