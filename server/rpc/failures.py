"""Exceptions as gRPC has them: status codes, with the messages and codes that HTTP sends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from functools import wraps
from http import HTTPStatus
from typing import Any, Final, TypeVar

import grpc

from tilescope.server.errors import TooManyRequests, answer_to, message_of
from tilescope.server.metrics import CLIENT_GONE
from tilescope.tiler.errors import StoreError, ToolFailed

CODE_METADATA: Final = "tilescope-code"  # trailing metadata: the code that HTTP has in its JSON
RETRY_METADATA: Final = "retry-after"  # trailing metadata, as the header of HTTP: seconds

SEND_TIMEOUT_S: Final = 60.0  # a client that does not take one answer of a stream in this time is cut off
CLOSE_TIMEOUT_S: Final = 2.0

_STATUS: Final = {
    HTTPStatus.BAD_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    HTTPStatus.UNAUTHORIZED: grpc.StatusCode.UNAUTHENTICATED,
    HTTPStatus.FORBIDDEN: grpc.StatusCode.PERMISSION_DENIED,
    HTTPStatus.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    HTTPStatus.CONFLICT: grpc.StatusCode.FAILED_PRECONDITION,
    HTTPStatus.NOT_ACCEPTABLE: grpc.StatusCode.UNIMPLEMENTED,
    HTTPStatus.PRECONDITION_FAILED: grpc.StatusCode.FAILED_PRECONDITION,
    HTTPStatus.UNPROCESSABLE_ENTITY: grpc.StatusCode.FAILED_PRECONDITION,
    HTTPStatus.TOO_MANY_REQUESTS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    HTTPStatus.INSUFFICIENT_STORAGE: grpc.StatusCode.FAILED_PRECONDITION,
    HTTPStatus.REQUEST_TIMEOUT: grpc.StatusCode.ABORTED,
    HTTPStatus.SERVICE_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
}

_HTTP: Final = {status: answer.value for answer, status in reversed(_STATUS.items())} | {
    grpc.StatusCode.OK: HTTPStatus.OK,
    grpc.StatusCode.CANCELLED: CLIENT_GONE,
    grpc.StatusCode.ABORTED: HTTPStatus.REQUEST_TIMEOUT,
    grpc.StatusCode.UNIMPLEMENTED: HTTPStatus.NOT_FOUND,
}

Request = TypeVar("Request")
Response = TypeVar("Response")
Context = Any  # grpc.aio.ServicerContext: grpc has no type hints


S = TypeVar("S")

_log = logging.getLogger(__name__)


def answers(
    call: Callable[[S, Request, Context], Awaitable[Response]],
) -> Callable[[S, Request, Context], Awaitable[Response]]:
    """For a call with one answer: its exceptions become status codes."""

    @wraps(call)
    async def guarded(service: S, request: Request, context: Context) -> Response:
        try:
            return await call(service, request, context)
        except Exception as error:
            raise await refuse(context, error) from None

    return guarded


def streams(
    call: Callable[[S, Request, Context], AsyncGenerator[Response, None]],
) -> Callable[[S, Request, Context], Awaitable[None]]:
    """The same for a call with a stream of answers, each of which the client has to take in good time."""

    @wraps(call)
    async def guarded(service: S, request: Request, context: Context) -> None:
        try:
            async with aclosing(call(service, request, context)) as responses:
                async for response in responses:
                    async with asyncio.timeout(SEND_TIMEOUT_S):
                        await context.write(response)
        except TimeoutError:
            with suppress(TimeoutError):  # what says so waits behind what is not taken
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    why = f"the client took nothing for {SEND_TIMEOUT_S:.0f} s"
                    await context.abort(grpc.StatusCode.ABORTED, why)
        except Exception as error:
            raise await refuse(context, error) from None

    return guarded


def http_status(status: grpc.StatusCode) -> int:
    """The HTTP status that corresponds to a status code, for people who read both."""
    return int(_HTTP.get(status, HTTPStatus.INTERNAL_SERVER_ERROR))


async def refuse(context: Context, error: Exception) -> Exception:
    """Ends a call. Raises what ends it; returns nothing, but says so for `raise`."""
    if isinstance(error, grpc.aio.BaseError | asyncio.CancelledError):
        raise error
    status = _STATUS.get(answer_to(error).status, grpc.StatusCode.INTERNAL)
    if isinstance(error, ToolFailed):  # which says where in somebody else's code
        _log.error("%s", error)
    elif status is grpc.StatusCode.INTERNAL and not isinstance(error, StoreError):  # of which the registry was told
        _log.error("a call failed", exc_info=error)
    metadata: list[tuple[str, str]] = [(CODE_METADATA, answer_to(error).code)]
    if isinstance(error, TooManyRequests):
        metadata.append((RETRY_METADATA, str(error.retry_after_s)))
    await context.abort(status, message_of(error), tuple(metadata))
    return error
