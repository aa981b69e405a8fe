"""The secret of one start of a server, for the browser that was opened with it.

As with the token, the address that has it is exchanged for a cookie. A wrong one, of an earlier start, is left out of
the address, and the page is shown as to everybody.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Middleware

from tilescope.server.guard.access import Access
from tilescope.server.guard.admission import exchange, has_cookie
from tilescope.server.guard.peer_owner import is_of_another

PARAMETER: Final = "start"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def take_secret(start: Access, base_path: str = "") -> Middleware:
    """The middleware that gives the cookie, at the address of the viewer: questions have a `start` of their own."""

    @web.middleware
    async def take(request: web.Request, handler: Handler) -> web.StreamResponse:
        offered = request.query.get(PARAMETER)
        is_viewer = request.path.removeprefix(base_path) in ("", "/")
        if start.is_open or offered is None or request.method != "GET" or not is_viewer:
            return await handler(request)
        # Others of this machine may read the address in the list of processes, where a browser has it.
        is_known = start.admits_token(offered) and not is_of_another(request.transport)
        return exchange(request, start if is_known else None, PARAMETER)

    return take


def has_secret(request: web.Request, start: Access) -> bool:
    """True of the browser that was opened with the secret, and of any where none is needed."""
    return start.is_open or has_cookie(request, start)
