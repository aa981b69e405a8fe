"""Tables of a saved page, read within limits: overview and input pipeline pages are lists of such."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.imported.json_values import SHOWN_ROWS, items, member, number, text

MAX_PROPERTIES: Final = 1000  # of a table
_MAX_TABLES: Final = 100
_MAX_COLUMNS: Final = 200
_MAX_CELLS: Final = 2_000_000  # of all tables
_AT_ONCE: Final = 5000  # rows between two turns
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")


@dataclass(frozen=True, slots=True)
class PageColumn:
    """A column as the file has it; `values` are JSON of any type, one for each row that is shown."""

    id: str
    label: str | None
    is_number: bool
    values: Sequence[Any]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table as the file has it. `left_out` says in words what is not shown of it; empty: nothing."""

    columns: Sequence[PageColumn]
    properties: Mapping[str, Any]
    rows: int
    left_out: str

    def numbers(self, name: str) -> Sequence[float | None] | None:
        """Values of the first column of this id; None: there is none."""
        column = self._column(name)
        return None if column is None else [number(value) for value in column.values]

    def texts(self, name: str) -> Sequence[str | None]:
        """The same as texts without markup; None for each row where there is no such column."""
        column = self._column(name)
        return [None] * self.rows if column is None else [plain(text(value)) for value in column.values]

    def _column(self, name: str) -> PageColumn | None:
        return next((column for column in self.columns if column.id == name), None)


@dataclass(frozen=True, slots=True)
class PageTables:
    """All tables of a page."""

    tables: Sequence[PageTable]
    notes: Sequence[str]  # what of the file is not shown

    def with_column(self, name: str) -> PageTable:
        """The first table that has such a column; an empty one where none has."""
        tables = (table for table in self.tables if any(column.id == name for column in table.columns))
        return next(tables, PageTable([], {}, 0, ""))

    def words(self, name: str) -> str | None:
        """A property of any table without markup; None: none has it, or it is empty."""
        stated = (plain(text(table.properties.get(name))) for table in self.tables)
        return next((words for words in stated if words), None)

    def amount(self, name: str) -> float | None:
        """The same as a number; None: it is none. Shares are in percent, as they are in the file."""
        return number((self.words(name) or "").removesuffix("%"))

    def share(self, name: str) -> float | None:
        """A percentage as a fraction."""
        percentage = self.amount(name)
        return None if percentage is None else percentage / 100


def read_tables(parsed: Any) -> Interruptible[PageTables]:
    """The tables of a page, in the order of the file."""
    tables: list[PageTable] = []
    notes: list[str] = []
    left = _MAX_CELLS
    listed = items(parsed)
    if len(listed) > _MAX_TABLES:
        notes.append(f"the page has {len(listed):,} tables: the first {_MAX_TABLES} are shown")
    for place, raw_table in enumerate(listed[:_MAX_TABLES]):
        yield
        table = yield from _table(raw_table, left)
        left -= table.rows * len(table.columns)
        tables.append(table)
        if table.left_out:
            notes.append(f"table {place} has more than is shown: these are its first {table.left_out}")
    return PageTables(tables, notes)


def plain(words: str | None) -> str | None:
    """Text without markup: pages have links in their advice."""
    return None if words is None else html.unescape(_TAG.sub("", words)).strip()


def _table(raw_table: Any, most_cells: int) -> Interruptible[PageTable]:
    raw_columns, raw_rows = items(member(raw_table, "cols")), items(member(raw_table, "rows"))
    columns = raw_columns[:_MAX_COLUMNS]
    rows = raw_rows[: min(SHOWN_ROWS, most_cells // max(len(columns), 1))]
    is_cut = len(columns) < len(raw_columns) or len(rows) < len(raw_rows)
    cells: list[list[Any]] = []
    for row in rows if columns else ():
        if len(cells) % _AT_ONCE == 0:
            yield
        cells.append([member(cell, "v") for cell in items(member(row, "c"))[: len(columns)]])
    made: list[PageColumn] = []
    for index, column in enumerate(columns):
        yield
        made.append(
            PageColumn(
                text(member(column, "id")) or f"column{index}",
                text(member(column, "label")),
                member(column, "type") == "number",
                [row[index] if index < len(row) else None for row in cells],
            )
        )
    properties = member(raw_table, "p")
    stated = islice(properties.items(), MAX_PROPERTIES) if isinstance(properties, dict) else ()
    left_out = f"{plural(len(rows), 'row', 'rows')} and {plural(len(columns), 'column', 'columns')}" if is_cut else ""
    return PageTable(made, dict(stated), len(cells), left_out)
