"""Reads comma-separated values as a side table: streamed, with notes on what is not as it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.columns import SideTable
from tilescope.tiler.readers.ascend.families import family_of, rank_in_name
from tilescope.tiler.readers.ascend.faults import Faults
from tilescope.tiler.readers.layouts.ascend_names import device_place
from tilescope.tiler.readers.side_tables import MAX_COLUMNS, SideTableWriter, TableSpill
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.records.cells import MAX_ROWS, Cells

MAX_CELL_BYTES: Final = 1 << 20  # of a cell in quotes: a quote that does not end within them is a character

_LEFT_OUT: Final = "with more cells than the header: they are left out"
_BLOCK_BYTES: Final = 1 << 20
_CHUNK_BYTES: Final = 32 << 20  # of memory, about, of the rows of a chunk


class CsvTable:
    """One file. Exhaust `read`, then take `table` and `notes`."""

    def __init__(
        self, source: ByteSource, scratch_dir: Path | None, on_rows: Callable[[Sequence[str], Sequence[Cells]], None]
    ) -> None:
        """`on_rows` gets the names of the columns, and these, chunk by chunk."""
        self._on_rows = on_rows
        self.table: SideTable | None = None
        self._source = source
        self._scratch_dir = scratch_dir
        self._stream = _native.CsvStream(MAX_COLUMNS, MAX_CELL_BYTES)

    def read(self) -> Iterator[None]:
        """Reads the file; yields between blocks."""
        stream, writer = self._stream, None
        while True:
            block = self._source.read(_BLOCK_BYTES)
            more = stream.feed(block, MAX_ROWS, _CHUNK_BYTES) if block else stream.finish(MAX_ROWS, _CHUNK_BYTES)
            while True:
                if writer is None and stream.has_header:
                    writer = self._writer()
                is_done = not block and not more
                if writer is not None and stream.rows and (more or is_done):
                    chunk = [_cells(*column) for column in stream.take()]
                    writer.add_chunk(chunk)
                    self._on_rows(writer.columns, chunk)
                yield
                if not more:
                    break
                more = stream.feed(b"", MAX_ROWS, _CHUNK_BYTES) if block else stream.finish(MAX_ROWS, _CHUNK_BYTES)
            if not block:
                break
        if writer is not None:
            path = self._source.path
            place = device_place(path)
            self.table = writer.table(rank_in_name(path), place.device, place.capture)

    def notes(self) -> list[str]:
        """A line for each kind of damage, with the place of the first."""
        stream, faults = self._stream, Faults()
        for (count, line, column), single, several in (
            (stream.short_rows, "row has too few cells", "rows have too few cells"),
            (stream.left_out_rows, "of these rows is left out", "of these rows are left out"),
            (stream.long_rows, f"row {_LEFT_OUT}", f"rows {_LEFT_OUT}"),
            (stream.open_quotes, "quote does not end", "quotes do not end"),
            (stream.not_utf8, "cell is not UTF-8", "cells are not UTF-8"),
            (stream.cut_records, "line is too long, and cut", "lines are too long, and cut"),
        ):
            if count:
                faults.add(single, several, line, column, count)
        lines = faults.notes()
        if stream.more_columns:
            lines.append(f"{stream.more_columns:,} columns beyond the first {MAX_COLUMNS:,} are left out")
        if self._source.problem is not None:
            lines.append(f"{self._source.problem}: what could be read was kept")
        if not stream.has_header:
            lines.append("there is no header in it, and no table")
        return lines

    def _writer(self) -> SideTableWriter:
        path = self._source.path
        names = [name.decode(errors="replace") for name in self._stream.header]
        return SideTableWriter(TableSpill(self._scratch_dir), path.name, family_of(names, path), names)


def _cells(
    states: np.ndarray[tuple[int], np.dtype[np.uint8]],
    numbers: np.ndarray[tuple[int], np.dtype[np.int64]],
    digits: np.ndarray[tuple[int], np.dtype[np.uint8]],
    codes: np.ndarray[tuple[int], np.dtype[np.int64]],
    words: list[bytes],
) -> Cells:
    return Cells(states, numbers, digits, codes, [word.decode(errors="replace") for word in words])
