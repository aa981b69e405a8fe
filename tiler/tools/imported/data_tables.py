"""Tables as Google's charts take them: overview and input pipeline pages are lists of such."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, values_of
from tilescope.tiler.tools.imported.json_values import SHOWN_ROWS, id_of, items, member, number, text, ticks, whole

_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_UNIT: Final = re.compile(r" *\((in ms|%|as % of [^)]*)\)$")
_MAX_TABLES: Final = 100
_MAX_FACTS: Final = 1000  # of a table; and so many notes
_MAX_COLUMNS: Final = 200
_MAX_CELLS: Final = 2_000_000  # of all tables
_AT_ONCE: Final = 5000  # rows between two turns
_PS: Final[Mapping[str, int]] = {"Ms": 10**9, "InMs": 10**9, "Us": 10**6, "_ms": 10**9, "_us": 10**6}

# What the pages call their columns and tables where their labels are none.
_TITLES: Final[Mapping[str, str]] = {
    "stepnum": "Step",
    "infeedPercentAverage": "Infeed share",
    "infeedPercentMin": "Least infeed share",
    "infeedPercentMax": "Greatest infeed share",
    "timeInPercent": "Share of input time",
    "selfTimeInPercent": "Share of input self time",
    "timeInMs": "Total time",
    "selfTimeInMs": "Self time",
    "flopRate": "FLOP rate",
}
_TABLES: Final[Mapping[str, str]] = {
    "selfTimePercent": "Operations",
    "stepnum": "Steps",
    "opName": "Input operations",
    "percentile": "Latency",
}
_ADVICE: Final = "link"
_SAYS_IT_AGAIN: Final = frozenset({"tooltip", "remark_color"})


@dataclass(frozen=True, slots=True)
class _Shape:
    """Numbers of rows and columns of a table that are shown."""

    rows: int
    columns: int
    is_cut: bool


def data_tables_answer(parsed: Any, tick_ps: int) -> Interruptible[Answer]:
    """All tables of a page; their properties are facts, and tables of advice notes."""
    facts: dict[str, Fact] = {}
    tables: list[Table] = []
    notes: list[Note] = []
    left = _MAX_CELLS
    all_tables = items(parsed)
    if len(all_tables) > _MAX_TABLES:
        notes.append(Note("warning", f"the page has {len(all_tables):,} tables: the first {_MAX_TABLES} are shown"))
    for place, raw_table in enumerate(all_tables[:_MAX_TABLES]):
        yield
        for fact in _facts(raw_table, tick_ps):
            facts.setdefault(fact.id, fact)
        shape = _shape(raw_table, left)
        left -= shape.rows * shape.columns
        if shape.is_cut:
            text = f"{plural(shape.rows, 'row', 'rows')} and {plural(shape.columns, 'column', 'columns')}"
            notes.append(Note("warning", f"table {place} has more than is shown: these are its first {text}"))
        table = yield from _table(raw_table, shape, place, tick_ps)
        if table is not None and any(column.id == _ADVICE for column in table.columns):
            words = [advice for advice in values_of(table.column(_ADVICE)) if advice][:_MAX_FACTS]
            notes += [Note("info", f"the file says: {advice}") for advice in words]
        elif table is not None:
            tables.append(table)
    return Answer(list(facts.values()), tables, [chart for table in tables for chart in _steps(table)], notes)


def _facts(raw_table: Any, tick_ps: int) -> list[Fact]:
    properties = member(raw_table, "p")
    facts: list[Fact] = []
    for key, value in islice(properties.items(), _MAX_FACTS) if isinstance(properties, dict) else ():
        words = _plain(text(value))
        if not words or key in _SAYS_IT_AGAIN:
            continue
        label = (text(key) or "").replace("_", " ").replace("steptime", "step time")
        name = id_of(key, f"property.{len(facts)}")
        unit = next((unit for unit in ("_ms_", "_us_") if unit in f"{key}_"), None)
        amount = number(words.removesuffix("%"))
        if amount is not None and unit is not None:
            label = label.replace(unit[1:3], "").replace("  ", " ").strip()
            facts.append(Fact(name, label.capitalize(), ticks(amount, _PS[unit[:3]], tick_ps), "ticks"))
        elif amount is not None and ("percent" in key or words.endswith("%")):
            label = label.replace("percent", "share").replace("time share", "share")
            facts.append(Fact(name, label.capitalize(), amount / 100, "fraction"))
        else:
            facts.append(Fact(name, label.capitalize(), words, "text"))
    return facts


def _shape(raw_table: Any, most_cells: int) -> _Shape:
    columns, rows = len(items(member(raw_table, "cols"))), len(items(member(raw_table, "rows")))
    shown_columns = min(columns, _MAX_COLUMNS)
    shown_rows = min(rows, SHOWN_ROWS, most_cells // max(shown_columns, 1))
    return _Shape(shown_rows, shown_columns, is_cut=shown_rows < rows or shown_columns < columns)


def _table(raw_table: Any, shape: _Shape, place: int, tick_ps: int) -> Interruptible[Table | None]:
    columns, rows = items(member(raw_table, "cols"))[: shape.columns], items(member(raw_table, "rows"))[: shape.rows]
    if not columns or not rows:
        return None
    cells: list[list[Any]] = []
    for row in rows:
        if len(cells) % _AT_ONCE == 0:
            yield
        cells.append([member(cell, "v") for cell in items(member(row, "c"))[: shape.columns]])
    made: dict[str, Column] = {}
    for index, column in enumerate(columns):
        yield
        key = text(member(column, "id")) or f"column{index}"
        if key not in _SAYS_IT_AGAIN:
            values = [row[index] if index < len(row) else None for row in cells]
            key = id_of(key, f"column{index}")
            made.setdefault(key, _column(key, column, values, tick_ps))
    if not made:
        return None
    first = next(iter(made))
    return Table(f"table{place}", _TABLES.get(first, f"Table {place}"), list(made.values()))


def _column(key: str, column: Any, values: list[Any], tick_ps: int) -> Column:
    """Times in ticks, shares as such: labels say which are percent, and some of these are fractions."""
    title = _TITLES.get(key) or _UNIT.sub("", text(member(column, "label")) or key)
    if member(column, "type") != "number":
        return Column(key, title, "text", [_plain(text(value)) for value in values])
    numbers = [number(value) for value in values]
    unit = next((ps for ending, ps in _PS.items() if key.endswith(ending)), None)
    if unit is not None:
        return Column(key, title, "ticks", [ticks(value, unit, tick_ps) for value in numbers])
    if "Percent" in key:
        scale = 100 if key.startswith("infeed") else 1
        return Column(
            key, title, "fraction", [None if value is None else value / scale for value in numbers], total="none"
        )
    if key == "flopRate":
        return Column(
            key, title, "rate", [None if value is None else value * 1e9 for value in numbers], "FLOP/s", total="none"
        )
    return Column(key, title, "number", numbers)


def _steps(table: Table) -> list[Series]:
    """The parts of each step, as a chart."""
    steps = [whole(value) for value in values_of(table.columns[0])]
    parts = [column for column in table.columns if column.kind == "ticks" and "Time" in column.id]
    if table.columns[0].id != "stepnum" or not parts or None in steps:
        return []
    x = Column("step", "Step", "count", steps)
    return [Series("steps", "Time of each step", "bars", x, parts)]


def _plain(words: str | None) -> str | None:
    """Without markup: pages have links in their advice."""
    return None if words is None else html.unescape(_TAG.sub("", words)).strip()
