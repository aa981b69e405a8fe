"""Tables beside the events: the list names what is there, and each column is what was stored."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from itertools import product

from tilescope.tiler.columns import SideColumn
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.cells import Cells, CellState
from tilescope.tiler.records.column_blocks import columns_of_block, parse_block
from tilescope.tiler.records.memory_extents import extent_places, stored_extents
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tables import TABLE_COLUMNS, TABLES, TableEntry, decode_tables
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally


class SideTableCheck:
    """Takes all blocks of columns in the order of their keys."""

    def __init__(self, store: Store, files: int, tally: Tally) -> None:
        """Raises DamagedStore when there is no list, or when it names a file that is not there."""
        self._location = store.location
        self._tally = tally
        record = store.get(TABLES)
        if record is None:
            raise self._error("the list of tables is missing")
        inflate(record)
        entries = decode_tables(record)
        if any(entry.file >= files for entry in entries):
            raise self._error("the list of tables names a file that is not there")
        for entry in entries:
            self._must_be_empty(entry)
        self._places = (
            (entry, chunk, block)
            for entry in entries
            for chunk, block in product(range(len(entry.chunk_rows)), range(len(entry.block_starts)))
        )
        self._next = next(self._places, None)
        self._table: TableEntry | None = None  # the one whose columns come
        self._names: list[str] = []  # of its columns
        self._of_extents: frozenset[int] = frozenset()  # places of those that its extents are made of
        self._cells: dict[int, Cells] = {}  # of these, of a chunk
        self._sums: list[list[int]] = []  # of each of its columns: numbers, texts, digits, magnitude
        self._size_bytes = self._crc32 = 0
        tally["tables"] += len(entries)

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {TABLE_COLUMNS: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """The next block. Raises DamagedStore."""
        numbers = TABLE_COLUMNS.numbers_in(key)
        place = self._next
        if place is None or numbers < (place[0].id, *place[1:]):
            raise unexpected(self._location, key)
        if numbers != (place[0].id, *place[1:]):
            raise self._missing(*place)
        entry, chunk, block = place
        if entry is not self._table:
            self._end_table()
            self._table, self._sums = entry, [[0, 0, 0, 0] for _ in entry.columns]
            self._names = [column.name for column in entry.columns]
            self._of_extents = extent_places(entry.family, self._names) if entry.extents else frozenset()
        columns = columns_of_block(entry.block_starts, block, len(entry.columns))
        parsed = list(parse_block(inflate(value)))
        if len(parsed) != len(columns):
            raise self._error(f"{TABLE_COLUMNS.describe(*numbers)} has {len(parsed):,} columns")
        for column, cells in zip(columns, parsed, strict=True):
            if len(cells) != entry.chunk_rows[chunk]:
                raise self._error(f"{TABLE_COLUMNS.describe(*numbers)} has {len(cells):,} rows")
            sums = self._sums[column]
            sums[0] += len(cells.numbers)
            sums[1] += int(cells.are(CellState.TEXT).sum())
            sums[2] = max(sums[2], int(cells.digits.max(initial=0)))
            sums[3] = max(sums[3], cells.most_magnitude)
            self._tally["table_cells"] += len(cells)
        self._size_bytes += len(value)
        self._crc32 = zlib.crc32(value, self._crc32)
        own = zip(columns, parsed, strict=True)
        self._cells.update((column, cells) for column, cells in own if column in self._of_extents)
        if entry.extents and block + 1 == len(entry.block_starts):
            self._check_extents(entry, chunk)
        self._next = next(self._places, None)

    def finish(self) -> None:
        """All columns have been taken. Raises DamagedStore."""
        if self._next is not None:
            raise self._missing(*self._next)
        self._end_table()

    def _check_extents(self, entry: TableEntry, chunk: int) -> None:
        if stored_extents(entry.family, self._names, self._cells.__getitem__) != entry.extents[chunk]:
            what = (
                f"the rows of chunk {chunk} reach from and to elsewhere than the list says, or come to something else"
            )
            raise self._error(f"table {entry.id} ({entry.name!r}): {what}")
        self._cells.clear()

    def _end_table(self) -> None:
        entry = self._table
        if entry is None:
            return
        counted = tuple(SideColumn(column.name, *sums) for column, sums in zip(entry.columns, self._sums, strict=True))
        if counted != entry.columns:
            raise self._error(f"table {entry.id} ({entry.name!r}): its cells are of other kinds than the list says")
        if (self._size_bytes, self._crc32) != (entry.size_bytes, entry.crc32):
            what = f"its CRC-32 is {self._crc32:08x}, the list says {entry.crc32:08x}"
            raise self._error(f"table {entry.id} ({entry.name!r}): {what}")
        self._size_bytes = self._crc32 = 0

    def _must_be_empty(self, entry: TableEntry) -> None:
        """Raises DamagedStore for a table of which no column comes, and of which the list says more than names."""
        if entry.chunk_rows and entry.columns:
            return
        has_cells = any(column != SideColumn(column.name) for column in entry.columns)
        if has_cells or entry.rows or entry.size_bytes or entry.crc32 or any(entry.extents):
            raise self._error(f"table {entry.id} ({entry.name!r}): it has no cells, and the list says more")

    def _missing(self, entry: TableEntry, chunk: int, block: int) -> DamagedStore:
        return self._error(f"{TABLE_COLUMNS.describe(entry.id, chunk, block)} is missing")

    def _error(self, what: str) -> DamagedStore:
        return DamagedStore(f"{self._location}: {what}")
