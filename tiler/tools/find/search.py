"""Where a name occurs: how often, exactly, and the first occurrences in time. From histograms and leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import HISTOGRAM_EVENTS, Histogram, decompress
from tilescope.tiler.query.events import EventPlan, Events, LeafRun
from tilescope.tiler.query.names import Name, NameSet
from tilescope.tiler.query.place import Place
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.query.reading import Reading
from tilescope.tiler.query.steps import Steps
from tilescope.tiler.step_names import chosen_step
from tilescope.tiler.windows import Windows, WindowsOf, everywhere

# Of a text to find: in a URL, a character may take twelve.
MAX_TEXT = 256


class Match(StrEnum):
    """How a text is compared with a name."""

    CONTAINS = "contains"  # anywhere in the name, upper and lower case alike
    EXACT = "exact"  # the whole name as it is
    STEP = "step"  # as steps are called that somebody names by it


@dataclass(frozen=True, slots=True)
class FindQuery:
    """What is looked for: events that start in a window of their track and whose name matches."""

    text: str
    windows_of: WindowsOf
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
        if self.match is Match.STEP:
            return lambda name: chosen_step(name, self.text) is not None
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
    """The answer. `per_track` counts all events of the windows that match, whatever `limit` and `after` say."""

    n_names: int  # names that match, whether or not they occur in the windows
    per_track: dict[int, int]
    events: Sequence[Occurrence]
    has_more: bool
    names: dict[int, Name]  # of the listed events


def find(reader: QueryReader, query: FindQuery) -> Steps[Found]:
    """Counts all occurrences and lists the first. Raises UsageError for an unknown track, and DamagedStore."""
    leaves = reader.tree.leaves(query.tracks)
    names = yield from reader.names.matching(query.is_match())
    search = _Search(reader, query, names)
    for track in leaves if len(names) else ():
        if int(reader.tree.tracks[track]["events"]) < HISTOGRAM_EVENTS:
            search.look_through(track)
            yield
        else:
            yield from search.look_with_histograms(track)
    events = search.first
    listed = events[: query.limit]
    found_names = reader.names.of(event.name for event in listed)
    return Found(len(names), search.per_track, listed, len(events) > query.limit, found_names)


class _Search:
    """What was found so far: the count of each track, and the first occurrences, one more than are to be listed."""

    def __init__(self, reader: QueryReader, query: FindQuery, names: NameSet) -> None:
        self.per_track: dict[int, int] = {}
        self.first: list[Occurrence] = []
        self._reader = reader
        self._reading = Reading(reader)
        self._query = query
        self._names = names
        self._wanted = query.limit + 1

    def look_through(self, track: int) -> None:
        """Reads all events of a track: they are few."""
        windows = self._query.windows_of(track)
        plan = self._reader.plan(track, windows)
        listed = self._listed(windows)
        of_track: list[Occurrence] = []
        count = 0
        for events in self._reading.events(plan, plan.leaf_runs):
            found = events.take(self._names.has(events.name) & windows.hold(events.start))
            count += len(found)
            of_track += self._occurrences(found.take(listed.hold(found.start)), self._wanted - len(of_track))
        self._add(track, count, of_track)

    def look_with_histograms(self, track: int) -> Steps[None]:
        """Counts from histograms, and reads only the leaves in which the names may be, in time order."""
        windows = self._query.windows_of(track)
        count = 0
        for part in self._reading.histogram_parts([track], everywhere(windows)):
            count += int(part.count[self._names.has(part.name)].sum())
            yield
        of_track: list[Occurrence] = []
        if count:
            yield
            listed = self._listed(windows)
            plan = self._reader.plan(track, listed)
            where = _NameTiles(self._reader, track, self._names)
            runs = [run for run in plan.leaf_runs if where.may_be_in(plan, run)]
            for events in self._reading.events(plan, runs):
                found = events.take(self._names.has(events.name) & listed.hold(events.start))
                of_track += self._occurrences(found, self._wanted - len(of_track))
                yield
                if len(of_track) >= self._wanted:
                    break
        self._add(track, count, of_track)

    def _listed(self, windows: Windows) -> Windows:
        """Where occurrences are still of interest: after `after`, and not later than all that are found."""
        after = self._query.after
        stop = self.first[-1].start + 1 if len(self.first) == self._wanted else windows.stop
        return windows.clipped(windows.start if after is None else after.start, stop)

    def _occurrences(self, found: Events, limit: int) -> list[Occurrence]:
        """The first of these events that are to be listed."""
        found = found.take(self._is_after(found)).take(slice(max(limit, 0)))
        columns = (found.ordinal, found.name, found.start, found.duration, found.row)
        return [Occurrence(found.track, *values) for values in zip(*(c.tolist() for c in columns), strict=True)]

    def _is_after(self, events: Events) -> NDArray[np.bool_]:
        after = self._query.after
        if after is None:
            return np.ones(len(events), np.bool_)
        later: NDArray[np.bool_] = events.start > after.start
        if events.track == after.track:
            later |= (events.start == after.start) & (events.ordinal > after.ordinal)
        elif events.track > after.track:
            later |= events.start == after.start
        return later

    def _add(self, track: int, count: int, of_track: list[Occurrence]) -> None:
        if count:
            self.per_track[track] = count
        if of_track:
            self.first = sorted([*self.first, *of_track], key=lambda event: event.place)[: self._wanted]


class _NameTiles:
    """Tells where in a track some names cannot be, from the histograms of tiles."""

    def __init__(self, reader: QueryReader, track: int, names: NameSet) -> None:
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
        return histogram.has_other_names or bool(self._names.has(histogram.name).any())
