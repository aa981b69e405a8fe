"""Writes side tables while a file is read: chunk by chunk, compressed at once, into a spill that leaves memory."""

from __future__ import annotations

import re
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final

import numpy as np

from tilescope.tiler.columns import SideColumn, SideTable
from tilescope.tiler.columns.memory_extents import MemoryExtent
from tilescope.tiler.records.cells import MAX_ROWS, Cells, CellState
from tilescope.tiler.records.column_blocks import block_starts, column_size, columns_of_block, encode_block
from tilescope.tiler.records.memory_cells import MEMORY_FAMILIES
from tilescope.tiler.records.memory_extents import stored_extents

MAX_COLUMNS: Final = 20_000  # of a table
MAX_NAME: Final = 256  # characters of a column's name

_IN_MEMORY_BYTES: Final = 64 << 10  # of each file, until its run is stored: there may be thousands
_UNNUMBERED: Final = MAX_NAME - 8  # characters, so that a number fits behind them
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class TableSpill:
    """The columns of the tables of a file, in memory or in `folder`. It goes with the last table that refers to it."""

    def __init__(self, folder: Path | None) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(  # noqa: SIM115
            _IN_MEMORY_BYTES, dir=None if folder is None else str(folder), prefix="scratch-"
        )
        self.size_bytes = 0
        weakref.finalize(self, self._file.close)

    def write(self, record: bytes) -> None:
        """Adds a record at the end."""
        self._file.seek(self.size_bytes)
        self.size_bytes += self._file.write(record)

    def read(self, offset: int, sizes: Sequence[int]) -> list[bytes]:
        """Records of so many bytes, one behind the other."""
        self._file.seek(offset)
        return [self._file.read(size) for size in sizes]


class SideTableWriter:
    """Takes the rows of one table."""

    def __init__(self, spill: TableSpill, name: str, family: str, columns: Sequence[str]) -> None:
        """Columns of the same name get a number: `Time`, `Time~2`."""
        self.name, self.family = name, family
        self.columns = distinct_names(columns)
        self._numbers = [0] * len(columns)
        self._texts = [0] * len(columns)
        self._digits = [0] * len(columns)
        self._magnitudes = [0] * len(columns)
        self._block_starts: tuple[int, ...] | None = None
        self._chunk_rows: list[int] = []
        self._extents: list[tuple[MemoryExtent, ...] | None] = []  # of tables about memory
        self._places: list[tuple[int, list[int]]] = []  # of each chunk: offset, and bytes of its blocks
        self._spill = spill

    def add_rows(self, rows: Sequence[Sequence[str | None]]) -> None:
        """Takes rows of as many texts as there are columns; None: there is no such cell."""
        for first in range(0, len(rows), MAX_ROWS):
            part = rows[first : first + MAX_ROWS]
            self.add_chunk([Cells.from_texts([row[place] for row in part]) for place in range(len(self.columns))])

    def add_chunk(self, chunk: Sequence[Cells]) -> None:
        """Takes the columns of at most MAX_ROWS rows. Raises ValueError where they do not fit."""
        if len(chunk) != len(self.columns) or len({len(cells) for cells in chunk}) > 1:
            raise ValueError(f"a chunk of table {self.name!r} has not the columns of its header")
        offset, sizes = self._spill.size_bytes, []
        for place, cells in enumerate(chunk):
            self._numbers[place] += len(cells.numbers)
            self._texts[place] += int(np.count_nonzero(cells.are(CellState.TEXT)))
            self._digits[place] = max(self._digits[place], int(cells.digits.max(initial=0)))
            self._magnitudes[place] = max(self._magnitudes[place], cells.most_magnitude)
        if self._block_starts is None:
            self._block_starts = block_starts([column_size(cells) for cells in chunk])
        for block in range(len(self._block_starts)):
            columns = columns_of_block(self._block_starts, block, len(chunk))
            record = encode_block(chunk[columns.start : columns.stop])
            sizes.append(len(record))
            self._spill.write(record)
        if self.family in MEMORY_FAMILIES:
            self._extents.append(stored_extents(self.family, self.columns, chunk.__getitem__))
        self._chunk_rows.append(len(chunk[0]) if chunk else 0)
        self._places.append((offset, sizes))

    def table(self, rank: int | None = None, device: str = "", capture: str = "") -> SideTable:
        """All of it."""
        facts = zip(self.columns, self._numbers, self._texts, self._digits, self._magnitudes, strict=True)
        columns = [SideColumn(*column) for column in facts]
        pieces = _pieces(self._spill, self._places)
        starts = block_starts([0] * len(columns)) if self._block_starts is None else self._block_starts
        rows, extents = self._chunk_rows, self._extents
        return SideTable(self.name, self.family, columns, rows, starts, pieces, rank, device, capture, extents)


def distinct_names(names: Sequence[str]) -> list[str]:
    """The names as tools take them: short, without control characters, and no two the same."""
    counts: dict[str, int] = {}
    distinct: list[str] = []
    names = [_CONTROL.sub(" ", name[:_UNNUMBERED]).strip().encode("utf-8", "replace").decode() for name in names]
    taken = set(names)
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        free = name
        while counts[name] > 1 and free in taken:
            free = f"{name}~{counts[name]}"
            counts[name] += free in taken
        taken.add(free)
        distinct.append(free)
    return distinct


def _pieces(spill: TableSpill, places: list[tuple[int, list[int]]]) -> Callable[[], Iterator[Sequence[bytes]]]:
    def pieces() -> Iterator[Sequence[bytes]]:
        for offset, sizes in places:
            yield spill.read(offset, sizes)

    return pieces
