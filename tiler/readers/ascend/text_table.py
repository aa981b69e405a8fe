"""Reads tables of text whose cells stand apart by blanks, with a header or, in files of some names, without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tilescope.tiler.columns import SideTable
from tilescope.tiler.readers.ascend.families import rank_in_name, stem_of
from tilescope.tiler.readers.ascend.faults import Faults
from tilescope.tiler.readers.layouts.ascend_names import device_place
from tilescope.tiler.readers.side_tables import MAX_COLUMNS, SideTableWriter, TableSpill
from tilescope.tiler.readers.source import ByteSource

# Columns of files without a header, by how their names begin.
HEADERLESS: Final[Mapping[str, Sequence[str]]] = {
    "min_cycle_counter": ("counter",),
    # A row of kind 1 has capacity, batch and size of a queue; one of kind 0 what took how long: 0 getting, 1 pushing,
    # 2 all of it.
    "device_queue_profiling": ("kind", "subtype_or_capacity", "batch", "value_or_size", "time_stamp"),
    "dataset_iterator_profiling": ("kind", "subtype_or_capacity", "batch", "value_or_size", "time_stamp"),
    "minddata_aicpu": ("node", "start_time", "end_time", "queue_size"),
    "minddata_getnext_profiling": ("node", "start_time", "end_time", "queue_size"),
}

# How the names of files with a header begin.
WITH_HEADER: Final = (
    "output_op_compute_time_detail",
    "output_op_compute_time",
    "output_data_preprocess_aicpu",
    "output_format_data_hwts",
)

_LINE_BYTES: Final = 1 << 20  # of a line: what is behind them is another one
_CELLS: Final = 1 << 22  # of rows that are taken together
_ROWS: Final = 1 << 14  # the same
_MOST_ABSENT: Final = 1 << 26  # cells that rows lack: beyond them short rows are left out, as in `CsvStream`
_RULE: Final = re.compile(r"[-=\s]*|=+[^=]+=+\s*")
_CELL: Final = re.compile(r"[^\s(]*\([^()]*\)\S*|\S+")
_PART: Final = re.compile(r"([A-Za-z]\w{0,63}):")
_CUT: Final = "line is too long, and cut"
_MOST_PARTS: Final = 100


def text_family(stem: str) -> str:
    """The family of a file of this name; empty where it is none of these."""
    names = sorted((*HEADERLESS, *WITH_HEADER), key=len, reverse=True)
    return next((name for name in names if re.fullmatch(rf"{name}(?:_\d+)?", stem)), "")


class TextTable:
    """One file; parts such as `Detail:` are tables of their own. Exhaust `read`, then take `tables` and `notes`."""

    def __init__(self, source: ByteSource, scratch_dir: Path | None) -> None:
        self.tables: list[SideTable] = []
        self.first_row: Sequence[str | None] = ()
        self._source = source
        self._spill = TableSpill(scratch_dir)
        self._faults = Faults()
        self._absent = 0  # cells
        self._more_columns = 0  # of headers, beyond the most

    def read(self) -> Iterator[None]:
        """Reads the file; yields between blocks."""
        path = self._source.path
        family = text_family(stem_of(path))
        header = HEADERLESS.get(family)
        writer = None if header is None else SideTableWriter(self._spill, path.name, family, header)
        rows: list[list[str | None]] = []
        part, more_columns = "", 0
        for number, line in self._lines():
            if not line.strip() or _RULE.fullmatch(line):
                continue
            if (
                header is None
                and (match := _PART.fullmatch(line.strip())) is not None
                and len(self.tables) < _MOST_PARTS
            ):
                self._end(writer, rows)
                part, writer = match[1].lower(), None
                continue
            cells: list[str] = _CELL.findall(line)
            if writer is None:
                writer, more_columns = self._writer(family, part, cells[:MAX_COLUMNS]), len(cells[MAX_COLUMNS:])
                self._more_columns += more_columns
                continue
            if _is_sum(line):
                self._faults.add("sum is no row", "sums are no rows", number, 1)
                continue
            if (row := self._row(cells, len(writer.columns) + more_columns, number, header is None)) is None:
                continue
            rows.append(row[: len(writer.columns)])
            if len(rows) == _ROWS or len(rows) * len(row) >= _CELLS:
                self._take(writer, rows)
                yield
        if writer is None:
            self._faults.add("header is missing", "headers are missing", 1, 1)
        self._end(writer, rows)

    def notes(self) -> list[str]:
        """A line for each kind of damage."""
        lines = self._faults.notes()
        if self._more_columns:
            lines.append(f"{self._more_columns:,} columns beyond the first {MAX_COLUMNS:,} are left out")
        if self._source.problem is not None:
            lines.append(f"{self._source.problem}: what could be read was kept")
        return lines

    def _writer(self, family: str, part: str, columns: Sequence[str]) -> SideTableWriter:
        name = self._source.path.name
        names = (f"{name}/{part}", f"{family}.{part}") if part else (name, family)
        return SideTableWriter(self._spill, *names, columns)

    def _end(self, writer: SideTableWriter | None, rows: list[list[str | None]]) -> None:
        if writer is not None:
            self._take(writer, rows)
            path = self._source.path
            place = device_place(path)
            self.tables.append(writer.table(rank_in_name(path), place.device, place.capture))

    def _take(self, writer: SideTableWriter, rows: list[list[str | None]]) -> None:
        if rows and not self.first_row:
            self.first_row = rows[0]
        writer.add_rows(rows)
        rows.clear()

    def _row(self, cells: list[str], count: int, line: int, has_header: bool) -> list[str | None] | None:
        """The cells of a row; None: it is left out. Names may have blanks: what is too much belongs to the first."""
        more = len(cells) - count
        if more > 0 and has_header:
            return [" ".join(cells[: more + 1]), *cells[more + 1 :]]
        if more > 0:
            self._faults.add("row has too many cells", "rows have too many cells", line, count + 1)
        elif more < 0 and has_header:
            self._faults.add("row has too few cells", "rows have too few cells", line, len(cells))
        self._absent += max(0, -more)
        if more < 0 and self._absent > _MOST_ABSENT:
            self._faults.add("of these rows is left out", "of these rows are left out", line, len(cells))
            return None
        return [*cells[:count], *[None] * -more]

    def _lines(self) -> Iterator[tuple[int, str]]:
        pending, number = b"", 0
        while block := self._source.read(_LINE_BYTES):
            *whole, pending = (pending + block).split(b"\n")
            if len(pending) > _LINE_BYTES:
                self._faults.add(_CUT, "lines are too long, and cut", number + len(whole) + 1, len(pending) + 1)
                whole, pending = [*whole, pending], b""
            for line in whole:
                number += 1
                yield number, self._text(line, number)
        if pending:
            yield number + 1, self._text(pending, number + 1)

    def _text(self, line: bytes, number: int) -> str:
        try:
            return line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            self._faults.add("line is not UTF-8", "lines are not UTF-8", number, error.start + 1)
            return line.decode(errors="replace")


def _is_sum(line: str) -> bool:
    """True for `Total time(ms): 9.5`, which stands below the rows."""
    name, _, value = line.strip().partition(":")
    before, _, unit = name.removesuffix(")").rpartition("(")
    return name.endswith(")") and bool(before) and ")" not in unit and len(value.split(maxsplit=1)) == 1
