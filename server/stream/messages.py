"""Messages of the tile stream: parsed strictly on the way in, packed on the way out.

A client is not trusted: whatever is not exactly as `docs/api.md` says raises `BadMessage`, before anything is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgpack

from tilescope.server.errors import BadMessage
from tilescope.server.page_keys import MAX_PAGE_KEYS, parse_page_keys
from tilescope.tiler.pages import PageKey

MAX_MESSAGE_BYTES = 256 * 1024
MAX_WANTS = MAX_PAGE_KEYS
_MAX_INTEGER = 2**53


@dataclass(frozen=True, slots=True)
class Want:
    """The complete list of pages that a client wants, in order of priority."""

    id: int
    pages: tuple[PageKey, ...]
    received: int | None = None  # page messages that had arrived when the list was made up


@dataclass(frozen=True, slots=True)
class Credit:
    """More bytes that the server may send."""

    size_bytes: int


def parse(data: bytes) -> Want | Credit:
    """The message in a binary frame. Raises `BadMessage`."""
    try:
        message = msgpack.unpackb(data, raw=False, strict_map_key=True)
    except (ValueError, msgpack.UnpackException, RecursionError) as error:
        raise BadMessage(f"a message is a msgpack map ({error})") from None
    if not isinstance(message, dict):
        raise BadMessage("a message is a msgpack map")
    kind = message.get("type")
    if kind == "want":
        return _want(message)
    if kind == "credit":
        return Credit(_integer(message, "bytes", _MAX_INTEGER))
    raise BadMessage('the type of a message is "want" or "credit"')


def page_message(want_id: int, key: PageKey, payload: bytes) -> bytes:
    """One frame: the head as a msgpack map, and the stored bytes behind it, untouched."""
    head = {"type": "page", "id": want_id, "key": list(key), "bytes": len(payload)}
    return _pack(head) + payload


def missing_message(want_id: int, key: PageKey) -> bytes:
    """There is no page of that key."""
    return _pack({"type": "missing", "id": want_id, "key": list(key)})


def done_message(want_id: int) -> bytes:
    """All of the want-list has been sent."""
    return _pack({"type": "done", "id": want_id})


def error_message(code: str, message: str) -> bytes:
    """Why the server is about to close."""
    return _pack({"type": "error", "code": code, "message": message})


def _pack(message: Mapping[str, object]) -> bytes:
    packed: bytes = msgpack.packb(message)
    return packed


def _want(message: Mapping[str, Any]) -> Want:
    try:
        pages = parse_page_keys(message.get("pages"))
    except ValueError as error:
        raise BadMessage(str(error)) from None
    received = _integer(message, "received", _MAX_INTEGER) if message.get("received") is not None else None
    return Want(_integer(message, "id", _MAX_INTEGER), pages, received)


def _integer(message: Mapping[str, Any], field: str, limit: int) -> int:
    value = message.get(field)
    if type(value) is not int or not 0 <= value < limit:
        raise BadMessage(f'"{field}" is an integer from 0 to {limit - 1}')
    return value
