"""An answer over HTTP that says what is wrong."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import hdrs, web

from tilescope.server.http.caching import JSON
from tilescope.server.json_text import json_body
from tilescope.tiler.schema import ErrorAnswer, ErrorCode


def error_response(
    status: int,
    code: ErrorCode,
    message: str,
    headers: Mapping[str, str] | None = None,
    *,
    kind: type[web.Response] = web.Response,
) -> web.Response:
    """An answer that says what is wrong. Never kept by a cache."""
    return kind(
        status=status,
        body=json_body(ErrorAnswer.from_code(code, message)),
        headers={hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: "no-store", **(headers or {})},
    )
