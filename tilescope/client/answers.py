"""What the client returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.client.tables import Column, Table, Words
from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.query import Events

INT64_MAX = np.iinfo(np.int64).max

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
    def of(cls, answer: Mapping[str, Any]) -> StatsAnswer:
        """From the JSON of docs/api.md."""
        rows = answer["rows"]
        columns: dict[str, Column] = {column: words([row[column] for row in rows]) for column in ("name", "category")}
        for name in ("count", "busy", "self", "longest"):
            columns[name] = _integers(int(row[name]) for row in rows)
        return cls(
            int(answer["start"]),
            int(answer["end"]),
            answer["tracks"],
            answer["names"],
            _sums(answer["total"]),
            None if answer["rest"] is None else _sums(answer["rest"]),
            Table(columns),
        )

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
    def of(cls, answers: Sequence[Mapping[str, Any]]) -> FindAnswer:
        """From the JSON of docs/api.md, of one page or of several that follow one another."""
        first = answers[0]
        events = [event for answer in answers for event in answer["events"]]
        columns: dict[str, Column] = {
            "track": np.array([event["track"] for event in events], np.int64),
            "ordinal": np.array([int(event["ordinal"]) for event in events], np.int64),
            "name": words([event["name"] for event in events]),
            "category": words([event["category"] for event in events]),
            "start": np.array([int(event["start"]) for event in events], np.int64),
            "duration": np.array([int(event["duration"]) for event in events], np.int64),
            "row": np.array([event["row"] for event in events], np.int64),
        }
        per_track = {track["track"]: int(track["count"]) for track in first["tracks"]}
        return cls(first["names"], int(first["count"]), per_track, Table(columns))

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


def _sums(sums: Mapping[str, str]) -> Sums:
    return Sums(*(int(sums[name]) for name in ("count", "busy", "self", "longest")))


def _integers(values: Iterable[int]) -> NDArray[Any]:
    """As int64 if they fit, else Python's own: sums over many tracks may exceed 64 bits."""
    found = list(values)
    return np.array(found, np.int64 if max(found, default=0) <= INT64_MAX else object)
