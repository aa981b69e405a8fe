"""Protection of a server on the loopback interface from the web pages that its user visits.

* **DNS rebinding**: a foreign page whose host name suddenly resolves to 127.0.0.1 sends its own name in `Host`. On a
  loopback address only loopback names are answered.
* **Cross-site requests**: browsers say in `Origin` which page asks. Whatever changes something, and the stream, which
  no same-origin policy covers, is for our own pages and for programs, which send no `Origin`.
* **Content**: our pages run no inline code and talk to nobody else; nothing we send is taken for another type.
"""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable, Collection
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

from tilescope.server.errors import Forbidden
from tilescope.server.guard.access import is_loopback
from tilescope.server.guard.allowed_names import is_allowed
from tilescope.server.guard.refusal_page import is_for_people, refusal_page
from tilescope.server.settings import Settings, is_host_name
from tilescope.tiler.schema import LIMITS

MAX_REQUEST_BYTES: Final = LIMITS.body_bytes

PAGE_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",  # the last: `page_policy` adds to it
    )
)
DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"

_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": DATA_POLICY,
}
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def page_policy(frames: frozenset[str]) -> str:
    """The policy of the viewer's page, which pages of these origins may show in a frame, besides our own."""
    return " ".join((PAGE_POLICY, *sorted(frames)))


def static_page_policy(origins: Collection[str]) -> str:
    """The policy of the viewer's page on a host of files, where it reads archives of these origins, and of its own."""
    return PAGE_POLICY.replace("connect-src 'self'", " ".join(("connect-src 'self'", *origins)))


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Signal `on_response_prepare`: every answer has the security headers, errors too, and none tells versions."""
    response.headers.popall(hdrs.SERVER, None)
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)


def guard(settings: Settings) -> Middleware:
    """The middleware that refuses foreign host names (when bound to loopback) and origins that are not allowed."""
    only_loopback = is_loopback(settings.host)

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        name = _host_name(request.headers.get(hdrs.HOST, ""))
        if only_loopback and not is_loopback(name) and not is_allowed(name, settings.allow_hosts):
            return _refuse_host(request, name, settings)
        if request.method not in _SAFE_METHODS or hdrs.UPGRADE in request.headers:
            _check_origin(request, settings.allow_origins)
        return await handler(request)

    return check


def _refuse_host(request: web.Request, name: str, settings: Settings) -> web.Response:
    """The page for a browser that came by a name which is not answered. Raises `Forbidden` for a program."""
    option = f"--allow-host {name}" if is_host_name(name) else "--allow-host NAME"
    if not is_for_people(request, settings.base_path):
        raise Forbidden(f"this server accepts only localhost as its name: to allow another, start it with {option}")
    heading = "This server does not accept this host name"
    ways = f"<p>To allow the name in your address, start the server with <code>{option}</code>.</p>"
    address = _loopback_address(request)
    if address is not None:
        link = f'<a href="{html.escape(address)}">{html.escape(address)}</a>'
        ways = f"<p>On the machine of the server, or through a tunnel, open {link}</p>\n{ways}"
    return refusal_page(HTTPStatus.FORBIDDEN, "host name", heading, f"<p>It accepts localhost alone.</p>\n{ways}")


def _loopback_address(request: web.Request) -> str | None:
    """The same address by a name that is answered; None where the request names no port, as behind a proxy."""
    try:
        port = urlsplit(f"//{request.headers.get(hdrs.HOST, '')}").port
    except ValueError:
        return None
    return None if port is None else f"{request.scheme}://localhost:{port}{request.rel_url.raw_path_qs}"


def _check_origin(request: web.Request, allowed: frozenset[str]) -> None:
    origin = request.headers.get(hdrs.ORIGIN)
    if origin is None or is_allowed(origin, allowed):
        return
    if origin.partition("://")[2].lower() != request.headers.get(hdrs.HOST, "").lower():
        raise Forbidden("cross-site request: the Origin header names another site")


def _host_name(netloc: str) -> str:
    try:
        return (urlsplit(f"//{netloc}").hostname or "").rstrip(".")
    except ValueError:
        return ""
