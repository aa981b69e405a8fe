"""Messages that clients of the tile stream send: parsed strictly.

A client is not trusted: whatever is not exactly as `docs/api.md` says raises `BadMessage`, before anything is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import msgpack

from tilescope.server.errors import BadMessage, BadRequest
from tilescope.server.page_keys import MAX_PAGE_KEYS, parse_page_keys
from tilescope.server.services import ViewRequest
from tilescope.tiler.pages import PageKey
from tilescope.tiler.schema import LIMITS
from tilescope.tiler.ticks import TICK_LIMIT

MAX_MESSAGE_BYTES = LIMITS.body_bytes
MAX_WANTS = MAX_PAGE_KEYS
MAX_TRACKS = LIMITS.view_tracks  # of a view

_MAX_INTEGER = 2**53
_TICK_LIMIT = 2 * TICK_LIMIT  # views may show as much empty time on both sides


class WantTier(StrEnum):
    """Urgency of pages: on the screen, just outside of it, or where the client may go next."""

    VISIBLE = "visible"
    MARGIN = "margin"
    PREFETCH = "prefetch"


class TierEnd(NamedTuple):
    """A tier of a want-list ends after so many of its pages."""

    tier: WantTier
    page_count: int


@dataclass(frozen=True, slots=True)
class Want:
    """The complete list of pages that a client wants, in order of priority."""

    id: int
    pages: tuple[PageKey, ...]
    received: int | None = None  # page messages that had arrived when the list was made up
    tiers: tuple[TierEnd, ...] = ()  # in order; none: the list is one whole
    is_resolved: bool = False  # made from a view: the client has to be told which pages these are


@dataclass(frozen=True, slots=True)
class ViewWant:
    """View that the client shows, sent in place of a list: the server works out the pages."""

    id: int
    view: ViewRequest
    have: frozenset[PageKey] = frozenset()  # pages that the client holds
    received: int | None = None


@dataclass(frozen=True, slots=True)
class Credit:
    """More bytes that the server may send."""

    size_bytes: int


Message = Want | ViewWant | Credit


def parse(data: bytes) -> Message:
    """The message in a binary frame. Raises `BadMessage`."""
    try:
        message = msgpack.unpackb(data, raw=False, strict_map_key=True)
    except (ValueError, msgpack.UnpackException, RecursionError) as error:
        raise BadMessage(f"a message is a msgpack map ({str(error) or type(error).__name__})") from None
    if not isinstance(message, dict):
        raise BadMessage("a message is a msgpack map")
    try:
        match message.get("type"):
            case "want":
                return _want(message)
            case "view":
                return _view(message)
            case "credit":
                return Credit(_integer(message, "bytes", _MAX_INTEGER))
    except (ValueError, BadRequest) as error:
        raise BadMessage(str(error)) from None
    raise BadMessage('the type of a message is "want", "view" or "credit"')


def _want(message: Mapping[str, Any]) -> Want:
    want_id, received = _integer(message, "id", _MAX_INTEGER), _received(message)
    if "tiers" not in message:
        return Want(want_id, parse_page_keys(message.get("pages")), received)
    tiers = message["tiers"]
    if "pages" in message or not isinstance(tiers, dict) or not tiers.keys() <= set(WantTier):
        raise ValueError(f'a want-list has either "pages" or "tiers", a map with {", ".join(WantTier)}')
    pages: list[PageKey] = []
    ends = []
    for tier in WantTier:
        if tier in tiers:
            pages += parse_page_keys(tiers[tier], tier)
            ends.append(TierEnd(tier, len(pages)))
    if len(pages) > MAX_WANTS:
        raise ValueError(f"a want-list holds at most {MAX_WANTS:,} pages, not {len(pages):,}")
    return Want(want_id, tuple(pages), received, tuple(ends))


def _view(message: Mapping[str, Any]) -> ViewWant:
    tracks = _tracks(message, "tracks") if "tracks" in message else None
    px = _integer(message, "px", _MAX_INTEGER)
    residuals = message.get("residuals", False)
    if not isinstance(residuals, bool):
        raise ValueError('"residuals" is true or false')
    span = _ticks(message, "start"), _ticks(message, "end")
    view = ViewRequest(*span, px, tracks, _tracks(message, "nearby"), residuals, MAX_TRACKS)
    view.view()
    have = frozenset(parse_page_keys(message.get("have", []), "have"))
    return ViewWant(_integer(message, "id", _MAX_INTEGER), view, have, _received(message))


def _tracks(message: Mapping[str, Any], field: str) -> tuple[int, ...]:
    tracks = message.get(field, [])
    if not isinstance(tracks, list) or not all(type(track) is int and 0 <= track < 2**32 for track in tracks):
        raise ValueError(f'"{field}" is an array of track numbers')
    return tuple(tracks)


def _ticks(message: Mapping[str, Any], field: str) -> int:
    """Ticks as an integer or, from clients whose numbers are doubles, as decimal text."""
    value = message.get(field)
    if isinstance(value, str) and len(value) <= 20 and value.isascii() and value.removeprefix("-").isdigit():
        value = int(value)
    if type(value) is not int or not -_TICK_LIMIT < value < _TICK_LIMIT:
        raise ValueError(f'"{field}" is a number of ticks, as an integer or as decimal text')
    return value


def _received(message: Mapping[str, Any]) -> int | None:
    return _integer(message, "received", _MAX_INTEGER) if message.get("received") is not None else None


def _integer(message: Mapping[str, Any], field: str, limit: int) -> int:
    value = message.get(field)
    if type(value) is not int or not 0 <= value < limit:
        raise ValueError(f'"{field}" is an integer from 0 to {limit - 1}')
    return value
