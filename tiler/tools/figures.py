"""Figures of an answer in words, for the sentence that says what it comes to: with the digits that people read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tilescope.tiler.count_text import count_text
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.schema import Kind
from tilescope.tiler.size_text import si_text, size_text
from tilescope.tiler.tools.answer import Answer, Table, Value, values_of

_MOST_CHARACTERS: Final = 80  # of a name in a sentence

_WRITERS: Final[Mapping[str, Callable[[Any], str]]] = {
    "count": count_text,
    "bytes": size_text,
    "flops": si_text,
    "rate": si_text,
    "number": si_text,
    "fraction": percent_text,
    "ps": lambda ps: duration_text(ps, 1),
}


def short_name(text: str) -> str:
    """A name that fits into a sentence: its first 80 characters, on one line."""
    text = " ".join(text.split())
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"


def figure_text(kind: Kind, value: Value, tick_ps: int) -> str:
    """A figure by its kind; empty where it is not recorded."""
    if value is None or value != value:
        return ""
    if kind == "ticks":
        return duration_text(int(value), tick_ps)
    write = _WRITERS.get(kind)
    return short_name(str(value)) if write is None else write(value)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of an answer by their ids; nothing of what it has not."""

    answer: Answer
    tick_ps: int

    def value(self, fact: str) -> Value:
        """None: not recorded, or the answer has no such fact."""
        return next((entry.value for entry in self.answer.facts if entry.id == fact), None)

    def count(self, fact: str) -> int:
        """0 where it is not recorded."""
        return int(self.value(fact) or 0)

    def text(self, fact: str) -> str:
        """Empty where it is not recorded."""
        return next(
            (figure_text(entry.kind, entry.value, self.tick_ps) for entry in self.answer.facts if entry.id == fact), ""
        )

    def table(self, name: str) -> Table | None:
        """The table of that id; None where the answer has none, or it has no row."""
        return next((table for table in self.answer.tables if table.id == name and len(table)), None)

    def greatest(self, table: str, column: str) -> int | None:
        """The first row of those with the greatest figure in a column; None where no row has one above 0."""
        rows = self.table(table)
        if rows is None:
            return None
        values = [value or 0 for value in values_of(rows.column(column))]
        row = max(range(len(values)), key=values.__getitem__)
        return row if values[row] else None

    def cell(self, table: str, column: str, row: int) -> str:
        """Empty where it is not recorded."""
        rows = self.table(table)
        entry = None if rows is None else next((each for each in rows.columns if each.id == column), None)
        return "" if entry is None else figure_text(entry.kind, values_of(entry)[row], self.tick_ps)
