"""Columns of events as tables have them, made from those that pages have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.query.event_columns import EventColumns
from tilescope.tiler.tables.batch import Batch, Column
from tilescope.tiler.tables.column import ColumnKind, flag, integer, real, text
from tilescope.tiler.tables.name_words import NameWords
from tilescope.tiler.words import Words

Ints = NDArray[np.int64]


class _Rows:
    """Parts of several tracks, one after the other."""

    def __init__(self, parts: Sequence[EventColumns], names: NameWords) -> None:
        self._parts = parts
        self.names = names
        self.counts = [len(part) for part in parts]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column that pages have."""
        none = np.zeros(0, np.float64 if name == "value" else np.int64)
        columns = [part.columns[name] for part in self._parts]
        return columns[0] if len(columns) == 1 else np.concatenate([none, *columns])

    @property
    def track(self) -> Ints:
        return np.repeat(np.array([part.track for part in self._parts], np.int64), self.counts)


@dataclass(frozen=True, slots=True)
class EventColumn:
    """A column of events: which columns of pages it is made from, and how."""

    column: ColumnKind
    needs: Sequence[str]
    make: Callable[[_Rows], Column]


def _words_of_flags(rows: _Rows) -> Words:
    used, places = np.unique(rows["flags"], return_inverse=True)
    return Words(places.astype(np.int32), [" ".join(SliceFlag(value).words) for value in used.tolist()])


def _plain(column: ColumnKind) -> EventColumn:
    return EventColumn(column, (column.name,), lambda rows: rows[column.name])


def _places(rows: _Rows) -> Words:
    pairs = zip(rows.track.tolist(), rows["ordinal"].tolist(), strict=True)
    places = [f"{track}.{ordinal}" for track, ordinal in pairs]
    return Words(np.arange(len(places), dtype=np.int32), places)


_ALL: Final = (
    EventColumn(integer("track", "id of the track"), (), lambda rows: rows.track),
    _plain(integer("ordinal", "rank of the event on its track: both name it")),
    EventColumn(text("name", "what it is called"), ("name",), lambda rows: rows.names.texts(rows["name"])),
    EventColumn(text("category", "its category"), ("name",), lambda rows: rows.names.categories(rows["name"])),
    _plain(integer("start", "ticks since the origin")),
    _plain(integer("duration", "ticks")),
    EventColumn(
        integer("end", "ticks since the origin"), ("start", "duration"), lambda rows: rows["start"] + rows["duration"]
    ),
    _plain(integer("row", "nesting depth, 0 is the top")),
    EventColumn(
        flag("open", "the trace ended before it did"),
        ("flags",),
        lambda rows: (rows["flags"] & SliceFlag.OPEN) != 0,
    ),
    EventColumn(text("flags", "what is odd about it, with spaces between"), ("flags",), _words_of_flags),
    _plain(real("value", "of a counter sample", is_nullable=True)),
    EventColumn(text("event", "track and ordinal, as links have them"), ("ordinal",), _places),
)

EVENT_COLUMNS: Final[Mapping[str, EventColumn]] = {column.column.name: column for column in _ALL}


def needed(columns: Iterable[str]) -> list[str]:
    """The columns of pages that these columns are made from. Raises UsageError for one that events do not have."""
    chosen = list(columns)
    unknown = [name for name in chosen if name not in EVENT_COLUMNS]
    if unknown:
        raise UsageError(f"events have no column {unknown[0]!r}: there are {', '.join(EVENT_COLUMNS)}")
    return list(dict.fromkeys(need for name in chosen for need in EVENT_COLUMNS[name].needs))


def event_batch(parts: Sequence[EventColumns], columns: Iterable[str], names: NameWords) -> Batch:
    """Columns of parts that have what these need; `names` has the names of all of them."""
    rows = _Rows(parts, names)
    return Batch({name: EVENT_COLUMNS[name].make(rows) for name in columns}, sum(rows.counts))
