"""Pages for people who are refused, where programs get JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web

from tilescope.server.paths import API

_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Tilescope: {topic}</title>
<h1>{heading}</h1>
{body}
</html>
"""


def is_for_people(request: web.Request, base_path: str) -> bool:
    """Whether a browser asks for a page, and not a program for data."""
    return request.method == "GET" and not request.path.startswith(base_path + API) and _accepts_html(request)


def refusal_page(status: HTTPStatus, topic: str, heading: str, body: str) -> web.Response:
    """A page that no cache keeps; the body is HTML."""
    page = _PAGE.format(topic=topic, heading=heading, body=body)
    answer = web.Response(status=status, text=page, content_type="text/html")
    answer.headers[hdrs.CACHE_CONTROL] = "no-store"
    return answer


def _accepts_html(request: web.Request) -> bool:
    return "text/html" in request.headers.get(hdrs.ACCEPT, "") and hdrs.UPGRADE not in request.headers
