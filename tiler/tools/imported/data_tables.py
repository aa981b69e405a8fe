"""Overview and input pipeline pages as they are: each table of the file as one, in its own order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, values_of
from tilescope.tiler.tools.imported.json_values import id_of, number, text, ticks, whole
from tilescope.tiler.tools.imported.page_tables import (
    MAX_PROPERTIES,
    PageColumn,
    PageTable,
    plain,
    read_tables,
)

_UNIT: Final = re.compile(r" *\((in ms|%|as % of [^)]*)\)$")
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
ADVICE: Final = "link"  # the column of advice
_SAYS_IT_AGAIN: Final = frozenset({"tooltip", "remark_color"})


def data_tables_answer(parsed: Any, tick_ps: int) -> Interruptible[Answer]:
    """All tables of a page; their properties are facts, and tables of advice notes."""
    facts: dict[str, Fact] = {}
    tables: list[Table] = []
    page = yield from read_tables(parsed)
    notes = [Note("warning", words) for words in page.notes]
    for place, page_table in enumerate(page.tables):
        yield
        for fact in _facts(page_table, tick_ps):
            facts.setdefault(fact.id, fact)
        if any(column.id == ADVICE for column in page_table.columns) and page_table.rows:
            words = [advice for advice in page_table.texts(ADVICE) if advice][:MAX_PROPERTIES]
            notes += [Note("info", f"the file says: {advice}") for advice in words]
            continue
        table = yield from _table(page_table, place, tick_ps)
        if table is not None:
            tables.append(table)
    return Answer(list(facts.values()), tables, [chart for table in tables for chart in _steps(table)], notes)


def _facts(page_table: PageTable, tick_ps: int) -> list[Fact]:
    facts: list[Fact] = []
    for key, value in page_table.properties.items():
        words = plain(text(value))
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


def _table(page_table: PageTable, place: int, tick_ps: int) -> Interruptible[Table | None]:
    made: dict[str, Column] = {}
    for index, column in enumerate(page_table.columns if page_table.rows else ()):
        yield
        if column.id not in _SAYS_IT_AGAIN:
            key = id_of(column.id, f"column{index}")
            made.setdefault(key, _column(key, column, tick_ps))
    if not made:
        return None
    first = next(iter(made))
    return Table(f"table{place}", _TABLES.get(first, f"Table {place}"), list(made.values()))


def _column(key: str, column: PageColumn, tick_ps: int) -> Column:
    """Times in ticks, shares as such: labels say which are percent, and some of these are fractions."""
    title = _TITLES.get(key) or _UNIT.sub("", column.label or key)
    if not column.is_number:
        return Column(key, title, "text", [plain(text(value)) for value in column.values])
    numbers = [number(value) for value in column.values]
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
