"""Records of side tables: the list of them, and the columns of their chunks (`cells.py`) in blocks."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from tilescope.tiler.columns import SideColumn
from tilescope.tiler.columns.memory_extents import AllocationExtent, FillExtent, MemoryExtent
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.cells import MAX_ROWS
from tilescope.tiler.records.memory_cells import ALLOCATIONS, MEMORY_FAMILIES
from tilescope.tiler.records.record import Available, Record

TABLES = Record(
    "x",
    "",
    "the list of tables",
    Available.AT_END,
    doc="the tables beside the events: names, columns, rows of their chunks; when these are, of tables about memory",
    proof="the columns of tables",
)
TABLE_COLUMNS = Record(
    "y",
    "table chunk block",
    "table {table}, chunk {chunk}, block {block}",
    Available.AT_END,
    doc="the cells of a block of columns in a chunk of rows of a table",
    proof="rows, kinds of cells and checksum of the list",
)

Count = Annotated[int, Meta(ge=0)]


class TableEntry(Struct, frozen=True, kw_only=True):
    """One table of the list."""

    id: Count  # its place in the list
    host: str
    file: Count  # index into the manifest's `files`
    name: str
    family: str  # empty: none that is recognised
    rank: int | None
    device: str
    capture: str = ""  # the folder of its capture, where the name of that says so
    columns: tuple[SideColumn, ...]
    block_starts: tuple[Count, ...]  # the first column of each block
    chunk_rows: tuple[Annotated[int, Meta(ge=0, le=MAX_ROWS)], ...]
    extents: tuple[tuple[MemoryExtent, ...] | None, ...] = ()  # of each chunk, of a table about memory
    size_bytes: Count  # of its blocks as they are stored
    crc32: Count  # of the same, one behind the other

    @property
    def rows(self) -> int:
        """Rows of all chunks."""
        return sum(self.chunk_rows)


_DECODER: Final = msgspec.json.Decoder(tuple[TableEntry, ...])


def encode_tables(entries: list[TableEntry]) -> bytes:
    """The list as it is stored."""
    return compress(msgspec.json.encode(entries))


def decode_tables(record: bytes) -> tuple[TableEntry, ...]:
    """The inverse. Raises DamagedStore."""
    try:
        entries = _DECODER.decode(decompress(record))
        if any(entry.id != place for place, entry in enumerate(entries)):
            raise ValueError("tables out of order")
        if not all(map(_are_in_order, entries)):
            raise ValueError("blocks out of order")
        if not all(map(_has_extents, entries)):
            raise ValueError("extents of other chunks")
    except (ValueError, RecursionError) as error:
        raise DamagedStore(f"the list of tables is damaged: {error}") from error
    return entries


def _has_extents(entry: TableEntry) -> bool:
    if entry.family not in MEMORY_FAMILIES:
        return not entry.extents
    own = AllocationExtent if entry.family == ALLOCATIONS else FillExtent
    every = [extent for extents in entry.extents for extent in extents or ()]
    are_own = all(isinstance(extent, own) and not _is_void(extent) for extent in every)
    return are_own and len(entry.extents) == len(entry.chunk_rows)


def _is_void(extent: MemoryExtent) -> bool:
    """True if it is of nothing, as none is stored."""
    return isinstance(extent, AllocationExtent) and extent.made is extent.freed is None


def _are_in_order(entry: TableEntry) -> bool:
    starts = entry.block_starts
    is_ascending = all(first < second for first, second in pairwise((*starts, len(entry.columns))))
    return is_ascending and starts[:1] == ((0,) if entry.columns else ())
