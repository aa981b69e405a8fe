"""Pages for people who are refused, or ask for what is not there, where programs get JSON."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web

from tilescope.server.paths import API

_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:12vh auto;padding:0 1rem}"
    "h1{font-size:1.5rem;line-height:1.25}"
    "input,button{font:inherit;padding:.25rem .6rem}"
    "input{width:100%;box-sizing:border-box;margin:.25rem 0 .75rem}"
    "code,a{overflow-wrap:anywhere}"
)

# The pages run nothing and load nothing. Their style is known by its hash.
_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Tilescope: {topic}</title>
<style>{style}</style>
<p>Tilescope</p>
<h1>{heading}</h1>
{body}
</html>
"""


def is_for_people(request: web.Request, base_path: str) -> bool:
    """True if a browser asks for a page, and not a program for data."""
    return request.method == "GET" and not request.path.startswith(base_path + API) and _accepts_html(request)


def refusal_page(status: HTTPStatus, topic: str, heading: str, body: str) -> web.Response:
    """A page that no cache keeps; the body is HTML."""
    page = _PAGE.format(style=_STYLE, topic=topic, heading=heading, body=body)
    answer = web.Response(status=status, text=page, content_type="text/html")
    answer.headers[hdrs.CACHE_CONTROL] = "no-store"
    answer.headers["Content-Security-Policy"] = _POLICY
    return answer


def _accepts_html(request: web.Request) -> bool:
    return "text/html" in request.headers.get(hdrs.ACCEPT, "") and hdrs.UPGRADE not in request.headers
