"""Requests of clients, as values that transports make. One that makes no sense or is too large raises `BadRequest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final

from msgspec import Meta

from tilescope.server.errors import BadRequest
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import EVENT_KINDS, TrackTree
from tilescope.tiler.resolver import View
from tilescope.tiler.schema import LIMITS
from tilescope.tiler.tools import After, SpanQuestion

MAX_EVENTS: Final = LIMITS.events  # of one JSON answer
MAX_VIEW_TRACKS: Final = 4096
MAX_VIEW_PX: Final = 65_536
DEFAULT_EVENTS: Final = 1000


class EventsQuestion(SpanQuestion, frozen=True, kw_only=True):
    """The events of a span, by track and ordinal; those after a place."""

    limit: Annotated[int, Meta(ge=0, le=MAX_EVENTS, description="The most events of one answer.")] = DEFAULT_EVENTS
    after: Annotated[After | None, Meta(description="Where to go on: `after` of the answer before.")] = None


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """The pages that show some tracks: for clients that resolve nothing themselves."""

    start: int
    end: int
    px: int
    tracks: Sequence[int] | None = None  # None: all but rollups
    nearby: Sequence[int] = ()
    residuals: bool = False  # whether each page is followed by its residual, if it has one
    max_tracks: int = field(default=MAX_VIEW_TRACKS, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.px <= MAX_VIEW_PX:
            raise BadRequest(f"a view is 1 to {MAX_VIEW_PX:,} pixels wide, not {self.px}")
        if len(self.tracks or ()) + len(self.nearby) > self.max_tracks:
            raise BadRequest(f"a view shows at most {self.max_tracks:,} tracks")

    def view(self) -> View:
        """The view. Raises `BadRequest`."""
        try:
            return View.of_span(self.start, self.end, self.px)
        except UsageError as error:
            raise BadRequest(str(error)) from None

    def shown(self, tree: TrackTree) -> Sequence[int]:
        """The tracks, from top to bottom. Raises `BadRequest` when all are meant, and these are too many."""
        if self.tracks is not None:
            return self.tracks
        every = tree.leaves(None, EVENT_KINDS)
        if len(every) + len(self.nearby) > self.max_tracks:
            most = f"a view shows at most {self.max_tracks:,} tracks"
            raise BadRequest(f"{most}, and the run has {len(every):,}: name some")
        return every
