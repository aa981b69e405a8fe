"""What clients may ask, as values that transports make. What makes no sense or is too much raises `BadRequest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.server.errors import BadRequest
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import FindQuery, Match, Place
from tilescope.tiler.resolver import TickRange, View
from tilescope.tiler.ticks import TICK_LIMIT

MAX_ROWS: Final = 65_536  # names of an answer with statistics
MAX_FOUND: Final = 10_000  # occurrences that one answer lists
MAX_EVENTS: Final = 50_000  # of one JSON answer: some megabytes before compression
MAX_TRACKS: Final = 65_536  # that one question names
MAX_TRACKS_TEXT: Final = 2000  # characters that name them in a URL, which may have 8 KiB
MAX_VIEW_TRACKS: Final = 4096
MAX_VIEW_PX: Final = 65_536
DEFAULT_ROWS: Final = 1000


@dataclass(frozen=True, slots=True)
class StatsRequest:
    """Statistics of a span; of all tracks unless some are named."""

    tracks: Sequence[int] | None = None
    start: int | None = None
    end: int | None = None
    limit: int = DEFAULT_ROWS

    def __post_init__(self) -> None:
        check_tracks(self.tracks)
        check_limit(self.limit, MAX_ROWS)


@dataclass(frozen=True, slots=True)
class EventsRequest:
    """The events of a span, by track and ordinal; those after a place."""

    tracks: Sequence[int] | None = None
    start: int | None = None
    end: int | None = None
    after: Place | None = None

    def __post_init__(self) -> None:
        check_tracks(self.tracks)


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """The pages that show some tracks: for clients that resolve nothing themselves."""

    start: int
    end: int
    width_px: int
    tracks: Sequence[int]
    nearby: Sequence[int] = ()
    residuals: bool = False  # whether each page is followed by its residual, if it has one

    def __post_init__(self) -> None:
        if not 0 < self.width_px <= MAX_VIEW_PX:
            raise BadRequest(f"a view is 1 to {MAX_VIEW_PX:,} pixels wide, not {self.width_px}")
        if len(self.tracks) + len(self.nearby) > MAX_VIEW_TRACKS:
            raise BadRequest(f"a view shows at most {MAX_VIEW_TRACKS:,} tracks")

    def view(self) -> View:
        """The view. Raises `BadRequest`."""
        try:
            return View.of_span(self.start, self.end, self.width_px)
        except UsageError as error:
            raise BadRequest(str(error)) from None


def find_query(
    text: str,
    match: str = Match.CONTAINS,
    tracks: Sequence[int] | None = None,
    start: int | None = None,
    end: int | None = None,
    limit: int = DEFAULT_ROWS,
    after: Place | None = None,
) -> FindQuery:
    """A search; of all tracks and the whole run unless told otherwise. Raises `BadRequest`."""
    check_tracks(tracks)
    check_limit(limit, MAX_FOUND)
    if match not in {kind.value for kind in Match}:
        raise BadRequest(f"a name matches by {' or '.join(Match)}, not by {match!r}")
    try:
        return FindQuery(text, span_of(start, end), Match(match), tracks, limit, after)
    except UsageError as error:
        raise BadRequest(str(error)) from None


def span_of(start: int | None, end: int | None) -> TickRange:
    """The ticks [start, end) within those in which events can be. Without one of them there is no such border."""
    first = 0 if start is None else max(start, 0)
    last = TICK_LIMIT if end is None else min(end, TICK_LIMIT)
    if last < first and start is not None and end is not None and end < start:
        raise BadRequest(f"ticks {start} to {end} are no span: it would end before it starts")
    return TickRange(first, max(first, last))


def parse_place(text: str) -> Place:
    """`start,track,ordinal`, as an answer has it in `after`. Raises `BadRequest`."""
    parts = text.split(",")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) <= 19 for part in parts):
        raise BadRequest("a place is three numbers, as the answer before has them in `after`")
    return Place(*map(int, parts))


def check_tracks(tracks: Sequence[int] | None) -> None:
    """Raises `BadRequest` for more tracks than one question may name."""
    if tracks is not None and len(tracks) > MAX_TRACKS:
        raise BadRequest(f"a question names at most {MAX_TRACKS:,} tracks, not {len(tracks):,}")


def check_limit(limit: int, most: int) -> None:
    """Raises `BadRequest` for more rows than one answer may have."""
    if not 0 <= limit <= most:
        raise BadRequest(f"an answer has at most {most:,} rows: ask for 0 to {most:,}, not {limit:,}")
