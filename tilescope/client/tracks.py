"""Tracks as the client shows them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from typing import SupportsIndex, TypeVar, cast

import numpy as np
from msgspec import UNSET, UnsetType

from tilescope.client.kinds import TrackKind
from tilescope.client.tables import Framed, Table
from tilescope.tiler.errors import UsageError
from tilescope.tiler.overloads import overload
from tilescope.tiler.schema import TreeGroup, TreeTrack
from tilescope.tiler.tables.batch import Column
from tilescope.tiler.words import Words

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Track:
    """A track of a run. Times are ticks."""

    id: int
    kind: TrackKind
    name: str
    detail: str
    path: tuple[str, ...]  # names of the groups around it, outermost first: host, process
    rows: int  # nesting depth
    events: int
    busy: int  # sum of the durations
    min: float | None = None  # of counters
    max: float | None = None
    first: int | None = None  # start of its first event; None without events, and while it is indexed
    last: int | None = None  # end of the event that ends last


# What may stand for tracks in a question: one, several, or None for all.
Tracks = SupportsIndex | Track | Iterable[SupportsIndex | Track] | None


class TrackList(Framed, Sequence[Track]):
    """Tracks by id: a sequence, and a table with a row for each."""

    def __init__(self, tracks: Iterable[Track]) -> None:
        self._tracks = tuple(tracks)

    @overload
    def __getitem__(self, index: int) -> Track: ...
    @overload
    def __getitem__(self, index: slice) -> TrackList: ...
    def __getitem__(self, index: int | slice) -> Track | TrackList:
        return TrackList(self._tracks[index]) if isinstance(index, slice) else self._tracks[index]

    def __len__(self) -> int:
        return len(self._tracks)

    def __iter__(self) -> Iterator[Track]:
        return iter(self._tracks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrackList) and self._tracks == other._tracks

    def __hash__(self) -> int:
        return hash(self._tracks)

    def only(self, kind: TrackKind | None, name: str | None, containing: str) -> TrackList:
        """Tracks of a kind, of exactly this name, and with this text in it, upper and lower case alike."""
        part = containing.casefold()
        return TrackList(
            t for t in self if kind in (None, t.kind) and name in (None, t.name) and part in t.name.casefold()
        )

    @property
    def table(self) -> Table:
        """The members of a `Track` as columns; `path` is one text, with " / " between the names."""
        rows = zip(*map(astuple, self._tracks), strict=True) if self._tracks else ((),) * len(fields(Track))
        columns = dict(zip(self.columns, rows, strict=True))
        texts = {name: Words.from_texts([str(text) for text in columns[name]]) for name in ("kind", "name", "detail")}
        limits = {name: np.array(columns[name], np.float64) for name in ("min", "max")}  # None becomes NaN
        numbers = {name: _integers(columns[name]) for name in ("id", "rows", "events", "busy")}
        numbers |= {name: _ticks(columns[name]) for name in ("first", "last")}
        texts["path"] = Words.from_texts([" / ".join(path) for path in columns["path"]])
        all_columns = texts | limits | numbers
        return Table({name: all_columns[name] for name in self.columns})

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in their order."""
        return [field.name for field in fields(Track)]

    def __repr__(self) -> str:
        return repr(self.table)


def tracks_of(groups: Sequence[TreeGroup], tracks: Iterable[TreeTrack]) -> TrackList:
    """The tracks of a track tree, by id."""
    by_id = {group.id: group for group in groups}

    def path(group: int | None) -> tuple[str, ...]:
        return () if group is None else (*path(by_id[group].parent), by_id[group].name)

    return TrackList(
        Track(
            track.id,
            track.kind,
            track.name,
            track.detail,
            path(track.group),
            track.rows,
            track.events,
            track.busy,
            _present(track.min),
            _present(track.max),
            _present(track.first),
            _present(track.last),
        )
        for track in tracks
    )


def ids_of(tracks: Tracks) -> Sequence[int] | None:
    """The numbers of the tracks that are meant. Raises UsageError for what is no track."""
    if tracks is None:
        return None
    if isinstance(tracks, Iterable) and not isinstance(tracks, str):
        return [id_of(track) for track in tracks]
    return [id_of(tracks)]


def id_of(track: object) -> int:
    """The number of a track. Raises UsageError for what is none."""
    if isinstance(track, Track):
        return track.id
    try:
        return operator.index(cast("SupportsIndex", track))
    except TypeError:
        raise UsageError(f"{track!r} is not a track: give its number, or one that tracks() returned") from None


def _present(value: Value | UnsetType) -> Value | None:
    return None if value is UNSET else value


def _ticks(values: Sequence[int | None]) -> Column:
    """As 64 bits where all are known."""
    return np.array(values, object if None in values else np.int64)


def _integers(values: Sequence[int]) -> Column:
    """As 64 bits where they fit: the sum of a rollup may not."""
    return np.array(values, np.int64 if all(value < 1 << 63 for value in values) else object)
