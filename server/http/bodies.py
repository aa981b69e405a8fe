"""Bodies of requests: whole, in good time, and of bounded size, as sent and as decoded."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator
from typing import Final, TypeVar

import msgspec
from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError

from tilescope.server.errors import BadRequest, TooSlow

_T = TypeVar("_T")

BODY_TIMEOUT_S: Final = 30.0
STEP_TIMEOUT_S: Final = 30.0  # of a body that is taken in steps, each of
STEP_BYTES: Final = 64 << 10  # at least, until its end
_MOST_STEP_BYTES: Final = 1 << 20


async def read_body(request: web.Request) -> bytes:
    """The body. Raises `BadRequest`, `TooSlow`, and `HTTPRequestEntityTooLarge`."""
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            return await request.read()
    except TimeoutError:
        raise TooSlow(f"the body of the request did not come within {BODY_TIMEOUT_S:.0f} s") from None
    except (web.RequestPayloadError, HttpProcessingError, zlib.error, EOFError):
        raise BadRequest("the body of the request does not match its Content-Encoding or its length") from None


async def decoded_body(request: web.Request, kind: type[_T], refusal: str) -> _T:
    """The JSON of the body as such an object. Raises `BadRequest`, which begins with `refusal`, and as `read_body`."""
    try:
        return msgspec.json.decode(await read_body(request), type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadRequest(f"{refusal}: {error}") from None


async def body_steps(request: web.Request, most_bytes: int) -> AsyncIterator[bytes]:
    """A body of known length, as it comes, in steps of at most a mebibyte. However long it takes, it goes on coming.

    Raises `BadRequest`, `TooSlow`, and `HTTPRequestEntityTooLarge`. What came before is not lost.
    """
    length = request.content_length
    if length is None or hdrs.CONTENT_ENCODING in request.headers:
        raise BadRequest("send the bytes as they are, with their Content-Length")
    if length > most_bytes:
        raise web.HTTPRequestEntityTooLarge(most_bytes, length)
    while length > 0:
        step = bytearray()
        try:
            async with asyncio.timeout(STEP_TIMEOUT_S):
                while len(step) < min(STEP_BYTES, length) and (chunk := await request.content.readany()):
                    step += chunk
                while len(step) < _MOST_STEP_BYTES and (chunk := request.content.read_nowait()):
                    step += chunk
        except TimeoutError:
            error: Exception | None = TooSlow(f"the body of the request has not gone on for {STEP_TIMEOUT_S:.0f} s")
        except (web.RequestPayloadError, HttpProcessingError, OSError):
            error = BadRequest("the body of the request is shorter than its Content-Length says")
        else:
            error = None if step else BadRequest("the body of the request is shorter than its Content-Length says")
        if step:
            length -= len(step)
            yield bytes(step)
        if error is not None:
            raise error
