"""Tables as files: Parquet, Arrow, CSV, JSON and DuckDB, written batch by batch."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tables import Batch, ColumnType, TableKind, TablePart, scan
from tilescope.tiler.tables.pyarrow_batches import ScanStream, load_pyarrow, pyarrow_batches, pyarrow_schema
from tilescope.tiler.words import Words

if TYPE_CHECKING:
    import pyarrow


class TableFormat(StrEnum):
    """Formats of exported tables: the ends of the names of their files."""

    PARQUET = "parquet"
    ARROW = "arrow"
    CSV = "csv"
    DUCKDB = "duckdb"
    JSON = "jsonl"


@dataclass(frozen=True, slots=True)
class TableExport:
    """Chosen columns of a part of a table of a run."""

    reader: QueryReader
    table: TableKind
    columns: Sequence[str]
    part: TablePart

    def batches(self) -> Iterator[Batch]:
        """Batch by batch. Raises as `scan`."""
        return scan(self.reader, self.table, self.columns, self.part)

    def schema(self, *, coded: bool) -> pyarrow.Schema:
        """Its schema, with what times are made of in its metadata."""
        run = self.reader.manifest
        metadata = {
            "tilescope.table": self.table.name,
            "tilescope.build": run.build,
            "tilescope.tick_ps": str(run.tick_ps),
            "tilescope.origin_ns": str(run.origin_ns),
        }
        return pyarrow_schema(self.table, self.columns, metadata, coded=coded)


def write_table(export: TableExport, table_format: TableFormat, file: IO[bytes]) -> None:
    """Writes one table as one file. Raises UsageError without what writes the format, and OSError."""
    if table_format not in _WRITERS:
        raise UsageError(f"{table_format} has all tables in one database: name a file for it")
    _WRITERS[table_format](export, file)


def write_database(exports: Iterable[TableExport], path: Path) -> None:
    """Writes tables into a new DuckDB database. Raises UsageError where DuckDB is not installed, and OSError."""
    try:
        import duckdb
    except ImportError:
        raise UsageError("DuckDB is not installed: pip install 'tilescope[sql]'") from None
    rows: ScanStream | None = None
    try:
        with duckdb.connect(str(path)) as database:
            for export in exports:
                rows = ScanStream(export.batches, export.schema(coded=False))
                database.register("rows_to_write", rows)
                database.execute(f"create table {export.table.name} as select * from rows_to_write")
                database.unregister("rows_to_write")
    except duckdb.Error as error:
        if rows is not None and rows.failure is not None:
            raise rows.failure from None
        raise OSError(errno.EIO, str(error).splitlines()[0]) from None


def _write_parquet(export: TableExport, file: IO[bytes]) -> None:
    """Row groups are batches, by track and time: statistics of both have readers skip what they do not need."""
    load_pyarrow()
    from pyarrow import parquet

    schema = export.schema(coded=True)
    texts = [column.name for column in export.table.columns if column.type is ColumnType.TEXT]
    options = {"compression": "zstd", "use_dictionary": [name for name in texts if name in export.columns]}
    with parquet.ParquetWriter(file, schema, **options) as writer:
        for batch in pyarrow_batches(export.batches(), schema):
            writer.write_batch(batch)


def _write_arrow(export: TableExport, file: IO[bytes]) -> None:
    pyarrow = load_pyarrow()
    schema = export.schema(coded=False)
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.ipc.new_file(file, schema, options=options) as writer:
        for batch in pyarrow_batches(export.batches(), schema):
            writer.write_batch(batch)


def _write_csv(export: TableExport, file: IO[bytes]) -> None:
    load_pyarrow()
    from pyarrow import csv

    schema = export.schema(coded=False)
    with csv.CSVWriter(file, schema) as writer:
        for batch in pyarrow_batches(export.batches(), schema):
            writer.write_batch(batch)


def _write_json(export: TableExport, file: IO[bytes]) -> None:
    """Lines of JSON, one for each row; whole numbers are texts, as 64 bits of them are in all JSON here."""
    types = {column.name: column.type for column in export.table.columns}
    for batch in export.batches():
        columns = [_json_cells(batch.columns[name], types[name]) for name in export.columns]
        lines = (dict(zip(export.columns, row, strict=True)) for row in zip(*columns, strict=True))
        file.write("".join(f"{json.dumps(line, allow_nan=False)}\n" for line in lines).encode())


def _json_cells(column: Any, column_type: ColumnType) -> list[object]:
    cells: list[object] = (column.array() if isinstance(column, Words) else column).tolist()
    if column_type is ColumnType.INTEGER:
        return [None if cell is None else str(cell) for cell in cells]
    if column_type is ColumnType.REAL:  # JSON has finite numbers alone
        return [cell if isinstance(cell, float) and isfinite(cell) else None for cell in cells]
    return cells


_WRITERS: Final[dict[TableFormat, Callable[[TableExport, IO[bytes]], None]]] = {
    TableFormat.PARQUET: _write_parquet,
    TableFormat.ARROW: _write_arrow,
    TableFormat.CSV: _write_csv,
    TableFormat.JSON: _write_json,
}
