"""Asks those who come over HTTP and the WebSocket for the token, where `access` demands one.

Programs send it as a bearer. People open the address that was printed, `…/?token=TOKEN`: they get a cookie and are sent
on to the same address without it, so that the token stays in no history and no bookmark. A WebSocket, which browsers
give no headers, may have it in its address too.
"""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

from tilescope.server.errors import Unauthorized, WrongToken
from tilescope.server.guard.access import COOKIE_PREFIX, Access
from tilescope.server.guard.refusal_page import is_for_people, refusal_page

PARAMETER: Final = "token"
CHALLENGE: Final[dict[str, str]] = {hdrs.WWW_AUTHENTICATE: 'Bearer realm="tilescope"'}
_FREE: Final = ("/healthz",)  # tells nothing of any run
_OLDER_COOKIES: Final = 30  # of other starts and ports: the head of a request has no room for many more

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_LOGIN_FORM: Final = """<p>The server printed an address with the token when it started, as
<code>…/?token=TOKEN</code>. Ask the person who started it. A server that was not given a token makes up another one
each time that it starts.</p>
<form method="get">
{fields}<label>Token <input type="password" name="token" autocomplete="current-password" autofocus required></label>
<button>Open</button>
</form>
<p>If you have already entered it and followed a link from another site,
<a href="{again}">open this page again</a>.</p>"""


def admit(access: Access, base_path: str = "") -> Middleware:
    """The middleware that lets pass who has the token, in one of its forms."""
    free = {base_path + path for path in _FREE}

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if access.is_open or request.path in free:
            return await handler(request)
        offered = request.query.get(PARAMETER)
        if _has_bearer(request) or (offered is None and not has_cookie(request, access)):
            try:
                access.check_bearer(request.headers.get(hdrs.AUTHORIZATION))
            except Unauthorized as error:
                if is_for_people(request, base_path):
                    return _login_page(request, is_wrong=isinstance(error, WrongToken))
                raise
            return await handler(request)
        if offered is not None and not (access.admits_token(offered) or has_cookie(request, access)):
            if is_for_people(request, base_path):
                return _login_page(request, is_wrong=True)
            raise WrongToken
        if offered is not None and hdrs.UPGRADE not in request.headers and request.method in ("GET", "HEAD"):
            return exchange(request, access)
        return await handler(request)

    return check


def keep_private(access: Access) -> Callable[[web.Request, web.StreamResponse], Awaitable[None]]:
    """Signal `on_response_prepare`: what only some may see is not for caches that several share."""

    async def mark(_request: web.Request, answer: web.StreamResponse) -> None:
        caching = answer.headers.get(hdrs.CACHE_CONTROL, "")
        if not access.is_open and "public" in caching:
            answer.headers[hdrs.CACHE_CONTROL] = caching.replace("public", "private")

    return mark


def _has_bearer(request: web.Request) -> bool:
    """Other schemes are for a proxy in front, which passes them on."""
    return request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")[0].lower() == "bearer"


def has_cookie(request: web.Request, access: Access) -> bool:
    """True if a browser has what `exchange` gave out."""
    return access.admits_cookie(request.cookies.get(access.cookie_name()))


def exchange(request: web.Request, access: Access | None, parameter: str = PARAMETER) -> web.Response:
    """A cookie for the token in this parameter (none for None), and the way to the same address without it."""
    answer = web.Response(status=HTTPStatus.SEE_OTHER)
    answer.headers[hdrs.LOCATION] = _here(request, parameter)
    answer.headers[hdrs.CACHE_CONTROL] = "no-store"
    if access is None:
        return answer
    ours = [name for name in request.cookies if name.startswith(COOKIE_PREFIX) and name != access.cookie_name()]
    for name in ours[:-_OLDER_COOKIES]:  # browsers send those first that they got first
        answer.del_cookie(name, path="/")
    answer.set_cookie(
        access.cookie_name(),
        access.cookie_value(),
        path="/",  # a proxy in front may have put a prefix before our paths, that we do not see
        httponly=True,
        samesite="Strict",
        secure=request.secure or request.headers.get("X-Forwarded-Proto") == "https",
    )
    return answer


def _here(request: web.Request, parameter: str = PARAMETER) -> str:
    """The same address without the parameter, relative to itself: it cannot lead to another host or out of a prefix."""
    query = request.rel_url.without_query_params(parameter).raw_query_string
    return "./" + request.rel_url.raw_path.rpartition("/")[2] + (f"?{query}" if query else "")


def _login_page(request: web.Request, *, is_wrong: bool) -> web.Response:
    fields = "".join(
        f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">\n'
        for name, value in request.query.items()
        if name != PARAMETER
    )
    heading = "This token is wrong" if is_wrong else "This server requires a token"
    form = _LOGIN_FORM.format(fields=fields, again=html.escape(_here(request)))
    answer = refusal_page(HTTPStatus.UNAUTHORIZED, "token", heading, form)
    answer.headers.update(CHALLENGE)
    return answer
