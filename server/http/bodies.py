"""Bodies of requests: whole, in good time, and of bounded size, as sent and as decoded."""

from __future__ import annotations

import asyncio
import zlib
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from tilescope.server.errors import BadRequest, TooSlow

BODY_TIMEOUT_S: Final = 30.0


async def read_body(request: web.Request) -> bytes:
    """The body. Raises `BadRequest`, `TooSlow`, and `HTTPRequestEntityTooLarge`."""
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            return await request.read()
    except TimeoutError:
        raise TooSlow(f"the body of the request did not come within {BODY_TIMEOUT_S:.0f} s") from None
    except (web.RequestPayloadError, HttpProcessingError, zlib.error, EOFError):
        raise BadRequest("the body of the request does not match its Content-Encoding or its length") from None
