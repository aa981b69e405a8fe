"""Fields of requests that may be unset."""

from __future__ import annotations

from typing import Any


def tracks_of(request: Any) -> list[int] | None:
    """The tracks of a question; None: all."""
    return list(request.tracks.tracks) if request.HasField("tracks") else None


def optional(request: Any, name: str) -> int | None:
    """An optional number."""
    return int(getattr(request, name)) if request.HasField(name) else None
