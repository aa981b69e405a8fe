"""Messages that the server sends on the tile stream, as frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgpack

from tilescope.server.stream.messages import TierEnd, WantTier
from tilescope.tiler.pages import PageKey


def page_message(want_id: int, key: PageKey, payload: bytes) -> bytes:
    """One frame: the head as a msgpack map, and the stored bytes behind it, untouched."""
    head = {"type": "page", "id": want_id, "key": key.to_json(), "bytes": len(payload)}
    return _pack(head) + payload


def missing_message(want_id: int, key: PageKey) -> bytes:
    """There is no page of that key."""
    return _pack({"type": "missing", "id": want_id, "key": key.to_json()})


def resolved_message(want_id: int, pages: Sequence[PageKey], ends: Sequence[TierEnd]) -> bytes:
    """The pages that show a view, tier by tier, those included that the client has."""
    tiers: dict[str, list[list[int]]] = {}
    start = 0
    for tier, end in ends:
        tiers[tier.value] = [key.to_json() for key in pages[start:end]]
        start = end
    return _pack({"type": "resolved", "id": want_id, "tiers": tiers})


def done_message(want_id: int, tier: WantTier | None = None) -> bytes:
    """All of the want-list has been sent, or all of one of its tiers."""
    head: dict[str, object] = {"type": "done", "id": want_id}
    return _pack(head if tier is None else head | {"tier": tier.value})


def error_message(code: str, message: str) -> bytes:
    """Message that says why the server is about to close."""
    return _pack({"type": "error", "code": code, "message": message})


def _pack(message: Mapping[str, object]) -> bytes:
    packed: bytes = msgpack.packb(message)
    return packed
