"""Search for the occurrences of a name: their exact number on each track, and the first ones in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Interruptible, Name, Place, QueryReader
from tilescope.tiler.search.hits import Hits, page_of_hits
from tilescope.tiler.search.language import Kind, Pattern, Query
from tilescope.tiler.search.selection import Selection, named, select
from tilescope.tiler.search.totals import per_track
from tilescope.tiler.step_names import chosen_step
from tilescope.tiler.windows import WindowsOf

# Of a text to find: in a URL, a character may take twelve.
MAX_TEXT = 256


class Match(StrEnum):
    """Ways to compare a text with a name."""

    CONTAINS = "contains"  # anywhere in the name, upper and lower case alike
    EXACT = "exact"  # the whole name as it is
    STEP = "step"  # as steps are called that somebody names by it


@dataclass(frozen=True, slots=True)
class FindQuery:
    """A search for events that start in a window of their track and whose name matches."""

    text: str
    windows_of: WindowsOf
    match: Match = Match.CONTAINS
    tracks: Sequence[int] | None = None  # None: all; a rollup stands for its tracks
    limit: int = 1000  # occurrences that are listed
    after: Place | None = None  # list those that come after this one

    def __post_init__(self) -> None:
        if not 0 < len(self.text) <= MAX_TEXT:
            raise UsageError(f"a text to find has 1 to {MAX_TEXT:,} characters, not {len(self.text):,}")

    def select(self, reader: QueryReader, tracks: Sequence[int]) -> Interruptible[Selection]:
        """The events that match."""
        if self.match is Match.STEP:
            is_step: Callable[[str], bool] = lambda name: chosen_step(name, self.text) is not None  # noqa: E731
            return named(reader, is_step, tracks)
        kind = Kind.EXACT if self.match is Match.EXACT else Kind.CONTAINS
        return select(reader, Query(names=(Pattern(kind, self.text),)), tracks)


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
        """Place of the occurrence in the list."""
        return Place(self.start, self.track, self.ordinal)


@dataclass(frozen=True, slots=True)
class Found:
    """The answer. `per_track` counts all events of the windows that match, whatever `limit` and `after` say."""

    n_names: int  # names that match, whether or not they occur in the windows
    per_track: dict[int, int]
    hits: Hits  # the listed events, by time
    more: Place | None  # `after` of what follows
    names: dict[int, Name]  # of the listed events

    @property
    def has_more(self) -> bool:
        """True if there are more occurrences than are listed."""
        return self.more is not None or sum(self.per_track.values()) > len(self.hits) == 0

    @property
    def events(self) -> list[Occurrence]:
        """The listed events, one by one."""
        hits = self.hits
        columns = (hits.track, hits.ordinal, hits.name, hits.start, hits.duration, hits.row)
        return [Occurrence(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


def find(reader: QueryReader, query: FindQuery) -> Interruptible[Found]:
    """Counts all occurrences and lists the first. Raises UsageError for an unknown track, and DamagedStore."""
    leaves = reader.tree.leaves(query.tracks)
    selection = yield from query.select(reader, leaves)
    counts = yield from per_track(reader, selection, query.windows_of)
    page = yield from page_of_hits(reader, selection, query.windows_of, query.limit, query.after)
    return Found(selection.n_names, counts, page.hits, page.more, reader.names.by_id(page.hits.name.tolist()))
