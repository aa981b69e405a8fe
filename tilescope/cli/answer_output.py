"""Answers of tools as text for people, and as JSON, CSV and Parquet for programs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from tilescope.cli.say import printable, printable_json
from tilescope.cli.text import count_text, duration_text, size_text
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import Answer, Column, Kind, Table, Value, answer_json, values_of

SHOWN_ROWS = 40
PIPED_WIDTH = 120  # columns, where there is no terminal to ask

_TEXTS: dict[str, Callable[[Any], str]] = {
    "count": count_text,
    "bytes": size_text,
    "fraction": lambda value: f"{100 * value:.1f} %",
    "flops": count_text,
    "flag": lambda value: "yes" if value else "no",
}
_RIGHT = frozenset({"count", "ticks", "bytes", "fraction", "rate", "flops", "number", "id", "track"})


def write_text(answer: Answer, only: str | None, tick_ps: int, file: IO[str]) -> None:
    """Facts, then tables, then notes."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(file=file)
    if not console.is_terminal:
        console = Console(file=file, width=PIPED_WIDTH)
    if only is None and answer.facts:
        facts = RichTable(box=None, show_header=False, padding=(0, 2, 0, 0))
        for fact in answer.facts:
            facts.add_row(
                Text(fact.label, style="dim"), Text(value_text(fact.kind, fact.value, tick_ps)), Text(fact.note)
            )
        console.print(facts)
    for table in answer.tables if only is None else [answer.table(only)]:
        shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1), title=Text(table.title), title_justify="left")
        for column in table.columns:
            right = column.kind in _RIGHT
            shown.add_column(Text(column.title), justify="right" if right else "left", overflow="fold", no_wrap=right)
        for row in rows_of(table, SHOWN_ROWS):
            texts = zip(table.columns, row, strict=True)
            shown.add_row(*(Text(value_text(column.kind, value, tick_ps)) for column, value in texts))
        console.print(shown)
        if len(table) > SHOWN_ROWS:
            console.print(Text(f"{count_text(len(table) - SHOWN_ROWS)} more rows: --format json or csv has all"))
        if table.more is not None:
            console.print(Text(f"there are more: ask on with --after {table.more}"))
    for note in answer.notes:
        console.print(Text(f"{note.severity}: {note.text}"))


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
    for row in rows_of(table, len(table)):
        writer.writerow([clean(value) if isinstance(value, str) else value for value in row])


def write_parquet(table: Table, path: Path) -> None:
    """A file for pandas, polars and DuckDB. Raises UsageError without pyarrow."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise UsageError("pyarrow is not installed: pip install pyarrow") from None
    from tilescope.tiler.tools.arrow import arrow_table

    parquet.write_table(arrow_table(table), path)


def value_text(kind: Kind, value: Value, tick_ps: int) -> str:
    """A figure for people: times in the unit that fits, a dash for what is not recorded."""
    if value is None or value != value:
        return "–"
    if kind == "ticks":
        return duration_text(int(value), tick_ps)
    return _TEXTS[kind](value) if kind in _TEXTS else printable(str(value))


def rows_of(table: Table, limit: int) -> Sequence[tuple[Value, ...]]:
    """The first rows, as tuples."""
    return list(zip(*(values_of(_first(column, limit)) for column in table.columns), strict=True))


def _first(column: Column, limit: int) -> Column:
    return Column(column.id, column.title, column.kind, column.values[:limit], column.unit)
