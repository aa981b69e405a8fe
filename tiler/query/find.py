"""Where a name occurs: how often, exactly, and the first occurrences in time. From histograms and leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import Histogram, decompress
from tilescope.tiler.query.events import EventPlan, Events, LeafRun
from tilescope.tiler.query.names import Name
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.query.steps import Steps
from tilescope.tiler.resolver import TickRange

Ints = NDArray[np.int64]

MAX_TEXT = 1000


class Match(StrEnum):
    """How a text is compared with a name."""

    CONTAINS = "contains"  # anywhere in the name, upper and lower case alike
    EXACT = "exact"  # the whole name as it is


class Place(NamedTuple):
    """Where an event stands in the order in which occurrences are listed: by time, then by track."""

    start: int
    track: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class FindQuery:
    """What is looked for: events that start in a span and whose name matches."""

    text: str
    span: TickRange
    match: Match = Match.CONTAINS
    tracks: Sequence[int] | None = None  # None: all; a rollup stands for its tracks
    limit: int = 1000  # occurrences that are listed
    after: Place | None = None  # list those that come after this one

    def __post_init__(self) -> None:
        if not 0 < len(self.text) <= MAX_TEXT:
            raise UsageError(f"a text to find has 1 to {MAX_TEXT:,} characters, not {len(self.text):,}")

    def is_match(self) -> Callable[[str], bool]:
        """The comparison."""
        if self.match is Match.EXACT:
            return self.text.__eq__
        wanted = self.text.casefold()
        return lambda name: wanted in name.casefold()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One event."""

    track: int
    ordinal: int
    name: int
    start: int
    duration: int
    row: int

    @property
    def place(self) -> Place:
        """Where it stands in the list."""
        return Place(self.start, self.track, self.ordinal)


@dataclass(frozen=True, slots=True)
class Found:
    """The answer. `per_track` counts all events of the span that match, whatever `limit` and `after` say."""

    n_names: int  # names that match, whether or not they occur in the span
    per_track: dict[int, int]
    events: Sequence[Occurrence]
    has_more: bool
    names: dict[int, Name]  # of the listed events

    def to_json(self) -> dict[str, Any]:
        """As docs/api.md has it."""
        events = [
            {
                "track": event.track,
                "ordinal": str(event.ordinal),
                "name": self.names[event.name].text,
                "category": self.names[event.name].category,
                "start": str(event.start),
                "duration": str(event.duration),
                "row": event.row,
            }
            for event in self.events
        ]
        last = self.events[-1].place if self.has_more and self.events else None
        return {
            "names": self.n_names,
            "count": str(sum(self.per_track.values())),
            "tracks": [{"track": track, "count": str(count)} for track, count in self.per_track.items()],
            "events": events,
            "after": None if last is None else ",".join(map(str, last)),
        }


def find(reader: QueryReader, query: FindQuery) -> Steps[Found]:
    """Counts all occurrences and lists the first. Raises UsageError for an unknown track, and DamagedStore."""
    leaves = reader.tree.leaves(query.tracks)
    names = yield from reader.names.matching(query.is_match())
    per_track: dict[int, int] = {}
    if len(names):
        for track in leaves:
            histogram = reader.store.histogram(track, *query.span)
            count = 0 if histogram is None else int(histogram.count[np.isin(histogram.name, names)].sum())
            if count:
                per_track[track] = count
            yield
    events = yield from _first_events(reader, query, names, list(per_track))
    listed = events[: query.limit]
    found_names = reader.names.of(event.name for event in listed)
    return Found(len(names), per_track, listed, len(events) > query.limit, found_names)


def _first_events(reader: QueryReader, query: FindQuery, names: Ints, tracks: Sequence[int]) -> Steps[list[Occurrence]]:
    """The first occurrences, one more than the limit if there are as many."""
    wanted = query.limit + 1
    first: list[Occurrence] = []
    span = query.span if query.after is None else TickRange(max(query.span.start, query.after.start), query.span.stop)
    for track in tracks:
        if len(first) == wanted:  # nothing later than the last of them is of interest
            span = TickRange(span.start, min(span.stop, first[-1].start + 1))
        plan = reader.plan(track, span)
        where = _NameTiles(reader, track, names)
        of_track: list[Occurrence] = []
        for events in reader.read(plan, [run for run in plan.leaf_runs if where.may_be_in(plan, run)]):
            of_track += _occurrences(events, names, span.start, query.after, wanted)
            yield
            if len(of_track) >= wanted:
                break
        first = sorted([*first, *of_track], key=lambda event: event.place)[:wanted]
    return first


class _NameTiles:
    """Tells where in a track some names cannot be, from the histograms of tiles."""

    def __init__(self, reader: QueryReader, track: int, names: Ints) -> None:
        self._reader = reader
        self._track = track
        self._names = names
        self._known: dict[tuple[int, int], bool] = {}

    def may_be_in(self, plan: EventPlan, run: LeafRun) -> bool:
        return any(self._may_be_in_tile(*tile) for tile in plan.places(run))

    def _may_be_in_tile(self, level: int, index: int) -> bool:
        place = level, index
        if place not in self._known:
            above = level == self._reader.root_level or self._may_be_in_tile(level + 1, index >> 2)
            self._known[place] = above and self._is_in_histogram(level, index)
        return self._known[place]

    def _is_in_histogram(self, level: int, index: int) -> bool:
        record = self._reader.store.histogram_record(self._track, level, index)
        if record is None:
            return True
        histogram = Histogram.decode(decompress(record), self._track, level)
        return histogram.has_other_names or bool(np.isin(histogram.name, self._names).any())


def _occurrences(events: Events, names: Ints, start: int, after: Place | None, limit: int) -> list[Occurrence]:
    which = np.flatnonzero(np.isin(events.name, names) & (events.start >= start))
    found: list[Occurrence] = []
    for k in which:
        place = Place(int(events.start[k]), events.track, int(events.ordinal[k]))
        if after is None or place > after:
            name, duration, row = (int(column[k]) for column in (events.name, events.duration, events.row))
            found.append(Occurrence(place.track, place.ordinal, name, place.start, duration, row))
            if len(found) == limit:
                break
    return found
