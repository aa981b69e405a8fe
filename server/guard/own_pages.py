"""Requests that make this server act towards other machines: for its own pages and for programs alone.

`security` lets pages of `--allow-origin` ask as well. They may read; to have this server connect somewhere is more than
that. A form of another page, which needs no leave of ours, cannot send JSON.
"""

from __future__ import annotations

from typing import Final

from aiohttp import hdrs, web

from tilescope.server.errors import BadRequest, Forbidden

_SITE: Final = "Sec-Fetch-Site"
_OURS: Final = frozenset({"same-origin", "none"})


def check_own_page(request: web.Request, what: str = "captures") -> None:
    """Raises `Forbidden` for what a page of another origin asks, be it allowed otherwise or not."""
    origin = request.headers.get(hdrs.ORIGIN)
    if origin is not None and origin.partition("://")[2].lower() != request.headers.get(hdrs.HOST, "").lower():
        raise Forbidden(f"{what} are for the pages of this server: the Origin header names another site")
    if request.headers.get(_SITE, "none") not in _OURS:
        raise Forbidden(f"{what} are for the pages of this server: another site sends this request")


def check_json(request: web.Request) -> None:
    """Raises `BadRequest` for a body that is not said to be JSON."""
    if request.content_type != "application/json":
        raise BadRequest("send JSON, with Content-Type: application/json")
