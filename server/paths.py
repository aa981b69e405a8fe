"""Paths of the API, and what stands in them."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from tilescope.server.errors import NotFound

API: Final = "/api/v1"
RUN: Final = API + "/runs/{run}"
BUILD: Final = RUN + "/builds/{build}"

NUMBER: Final = "[0-9]{1,19}"  # nothing else reaches a handler

# Exclusive upper bounds of what may stand in a path: the widths of the parts of keys in a store.
_LIMITS: Final = {
    "page": 2**32,
    "block": 2**32,
    "level": 32,
    "index": 2**53,
    "slot": 32,
    "track": 2**32,
    "ordinal": 2**63,
    "attachment": 2**32,
    "number": 2**32,
    "start": 2**63,
}


def number(request: web.Request, name: str) -> int:
    """A part of the path that its pattern has checked to be digits. Raises `NotFound` beyond all possible numbers."""
    value = int(request.match_info[name])
    if value >= _LIMITS[name]:
        raise NotFound(f"there is no {name} {value}")
    return value
