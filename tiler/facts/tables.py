"""The tables beside the events of a run: their names, and their columns, read once and kept under the common cap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import count
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.distinct import distinct
from tilescope.tiler.lookup.kept import kept_with_store
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.cell_values import doubles
from tilescope.tiler.records.cells import MAX_DIGITS, Cells, CellState, decimal_text
from tilescope.tiler.records.column_blocks import block_of, parse_column
from tilescope.tiler.records.tables import TABLE_COLUMNS, TABLES, TableEntry, decode_tables
from tilescope.tiler.store.store import Store, need

Ints = NDArray[np.int64]

_INT64_MOST: Final = (1 << 63) - 1


class RunTable:
    """One table. Columns go by the names of the header."""

    def __init__(self, reader: QueryReader, entry: TableEntry) -> None:
        self.entry = entry
        self.reader = reader

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each column, by its name."""
        return {column.name: place for place, column in enumerate(self.entry.columns)}

    @property
    def columns(self) -> list[str]:
        """Names of the header, unknown ones too."""
        return list(self.places)

    def __len__(self) -> int:
        return self.entry.rows

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def column(self, name: str) -> Interruptible[TableColumn]:
        """All cells of a column. Raises KeyError, DamagedStore; yields between chunks."""
        place = self.places[name]
        kept: TableColumn | None = _COLUMNS.get(self.reader, (self.entry.id, place))
        if kept is None:
            kept = _COLUMNS.keep(self.reader, (self.entry.id, place), (yield from self.passing_column(name)))
        return kept

    def passing_column(self, name: str) -> Interruptible[TableColumn]:
        """The same, and not kept: for those who keep what they make of it. Raises and yields as `column`."""
        place = self.places[name]
        kept: TableColumn | None = _COLUMNS.get(self.reader, (self.entry.id, place))
        if kept is not None:
            return kept
        chunks: list[Cells] = []
        for chunk in range(len(self.entry.chunk_rows)):
            chunks.append(self.cells(place, chunk))
            yield
        return TableColumn(name, chunks)

    def chunks(self, names: Sequence[str]) -> Iterator[list[TableColumn]]:
        """These columns, chunk by chunk: for tables that are larger than memory. Nothing of it is kept."""
        places = [self.places[name] for name in names]
        for chunk in range(len(self.entry.chunk_rows)):
            yield [TableColumn(name, [self.cells(place, chunk)]) for name, place in zip(names, places, strict=True)]

    def part(self, name: str, rows: Ints) -> Interruptible[TableColumn]:
        """The cells of some rows, ascending. Only chunks with any of them are read, and kept. Raises as `column`."""
        place = self.places[name]
        bounds = np.cumsum([0, *self.entry.chunk_rows])
        chunks = np.searchsorted(bounds, rows, side="right") - 1
        parts: list[Cells] = []
        for chunk in np.unique(chunks).tolist():
            key = (self.entry.id, place, chunk)
            kept = _CHUNKS.get(self.reader, key)
            if kept is None:
                kept = _CHUNKS.keep(self.reader, key, TableColumn(name, [self.cells(place, chunk)]))
            parts.append(kept.chunk(0).rows(rows[chunks == chunk] - bounds[chunk]))
            yield
        return TableColumn(name, parts)

    def texts(self, name: str, rows: Ints) -> Interruptible[list[str | None]]:
        """The cells of some rows in any order, as `TableColumn.texts` has them."""
        order = np.argsort(rows, kind="stable")
        texts = (yield from self.part(name, rows[order])).texts()
        return [texts[place] for place in np.argsort(order, kind="stable").tolist()]

    def cells(self, place: int, chunk: int) -> Cells:
        """A column of one chunk."""
        starts = self.entry.block_starts
        block = block_of(starts, place)
        data = decompress(need(self.reader.store, TABLE_COLUMNS, self.entry.id, chunk, block))
        return parse_column(data, place - starts[block])


class TableColumn:
    """The cells of a column, or of a part of its rows."""

    def __init__(self, name: str, chunks: Sequence[Cells]) -> None:
        self.name = name
        self._chunks = chunks

    def __len__(self) -> int:
        return sum(map(len, self._chunks))

    @property
    def chunks(self) -> Sequence[Cells]:
        """The cells of each chunk of it."""
        return self._chunks

    def chunk(self, number: int) -> Cells:
        """The cells of one of them."""
        return self._chunks[number]

    @cached_property
    def states(self) -> NDArray[np.uint8]:
        """The CellState of each row."""
        return np.concatenate([np.zeros(0, np.uint8), *(cells.states for cells in self._chunks)])

    @property
    def has_number(self) -> NDArray[np.bool_]:
        """True for rows with a number."""
        are_numbers: NDArray[np.bool_] = self.states == CellState.NUMBER
        return are_numbers

    @cached_property
    def digits(self) -> int:
        """Most digits behind the point of any of its numbers."""
        return max((int(cells.digits.max(initial=0)) for cells in self._chunks), default=0)

    def scaled(self, digits: int) -> Ints:
        """Numbers times 10^digits, exactly; 0 for a row without one. Raises OverflowError beyond 64 bits.

        ValueError where a number has more digits.
        """
        scaled = np.zeros(len(self), np.int64)
        scaled[self.has_number] = np.concatenate([np.zeros(0, np.int64), *(_scaled(c, digits) for c in self._chunks)])
        return scaled

    def doubles(self) -> NDArray[np.float64]:
        """The doubles that are nearest to the cells, also to those as `1e-05`; NaN for what is no finite number."""
        return np.concatenate([np.zeros(0), *map(doubles, self._chunks)])

    def order(self) -> Ints:
        """Integers in the order of the numbers, equal for equal ones; 0 for a row without one."""
        try:
            return self.scaled(self.digits)
        except OverflowError:
            exact = [number * 10 ** (MAX_DIGITS - digits) for number, digits in self._pairs()]
            ranks = np.zeros(len(self), np.int64)
            ranks[self.has_number] = np.unique(np.array([*exact, None], object)[:-1], return_inverse=True)[1]
            return ranks

    def texts(self) -> list[str | None]:
        """Cells as they are written; None for those that are empty, `N/A` or absent."""
        return [text for cells in self._chunks for text in cells.texts()]

    def coded(self, *, numbers: bool = True) -> tuple[NDArray[np.int32], list[str]]:
        """Texts as codes into distinct ones, -1 for cells that are none; `numbers`: these count as texts."""
        return finish(self.coding(numbers=numbers))

    def coding(self, *, numbers: bool = True) -> Interruptible[tuple[NDArray[np.int32], list[str]]]:
        """The same, of columns in which most texts are different; yields between chunks."""
        words: defaultdict[str, int] = defaultdict(count().__next__)
        parts = [np.zeros(0, np.int32)]
        for cells in self._chunks:
            used, places = distinct(cells.codes)
            ids = list(map(words.__getitem__, map(cells.words.__getitem__, used.tolist())))
            codes = np.array(ids, np.int32)[places]
            if len(codes) < len(cells):
                of_texts, codes = codes, np.full(len(cells), -1, np.int32)
                codes[cells.are(CellState.TEXT)] = of_texts
            if numbers and len(cells.numbers):
                pairs = zip(cells.numbers.tolist(), cells.digits.tolist(), strict=True)
                ids = [words[decimal_text(*pair)] for pair in pairs]
                codes[cells.are(CellState.NUMBER)] = ids
            parts.append(codes)
            yield
        return np.concatenate(parts), list(words)

    @cached_property
    def decimals(self) -> tuple[Ints, NDArray[np.uint8]]:
        """Each number as an integer and the digits behind its point; zeros for a row without one."""
        numbers, digits = np.zeros(len(self), np.int64), np.zeros(len(self), np.uint8)
        numbers[self.has_number] = np.concatenate([np.zeros(0, np.int64), *(cells.numbers for cells in self._chunks)])
        digits[self.has_number] = np.concatenate([np.zeros(0, np.uint8), *(cells.digits for cells in self._chunks)])
        return numbers, digits

    def _pairs(self) -> Iterator[tuple[int, int]]:
        for cells in self._chunks:
            yield from zip(cells.numbers.tolist(), cells.digits.tolist(), strict=True)

    @property
    def size_bytes(self) -> int:
        """Memory that it takes."""
        arrays = sum(c.states.nbytes + c.numbers.nbytes + c.digits.nbytes + c.codes.nbytes for c in self._chunks)
        return arrays + sum(sum(map(len, cells.words)) + 60 * len(cells.words) for cells in self._chunks)


_COLUMNS: Final[KeyedRunCache[tuple[int, int], TableColumn]] = KeyedRunCache(
    "table_columns", "Columns of the tables beside events", lambda column: column.size_bytes
)
_CHUNKS: Final[KeyedRunCache[tuple[int, int, int], TableColumn]] = KeyedRunCache(
    "table_chunks", "Chunks of columns of the tables beside events", lambda column: column.size_bytes
)


@kept_with_store(1)
def _entries(store: Store) -> tuple[TableEntry, ...]:
    return decode_tables(need(store, TABLES))


def run_tables(reader: QueryReader, *families: str) -> list[RunTable]:
    """The tables of a run, or those of some families, in the order of its files.

    Raises StoredLast while it is indexed, DamagedStore.
    """
    return [RunTable(reader, entry) for entry in _entries(reader.store) if not families or entry.family in families]


def _scaled(cells: Cells, digits: int) -> Ints:
    if int(cells.digits.max(initial=0)) > digits:
        raise ValueError(f"a number has more than {digits} digits")
    missing = digits - cells.digits.astype(np.int64)
    if int(missing.max(initial=0)) > 18:
        raise OverflowError("a number does not fit in 64 bits")
    factors = 10**missing
    if bool((np.abs(cells.numbers.astype(np.float64)) * factors > _INT64_MOST / 2).any()):
        exact = [int(number) * int(factor) for number, factor in zip(cells.numbers, factors, strict=True)]
        if any(not ~_INT64_MOST <= number <= _INT64_MOST for number in exact):
            raise OverflowError("a number does not fit in 64 bits")
    return cells.numbers * factors
