"""What clients may ask, as values that transports make. What makes no sense or is too much raises `BadRequest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from msgspec import Meta

from tilescope.server.errors import BadRequest
from tilescope.tiler.errors import UsageError
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
    after: Annotated[After | None, Meta(description="`after` of the answer before: what follows it.")] = None


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
