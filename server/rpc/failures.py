"""Exceptions as gRPC has them: status codes, with the messages and codes that HTTP sends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Final, TypeVar

import grpc

from tilescope.server.errors import answer_to, message_of

CODE_METADATA: Final = "tilescope-code"  # trailing metadata: the code that HTTP has in its JSON

_STATUS: Final = {
    HTTPStatus.BAD_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    HTTPStatus.UNAUTHORIZED: grpc.StatusCode.UNAUTHENTICATED,
    HTTPStatus.FORBIDDEN: grpc.StatusCode.PERMISSION_DENIED,
    HTTPStatus.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    HTTPStatus.CONFLICT: grpc.StatusCode.FAILED_PRECONDITION,
    HTTPStatus.PRECONDITION_FAILED: grpc.StatusCode.FAILED_PRECONDITION,
    HTTPStatus.UNPROCESSABLE_ENTITY: grpc.StatusCode.FAILED_PRECONDITION,
    HTTPStatus.TOO_MANY_REQUESTS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    HTTPStatus.SERVICE_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
}

Request = TypeVar("Request")
Response = TypeVar("Response")
Context = Any  # grpc.aio.ServicerContext: grpc has no type hints

_log = logging.getLogger(__name__)


def answers(
    call: Callable[[Any, Request, Context], Awaitable[Response]],
) -> Callable[[Any, Request, Context], Awaitable[Response]]:
    """For a call with one answer: its exceptions become status codes."""

    @wraps(call)
    async def guarded(service: Any, request: Request, context: Context) -> Response:
        try:
            return await call(service, request, context)
        except Exception as error:
            raise await refuse(context, error) from None

    return guarded


def streams(
    call: Callable[[Any, Request, Context], AsyncIterator[Response]],
) -> Callable[[Any, Request, Context], AsyncIterator[Response]]:
    """The same for a call with a stream of answers."""

    @wraps(call)
    async def guarded(service: Any, request: Request, context: Context) -> AsyncIterator[Response]:
        try:
            async for response in call(service, request, context):
                yield response
        except Exception as error:
            raise await refuse(context, error) from None

    return guarded


async def refuse(context: Context, error: Exception) -> Exception:
    """Ends a call. Raises what ends it; returns nothing, but says so for `raise`."""
    if isinstance(error, grpc.aio.BaseError | asyncio.CancelledError):
        raise error
    answer = answer_to(error)
    status = _STATUS.get(answer.status, grpc.StatusCode.INTERNAL)
    if status is grpc.StatusCode.INTERNAL:
        _log.error("a call failed", exc_info=error)
    await context.abort(status, message_of(error), ((CODE_METADATA, answer.code),))
    return error
