"""Tables as text: cells are those of Python's csv module, in blocks of any size; damage is counted with its place."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.columns import SideTable
from tilescope.tiler.readers import open_trace
from tilescope.tiler.readers.ascend.csv_table import MAX_CELL_BYTES, CsvTable
from tilescope.tiler.readers.side_tables import distinct_names
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.records.cells import MAX_ROWS, Cells
from tilescope.tiler.records.column_blocks import decode_blocks

BLANK = " \t\r\n\v\f"


def rows_of(table: SideTable) -> list[list[str | None]]:
    """All rows as texts."""
    rows: list[list[str | None]] = []
    for chunk in table.chunks():
        columns = [cells.texts() for cells in decode_blocks(chunk)]
        rows += [list(row) for row in zip(*columns, strict=True)]
    return rows


def read(path: Path) -> tuple[SideTable, list[str]]:
    with ByteSource.open(path) as source:
        reader = CsvTable(source, None, lambda _names, _rows: None)
        for _ in reader.read():
            pass
        assert reader.table is not None
        return reader.table, reader.notes()


def plain(text: str) -> tuple[list[str], list[list[str | None]]]:
    """Header and rows by Python's csv module."""
    csv.field_size_limit(1 << 24)
    records = [
        [cell.strip(BLANK) for cell in row] for row in csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    ]
    header, *rows = [row for row in records if row not in ([], [""])]
    cut = [[*row, *[None] * len(header)][: len(header)] for row in rows]
    return header, [[None if cell in ("", "N/A") else cell for cell in row] for row in cut]


def stream_of(text: bytes, sizes: list[int]) -> tuple[list[str], list[list[str | None]]]:
    """The same by blocks of these sizes, over and over, with three rows at most at a time."""
    stream = _native.CsvStream(100, 1 << 20)
    parts: list[list[list[str | None]]] = []

    def take() -> None:
        taken = stream.take()
        columns = [Cells(*column[:4], [word.decode() for word in column[4]]).texts() for column in taken]
        parts.append([list(row) for row in zip(*columns, strict=True)])

    position = 0
    for k in range(len(text) + 1):
        size = sizes[k % len(sizes)]
        block, position = text[position : position + size], position + size
        more = stream.feed(block, 3, 1 << 20) if block else stream.finish(3, 1 << 20)
        while more:
            take()
            more = stream.feed(b"", 3, 1 << 20) if block else stream.finish(3, 1 << 20)
        if not block:
            break
    take()
    return [name.decode() for name in stream.header], [row for part in parts for row in part]


CELLS = st.one_of(
    st.text(st.sampled_from(["a", "1", ".", " ", "\t", '"', ",", "\n", "\r", "ä", "-"]), max_size=6),
    st.integers().map(str),
)


@settings(max_examples=300)
@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=8),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
def test_what_csv_writes_is_read_as_csv_reads_it(rows: list[list[str]], sizes: list[int]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([["h", "i"], *rows])
    text = out.getvalue()
    assert stream_of(text.encode(), sizes) == plain(text)


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(["a", ",", "\n", "\r\n", " ", '"x"', '"y,z"', '""', "7", "b"]), max_size=40),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
def test_any_text_of_closed_quotes_is_read_as_csv_reads_it(parts: list[str], sizes: list[int]) -> None:
    text = "h,i,j\n" + "".join(parts)
    # A record that ends in an open quote is a matter of taste.
    if _native_open_quotes(text.encode()) == 0:
        assert stream_of(text.encode(), sizes) == plain(text)


def _native_open_quotes(text: bytes) -> int:
    stream = _native.CsvStream(100, 1 << 20)
    stream.feed(text, 1000, 1 << 20)
    stream.finish(1000, 1 << 20)
    return int(stream.open_quotes[0])


def test_all_tables_of_the_corpus_are_those_that_csv_reads(corpus: Path) -> None:
    paths = sorted(corpus.glob("**/*.csv"))
    assert paths
    for path in paths:
        table, notes = read(path)
        header, rows = plain(path.read_bytes().decode("utf-8-sig"))
        assert [column.name for column in table.columns] == distinct_names(header)
        assert rows_of(table) == rows, path
        assert table.family, path
        assert not notes or "step_trace_raw" in path.name, (path, notes)


TWO_CELLS = "2 cells are not UTF-8 (first line 2, column 3)"
REPLACED = "\ufffd"
LONG_ROW = "1 row with more cells than the header: they are left out (line 3, column 5)"


@pytest.mark.parametrize(
    ("text", "rows", "note"),
    [
        (b"\xef\xbb\xbfa,b\r\n1,2\r\n", [["1", "2"]], None),
        (b'a,b\n"1\t",2\n', [["1", "2"]], None),
        (b"a,b\n1\n2,3\n", [["1", None], ["2", "3"]], "1 row has too few cells (line 2, column 1)"),
        (b"a,b\n1,2,,\n1,2,3\n", [["1", "2"], ["1", "2"]], LONG_ROW),
        (b'a,b\n1,"2\n3,4\n', [["1", '"2'], ["3", "4"]], "1 quote does not end (line 2, column 3)"),
        (b"a,b\n1,\xff\n\xff,2\n", [["1", REPLACED], [REPLACED, "2"]], TWO_CELLS),
        (b"a,b\nN/A,nan\n-1,9223372036854775808\n", [[None, "nan"], ["-1", "9223372036854775808"]], None),
        (b"a,b", [], None),
    ],
)  # fmt: skip
def test_damage_is_counted_with_its_place(
    tmp_path: Path, text: bytes, rows: list[list[str | None]], note: str | None
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text)
    table, notes = read(path)
    assert rows_of(table) == rows
    assert notes == ([] if note is None else [note])


def test_a_quote_that_does_not_end_costs_no_more_than_its_cell(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    row = b"12345,67890\n"
    path.write_bytes(b'a,b\n1,"2\n' + row * (2 * MAX_CELL_BYTES // len(row)))
    table, notes = read(path)
    assert sum(table.chunk_rows) == 1 + 2 * MAX_CELL_BYTES // len(row)
    assert notes == ["1 quote does not end (line 2, column 3)"]


def test_columns_of_one_name_are_told_apart() -> None:
    assert distinct_names(["a", "b", "a", "a~2", "a"]) == ["a", "b", "a~3", "a~2", "a~4"]


def test_a_file_that_is_a_table_is_opened_as_one(tmp_path: Path) -> None:
    path = tmp_path / "kernel_details.csv"
    path.write_text(
        'Name,Type,Accelerator Core,Start Time(us),Duration(us),Extra\nop,Add,AI_CORE,"1736413971558972.912\t",1.5,x\n'
    )
    reader = open_trace(path)
    for chunk in reader.chunks():
        assert len(chunk) == 0
    (table,) = reader.summary().tables
    reader.close()
    assert (table.family, table.name) == ("kernel_details", "kernel_details.csv")
    assert rows_of(table) == [["op", "Add", "AI_CORE", "1736413971558972.912", "1.5", "x"]]
    assert [(column.numbers, column.texts, column.most_digits) for column in table.columns][3:] == [
        (1, 0, 3),
        (1, 0, 1),
        (0, 1, 0),
    ]


def test_short_rows_of_many_columns_take_bounded_memory() -> None:
    """A row of one cell takes a place in all columns: a small file would take any amount of memory."""
    columns, most_absent = 8000, 1 << 26
    stream = _native.CsvStream(columns, 100)
    header = ",".join(f"c{place}" for place in range(columns)).encode() + b"\n"
    taken = 0
    more = stream.feed(header + b"1\n" * 10_000, MAX_ROWS, 8 << 20)
    while more:
        assert stream.rows * columns <= (8 << 20) + columns
        taken += stream.rows
        stream.take()
        more = stream.feed(b"", MAX_ROWS, 8 << 20)
    taken += stream.rows
    assert taken == most_absent // (columns - 1)
    assert stream.left_out_rows == (10_000 - taken, taken + 2, 1)
    assert stream.short_rows == (10_000, 2, 1)  # these are among them


@pytest.mark.parametrize(("cell", "least_bytes"), [("w{}", 100), ("1", 11), ("w", 1)])
def test_rows_are_taken_by_the_memory_of_their_cells(cell: str, least_bytes: int) -> None:
    columns, most_bytes = 16, 1 << 18
    stream = _native.CsvStream(columns, 100)
    row = ",".join([cell] * columns) + "\n"
    rows = "".join(row.format(*range(first, first + columns)) for first in range(0, 20_000 * columns, columns))
    more = stream.feed((row + rows).encode(), MAX_ROWS, most_bytes)
    takes = []
    while more:
        takes.append(stream.rows)
        stream.take()
        more = stream.feed(b"", MAX_ROWS, most_bytes)
    cell_bytes = least_bytes + len(cell)
    assert max(takes) <= most_bytes // (columns * cell_bytes) + 1
    assert min(takes) > most_bytes // (columns * (cell_bytes + 24))
