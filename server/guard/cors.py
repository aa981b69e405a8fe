"""Web pages of other servers that may read our answers: those on the allow-list, and no others.

They are not given cookies (browsers send none of ours to them): where a token is demanded, they send it as a bearer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

from tilescope.server.guard.allowed_names import is_allowed

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_METHODS: Final = "GET, HEAD, POST, PUT"
_REQUEST_HEADERS: Final = "Authorization, Content-Type, If-Match, If-None-Match, If-Range, Range"
_ANSWER_HEADERS: Final = "Content-Length, Content-Range, ETag"
_PREFLIGHT_SECONDS: Final = 600
_PRIVATE_NETWORK: Final = "Access-Control-{}-Private-Network"  # a page of the internet that asks a server at home


def share_with(origins: frozenset[str]) -> Middleware:
    """The middleware that answers the preflights of these origins."""

    @web.middleware
    async def share(request: web.Request, handler: Handler) -> web.StreamResponse:
        is_preflight = request.method == hdrs.METH_OPTIONS and hdrs.ACCESS_CONTROL_REQUEST_METHOD in request.headers
        if not is_preflight or not is_allowed(request.headers.get(hdrs.ORIGIN, ""), origins):
            return await handler(request)
        answer = web.Response(status=HTTPStatus.NO_CONTENT)
        answer.headers[hdrs.ACCESS_CONTROL_ALLOW_METHODS] = _METHODS
        answer.headers[hdrs.ACCESS_CONTROL_ALLOW_HEADERS] = _REQUEST_HEADERS
        answer.headers[hdrs.ACCESS_CONTROL_MAX_AGE] = str(_PREFLIGHT_SECONDS)
        if request.headers.get(_PRIVATE_NETWORK.format("Request")) == "true":
            answer.headers[_PRIVATE_NETWORK.format("Allow")] = "true"
        return answer

    return share


def mark_shared(origins: frozenset[str]) -> Callable[[web.Request, web.StreamResponse], Awaitable[None]]:
    """Signal `on_response_prepare`: says in every answer, errors too, that the page which asks may read it."""

    async def mark(request: web.Request, answer: web.StreamResponse) -> None:
        if not origins:
            return
        # Also where nobody asks from elsewhere: a cache must not give that answer to those who do.
        answer.headers.add(hdrs.VARY, hdrs.ORIGIN)
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is not None and is_allowed(origin, origins):
            answer.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = origin
            answer.headers[hdrs.ACCESS_CONTROL_EXPOSE_HEADERS] = _ANSWER_HEADERS

    return mark
