"""What the client returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.client.tables import Column, Table, Words
from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.query import Events
from tilescope.tiler.tools import Answer, Value, values_of
from tilescope.tiler.tools import Column as ToolColumn
from tilescope.tiler.tools import Table as ToolTable

# Text and category by name id.
NameTexts = Mapping[int, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Sums:
    """Of the events of a span: how many start in it, and ticks within it."""

    count: int
    busy: int
    self_busy: int
    longest: int


@dataclass(frozen=True, slots=True)
class StatsAnswer:
    """What a span is made of. `table` has the busiest names, `rest` the sums of those beyond the limit."""

    start: int
    end: int
    tracks: int  # that were summed
    names: int  # that occur
    total: Sums
    rest: Sums | None
    table: Table  # name, category, count, busy, self, longest

    @classmethod
    def of(cls, answer: Answer) -> StatsAnswer:
        """From what the tool says."""
        table = answer.table("names")
        start, end, tracks, names = (_integer(answer.fact(name).value) for name in ("start", "end", "tracks", "names"))
        rest = None if table.rest is None else _sums(table.rest)
        columns = {column.id: _column(column) for column in table.columns if column.id != "name_id"}
        return cls(start, end, tracks, names, _sums(table.totals or {}), rest, Table(columns))

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@dataclass(frozen=True, slots=True)
class FindAnswer:
    """Where a name occurs: `count` times, so often on each track; `table` lists the first, by time."""

    names: int  # that match
    count: int
    per_track: Mapping[int, int]
    table: Table  # track, ordinal, name, category, start, duration, row

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> FindAnswer:
        """From what the tool says, once or page by page."""
        first = answers[0]
        events = [answer.table("events") for answer in answers]
        ordinals = [str(event).partition(".")[2] for table in events for event in values_of(table.column("event"))]
        columns: dict[str, Column] = {
            "track": _joined(events, "track"),
            "ordinal": np.array(ordinals, np.int64),
            "name": words([str(name) for table in events for name in values_of(table.column("name"))]),
            "category": words([str(name) for table in events for name in values_of(table.column("category"))]),
            **{name: _joined(events, name) for name in ("start", "duration", "row")},
        }
        tracks = first.table("tracks")
        counts = zip(*(map(_integer, values_of(tracks.column(name))) for name in ("track", "count")), strict=True)
        names, count = (_integer(first.fact(name).value) for name in ("names", "count"))
        return cls(names, count, dict(counts), Table(columns))

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def events_table(parts: Sequence[Events], names: NameTexts) -> Table:
    """Events as a table, in their order."""

    def column(name: str, dtype: type[Any] = np.int64) -> NDArray[Any]:
        return np.concatenate([np.zeros(0, dtype), *(getattr(part, name) for part in parts)])

    track = np.repeat(np.array([part.track for part in parts], np.int64), [len(part) for part in parts])
    name_ids, flags = column("name"), column("flags")
    return Table(
        {
            "track": track,
            "ordinal": column("ordinal"),
            "name": name_words(name_ids, names, 0),
            "category": name_words(name_ids, names, 1),
            "start": column("start"),
            "duration": column("duration"),
            "row": column("row"),
            "open": (flags & SliceFlag.OPEN) != 0,
            "flags": flag_words(flags),
            "value": column("value", np.float64),
        }
    )


def name_words(ids: NDArray[np.int64], names: NameTexts, part: int) -> Words:
    """The texts (part 0) or categories (part 1) of name ids; no name is an empty text."""
    used, inverse = np.unique(ids, return_inverse=True)
    by_id = words([names[name][part] if name >= 0 else "" for name in used.tolist()])
    return Words(by_id.codes[inverse] if len(used) else by_id.codes, by_id.words)


def flag_words(flags: NDArray[np.int64]) -> Words:
    """The names of an event's flags, as in "clamped" or "open renamed"; for most events an empty text."""
    used, inverse = np.unique(flags, return_inverse=True)
    by_flags = words([" ".join(SliceFlag(value).words) for value in used.tolist()])
    return Words(by_flags.codes[inverse] if len(used) else by_flags.codes, by_flags.words)


def words(texts: Sequence[str]) -> Words:
    """A column of texts, each different one kept once."""
    found: dict[str, int] = {}
    codes = [found.setdefault(text, len(found)) for text in texts]
    return Words(np.array(codes, np.int32), list(found))


def _sums(sums: Mapping[str, Value]) -> Sums:
    return Sums(*(_integer(sums[name]) for name in ("count", "busy", "self", "longest")))


def _integer(value: Value) -> int:
    assert isinstance(value, int)
    return value


def _column(column: ToolColumn) -> Column:
    """Texts kept once each; integers as they are."""
    values = column.values
    return np.asarray(values) if isinstance(values, np.ndarray) else words([str(value) for value in values])


def _joined(tables: Sequence[ToolTable], name: str) -> NDArray[np.int64]:
    return np.concatenate([np.asarray(table.column(name).values, np.int64) for table in tables])
