"""Answers of tools for programs: JSON, CSV and Parquet."""

from __future__ import annotations

import csv
import json
from typing import IO

from tilescope.tiler.errors import UsageError
from tilescope.tiler.printable_text import printable, printable_json
from tilescope.tiler.tools import Answer, Table, answer_json, values_of


def write_json(answer: Answer, only: str | None, file: IO[str]) -> None:
    """As the HTTP API answers; one table where one is named."""
    value = json.loads(answer_json.encode(answer))
    if only is not None:
        answer.table(only)
        (value,) = (table for table in value["tables"] if table["id"] == only)
    file.write(printable_json(value) + "\n")


def write_csv(table: Table, file: IO[str]) -> None:
    """One line per row below a line of column ids; integers exact; nothing where a value is not recorded."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([column.id for column in table.columns])
    clean = printable if file.isatty() else str  # data for programs stay as they are
    for row in zip(*map(values_of, table.columns), strict=True):
        writer.writerow(["" if value != value else clean(value) if isinstance(value, str) else value for value in row])


def write_parquet(table: Table, file: IO[bytes]) -> None:
    """A file for pandas, polars and DuckDB. Raises UsageError without pyarrow."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise UsageError("pyarrow is not installed: pip install pyarrow") from None
    parquet.write_table(table.to_arrow(), file)
