"""Samples of tables about memory: how full the components of devices are over time, in the chunks that are wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns.memory_extents import NO_SIZE, FillExtent
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
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.cell_values import MICROSECOND_DIGITS, has_number, header_times
from tilescope.tiler.records.memory_cells import DEVICES, MEBIBYTE, cell_sizes, headers_named, rows_by_owner
from tilescope.tiler.records.memory_extents import COMPONENT, FILL_COLUMNS, SAMPLED, TIMESTAMP

_ACTIVE: Final = "totalactive"

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
            chunk = int(self.extents.chunk[place])
            samples = must_have(self.table, chunk, _chunk(self.reader, self.table, chunk).get(self.owner))
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


def components(reader: QueryReader, table: RunTable) -> Interruptible[Sequence[Component]]:
    """The components of which a table has samples, of the first MAX_OWNERS, in the order in which they come."""
    kept = _COMPONENTS.get(reader, table.entry.id)
    if kept is not None:
        return kept
    by_owner = yield from table_extents(reader, table)
    parts = ([(chunk, part) for chunk, part in own if isinstance(part, FillExtent)] for own in by_owner.values())
    every = [_component(reader, table, own) for own in parts]
    return _COMPONENTS.keep(reader, table.entry.id, [component for component in every if component is not None])


def _component(reader: QueryReader, table: RunTable, own: Sequence[tuple[int, FillExtent]]) -> Component | None:
    """The component of some extents, with their chunks; None where nothing is sampled."""
    is_allocated = any(extent.allocated.most >= 0 for _, extent in own)
    figures = [extent.allocated if is_allocated else extent.reserved for _, extent in own]
    most = np.array([figure.most for figure in figures], np.int64)
    is_sampled = most >= 0
    if not is_sampled.any():
        return None
    chunk = np.array([number for number, _ in own], np.int64)
    first, last = (
        np.array([tick_of(reader, stamp) for stamp in stamps], np.int64)
        for stamps in ([figure.first for figure in figures], [figure.last for figure in figures])
    )
    drawn = np.array([figure.drawn for figure in figures], np.int64)
    is_ascending = all(extent.is_ascending for _, extent in own) and all(
        before.last <= extent.first for (_, before), (_, extent) in pairwise(own)
    )
    extents = Extents(chunk[is_sampled], first[is_sampled], last[is_sampled])
    before = (np.cumsum(drawn) - drawn)[is_sampled]
    return Component(reader, table, own[0][1].owner, extents, is_ascending, is_allocated, most[is_sampled], before)


def _chunk(reader: QueryReader, table: RunTable, chunk: int) -> Mapping[Owner, _Samples]:
    kept = _CHUNKS.get(reader, (table.entry.id, chunk))
    return _CHUNKS.keep(reader, (table.entry.id, chunk), _read(reader, table, chunk)) if kept is None else kept


def _read(reader: QueryReader, table: RunTable, chunk: int) -> dict[Owner, _Samples]:
    """The rows of a chunk that have a time, by their owners."""
    count = table.entry.chunk_rows[chunk]
    headers = headers_named(table.columns, *FILL_COLUMNS, (_ACTIVE,))
    cells = chunk_cells(table, headers, chunk)
    if TIMESTAMP not in cells:
        return {}
    tick = ticks_of(reader, header_times(cells[TIMESTAMP], headers[TIMESTAMP], MICROSECOND_DIGITS))
    sizes = []
    for plain in (*SAMPLED, _ACTIVE):
        size = np.broadcast_to(np.int64(NO_SIZE), count)
        if plain in cells:
            size = cell_sizes(cells[plain], headers[plain], MEBIBYTE)
            size[size < 0] = NO_SIZE
        sizes.append(size)
    drawn = (has_number(cells[plain]) if plain in cells else np.zeros(count, np.bool_) for plain in SAMPLED)
    allocated, reserved, active = sizes
    samples = _Samples(tick, allocated, reserved, active, *drawn)
    owned = rows_by_owner(np.flatnonzero(tick != NO_TICK), cells.get(DEVICES[0]), cells.get(COMPONENT))
    return {
        (device, component): samples if len(rows) == count else samples.take(rows)
        for (device, component), rows in owned
    }


def _ordinals(is_drawn: NDArray[np.bool_], first: int) -> Ints:
    """Ordinals of rows, from that of the first that is drawn on; -1 of others."""
    if is_drawn.all():
        return np.arange(first, first + len(is_drawn))
    return np.where(is_drawn, np.cumsum(is_drawn) + (first - 1), -1)


def _samples_bytes(samples: Mapping[Owner, _Samples]) -> int:
    return sum(column.nbytes for own in samples.values() for column in own)


_NO_SIZES: Final = np.zeros(0, np.int64)
_NO_FLAGS: Final = np.zeros(0, np.bool_)
_NO_SAMPLES: Final = _Samples(_NO_SIZES, _NO_SIZES, _NO_SIZES, _NO_SIZES, _NO_FLAGS, _NO_FLAGS)

_COMPONENTS: Final = KeyedRunCache[int, Sequence[Component]]("memory_components", "Extents of samples of memories")
_CHUNKS: Final = KeyedRunCache[tuple[int, int], Mapping[Owner, _Samples]](
    "memory_chunks", "Samples of memories, some of a table", _samples_bytes
)
