"""Answers that the client returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.client.tables import Table, Tabular
from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.tables.batch import Column, fits
from tilescope.tiler.tools import Answer, Fact, Note, RowQuestion, Series, Value, values_of
from tilescope.tiler.tools import Column as ToolColumn
from tilescope.tiler.tools import Table as ToolTable
from tilescope.tiler.tools.answer import FLOAT_KINDS, ID_KINDS, INTEGER_KINDS
from tilescope.tiler.words import Words

# Text and category by name id.
NameTexts = Mapping[int, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the events of a span: how many start in it, and their ticks within it. Named like the columns.

    Durations are None where no event starts in the span.
    """

    count: int
    busy: int
    self: int
    mean: int | None
    shortest: int | None
    p50: int | None
    p99: int | None
    longest: int | None


@dataclass(frozen=True, slots=True)
class StatsAnswer(Tabular):
    """A table of the busiest names of a span, with the sums of all names and of those beyond the limit."""

    start: int
    end: int
    tracks: int  # that were summed
    names: int  # that occur
    total: Sums
    rest: Sums | None
    sums: Mapping[str, Value]  # of each argument that was summed up, over all names
    table: Table  # name, category, count, share, busy, self, mean, shortest, p50, p99, longest

    @classmethod
    def from_answer(cls, answer: Answer) -> StatsAnswer:
        """From what the tool says."""
        table = answer.table("names")
        start, end, tracks, names = (_integer(answer.fact(name).value) for name in ("start", "end", "tracks", "names"))
        rest = None if table.rest is None else _sums(table.rest)
        columns = {column.id: column_of(column) for column in table.columns if column.id != "name_id"}
        totals = table.totals or {}
        arguments = {name.removeprefix("sum."): value for name, value in totals.items() if name.startswith("sum.")}
        return cls(start, end, tracks, names, _sums(totals), rest, arguments, Table(columns))

    of = from_answer  # its name in version 0.2.0

    def __repr__(self) -> str:
        return f"{self.table!r}\n[{self.names:,} names in ticks {self.start:,} to {self.end:,}; total: {self.total}]"


@dataclass(frozen=True, slots=True)
class FindAnswer(Tabular):
    """Occurrences of a name: `count` in all and for each track, with a table of the first by time."""

    names: int  # that match
    count: int
    per_track: Mapping[int, int]
    table: Table  # track, ordinal, name, category, start, duration, row

    @classmethod
    def from_answers(cls, answers: Sequence[Answer]) -> FindAnswer:
        """From what the tool says, once or page by page."""
        first = answers[0]
        tracks = first.table("tracks")
        counts = zip(*(map(_integer, values_of(tracks.column(name))) for name in ("track", "count")), strict=True)
        names, count = (_integer(first.fact(name).value) for name in ("names", "count"))
        return cls(names, count, dict(counts), hits_table(answers))

    of = from_answers  # its name in version 0.2.0

    def __repr__(self) -> str:
        return f"{self.table!r}\n[{self.count:,} events on {len(self.per_track):,} tracks]"


@dataclass(frozen=True, slots=True)
class SearchAnswer(Tabular):
    """The events that a query selects: how many, how long they are busy, by which names; a table of some, by time."""

    names: int  # that match, whether or not they occur
    count: int
    busy: int  # ticks within the span, each event by itself
    by_name: Table  # name, category, count, busy: the busiest first
    more: str | None  # `after` of the search that goes on; None: all are listed
    table: Table  # track, ordinal, name, category, start, duration, row

    @classmethod
    def from_answers(cls, answers: Sequence[Answer]) -> SearchAnswer:
        """From what the tool says, once or page by page."""
        names, count, busy = (_integer(answers[0].fact(name).value) for name in ("names", "count", "busy"))
        by_name = answers[0].table("names")
        columns = {column.id: column_of(column) for column in by_name.columns if column.id != "name_id"}
        return cls(names, count, busy, Table(columns), answers[-1].table("events").more, hits_table(answers))

    of = from_answers  # its name in version 0.2.0

    def __repr__(self) -> str:
        return f"{self.table!r}\n[{self.count:,} events of {self.names:,} names, busy for {self.busy:,} ticks]"


class AnswerTable(Table):
    """A table of a tool's answer; `column(…)` says what a column is: its title, kind and unit."""

    __slots__ = ("_described", "id", "more", "opens", "parent", "rest", "title", "totals")

    def __init__(self, table: ToolTable) -> None:
        super().__init__({column.id: column_of(column) for column in table.columns})
        self.id, self.title = table.id, table.title
        self.parent = table.parent  # the column that makes a tree of the rows: the number of a row, or -1
        self.totals: Mapping[str, Value] | None = table.totals  # by column, over all rows
        self.rest: Mapping[str, Value] | None = table.rest  # of rows that were left out
        self.more = table.more  # `after` of the question that asks for what follows
        self.opens: Sequence[RowQuestion] = table.opens  # questions that a row leads to
        self._described = table

    def row_question(self, tool: str, row: int, label: str | None = None) -> dict[str, str] | None:
        """Fields of the question to that tool, the first or that of a label, for which a row stands; None: for none.

        `run.ask("kernels", **table.row_question("kernels", 0))`. Raises UsageError.
        """
        return self._described.row_question(tool, row, label)

    def column(self, name: str) -> ToolColumn:
        """The column of that id, described. Raises KeyError."""
        return self._described.column(name)


class ToolAnswer:
    """The answer of a tool. If `is_complete` is False, the run is still being indexed and some tracks are not done, or
    hosts are `missing`.
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer  # as docs/tools.md has it
        self.headline: Note | None = answer.headline  # the answer in one sentence
        self.facts: Sequence[Fact] = answer.facts
        self.tables = [AnswerTable(table) for table in answer.tables]
        self.series: Sequence[Series] = answer.series
        self.notes: Sequence[Note] = answer.notes
        self.is_complete = answer.is_complete
        self.missing: Sequence[str] = answer.missing

    def table(self, name: str) -> AnswerTable:
        """The table of that id. Raises UsageError."""
        for table in self.tables:
            if table.id == name:
                return table
        raise UsageError(f"there is no table {name!r}: there are {', '.join(t.id for t in self.tables) or 'none'}")

    def fact(self, name: str) -> Fact:
        """The fact of that id. Raises UsageError."""
        for fact in self.facts:
            if fact.id == name:
                return fact
        raise UsageError(f"there is no fact {name!r}: there are {', '.join(f.id for f in self.facts) or 'none'}")

    def __repr__(self) -> str:
        facts = [f"{fact.label}: {fact.note if fact.value is None else fact.value}" for fact in self.facts]
        tables = [f"\n{table.title} ({table.id})\n{table!r}" for table in self.tables]
        headline = [] if self.headline is None else [self.headline.text]
        return "\n".join([*headline, *facts, *tables, *(f"{note.severity}: {note.text}" for note in self.notes)])


def hits_table(answers: Sequence[Answer]) -> Table:
    """The events that answers of a search list, one after the other."""
    events = [answer.table("events") for answer in answers]
    ordinals = [str(event).partition(".")[2] for table in events for event in values_of(table.column("event"))]
    return Table(
        {
            "track": _joined(events, "track"),
            "ordinal": np.array(ordinals, np.int64),
            "name": _texts(events, "name"),
            "category": _texts(events, "category"),
            **{name: _joined(events, name) for name in ("start", "duration", "row")},
        }
    )


def name_words(ids: NDArray[np.int64], names: NameTexts, part: int) -> Words:
    """The texts (part 0) or categories (part 1) of name ids; no name is an empty text."""
    used, inverse = np.unique(ids, return_inverse=True)
    by_id = Words.from_texts([names[name][part] if name >= 0 else "" for name in used.tolist()])
    return Words(by_id.codes[inverse] if len(used) else by_id.codes, by_id.words)


def flag_words(flags: NDArray[np.int64]) -> Words:
    """The names of an event's flags, as in "clamped" or "open renamed"; for most events an empty text."""
    used, inverse = np.unique(flags, return_inverse=True)
    by_flags = Words.from_texts([" ".join(SliceFlag(value).words) for value in used.tolist()])
    return Words(by_flags.codes[inverse] if len(used) else by_flags.codes, by_flags.words)


def _sums(sums: Mapping[str, Value]) -> Sums:
    return Sums(**{name: _integer(sums[name]) for name in Sums.__dataclass_fields__})


def _integer(value: Value) -> Any:
    assert value is None or isinstance(value, int)
    return value


def column_of(column: ToolColumn) -> Column:
    """Texts kept once each; numbers as they are, those that were not all recorded as Python's own."""
    values = column.values
    if isinstance(values, Words) or (isinstance(values, np.ndarray) and values.dtype != object):
        return values
    if column.kind in FLOAT_KINDS:
        return np.array(values, np.float64)  # None becomes NaN
    if column.kind in INTEGER_KINDS | ID_KINDS | {"flag"}:
        objects = np.array(values, object)
        if None in values or not fits(objects):
            return objects
        return objects.astype(np.bool_ if column.kind == "flag" else np.int64)
    return Words.from_texts([None if value is None else str(value) for value in values])


def _joined(tables: Sequence[ToolTable], name: str) -> NDArray[np.int64]:
    return np.concatenate([np.asarray(table.column(name).values, np.int64) for table in tables])


def _texts(tables: Sequence[ToolTable], name: str) -> Words:
    return Words.from_texts([str(text) for table in tables for text in values_of(table.column(name))])
