"""Samples of tables about memory: how full the components of devices are over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import CodedTexts, column_named
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.memory.table_columns import (
    DEVICES,
    MEBIBYTE,
    NO_SIZE,
    NO_TICK,
    Ints,
    by_time,
    chunk_sizes,
    chunk_ticks,
    device_name,
)
from tilescope.tiler.facts.tables import RunTable, TableColumn
from tilescope.tiler.query import Interruptible, QueryReader

FILLS: Final = ("memory_record", "npu_module_mem")

MAX_OWNERS: Final = 1000  # components of devices in a file, as many as are drawn

_TICK: Final = "timestamp"
_COMPONENT: Final = "component"
_SIZES: Final = ("totalallocated", "totalreserved", "totalactive")

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


def fill_rows(reader: QueryReader, table: RunTable) -> Interruptible[list[FillRows]]:
    """The samples of a table by device and component. Chunk by chunk: its columns are larger than caches."""
    parts: dict[Owner, list[_Samples]] = {}
    wanted = [(plain, column_named(table, *plain)) for plain in ((_TICK,), (_COMPONENT,), DEVICES, *zip(_SIZES))]
    headers = {plain[0]: header for plain, header in wanted if header is not None}
    for columns in table.chunks([*headers.values()]):
        cells = dict(zip(headers, columns, strict=True))
        samples = yield from _samples(reader, headers, cells, len(columns[0]) if columns else 0)
        _add(parts, samples, cells)
        yield
    rows = []
    for (device, component), own in parts.items():
        sampled = _sampled(_Samples(*map(np.concatenate, zip(*own, strict=True))))
        own.clear()
        if len(sampled[0]):
            rows.append(FillRows(device_name(device), component, table, *sampled))
        yield
    return rows


def _samples(
    reader: QueryReader, headers: Mapping[str, str], cells: Mapping[str, TableColumn], count: int
) -> Interruptible[_Samples]:
    """The columns of a chunk."""
    tick = np.full(count, NO_TICK)
    if _TICK in cells:
        tick = chunk_ticks(reader, cells[_TICK], headers[_TICK], reader.manifest.origin_ns)
    sizes = []
    for plain in _SIZES:
        size = np.full(count, NO_SIZE)
        if plain in cells:
            size = yield from chunk_sizes(cells[plain], headers[plain], MEBIBYTE)
            size[size < 0] = NO_SIZE
        sizes.append(size)
    nothing = np.zeros(count, np.bool_)
    have = [cells[plain].has_number if plain in cells else nothing for plain in _SIZES[:2]]
    return _Samples(tick, *sizes, *have)


def _add(parts: dict[Owner, list[_Samples]], samples: _Samples, cells: Mapping[str, TableColumn]) -> None:
    """Adds the rows of a chunk that have a time to those of their owners, of which the first MAX_OWNERS count."""
    devices, components = (_texts(cells.get(plain), len(samples.tick)) for plain in (DEVICES[0], _COMPONENT))
    rows = np.flatnonzero(samples.tick != NO_TICK)
    keys, codes = distinct((devices.codes * len(components.words) + components.codes)[rows])
    if not len(keys):
        return
    order = np.argsort(codes.astype(np.uint16), kind="stable")  # so many rows has a chunk: sorted by their digits
    ends = np.cumsum(np.bincount(codes))
    starts = ends - np.bincount(codes)
    for place in np.argsort(order[starts]).tolist():  # in the order in which they come first
        device, component = divmod(int(keys[place]), len(components.words))
        owner = devices.words[device], components.words[component]
        if owner in parts or len(parts) < MAX_OWNERS:
            own = rows[order[starts[place] : ends[place]]]
            parts.setdefault(owner, []).append(samples if len(own) == len(samples.tick) else samples.take(own))


def _texts(column: TableColumn | None, count: int) -> CodedTexts:
    """The texts of a chunk, empty where a cell is none."""
    if column is None:
        return CodedTexts([""], np.zeros(count, np.int64))
    codes, words = column.coded()
    places = codes.astype(np.int64)
    places[places < 0] = len(words)
    return CodedTexts([*words, ""], places)


def _sampled(samples: _Samples) -> Sequence[Ints]:
    """Ticks, sizes and ordinals of the rows that are samples, by time."""
    order = by_time(samples.tick)
    if order is not None:
        samples = samples.take(order)
    # Of those that say what is allocated other samples are none: the others have what is reserved.
    is_allocated = bool((samples.allocated >= 0).any())
    is_drawn = samples.has_allocated if is_allocated else samples.has_reserved
    ordinals = np.arange(len(is_drawn)) if is_drawn.all() else np.where(is_drawn, np.cumsum(is_drawn) - 1, -1)
    is_sample = (samples.allocated if is_allocated else samples.reserved) >= 0
    columns = samples.tick, samples.allocated, samples.reserved, samples.active, ordinals
    return columns if is_sample.all() else [column[is_sample] for column in columns]
