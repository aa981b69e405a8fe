"""The middleware that turns exceptions into JSON error answers, whatever raised them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web

from tilescope.server.errors import TooManyRequests, Unauthorized, answer_to, message_of
from tilescope.server.guard.admission import CHALLENGE
from tilescope.server.http.error_response import error_response
from tilescope.server.keys import REGISTRY
from tilescope.tiler.errors import NotBuilt, StoreError, ToolFailed
from tilescope.tiler.schema import ErrorCode

_HTTP_CODES: Final[dict[HTTPStatus, ErrorCode]] = {
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too_large",
}

NOT_BUILT_RETRY_S: Final = "1"  # blocks are built in seconds

_log = logging.getLogger(__name__)


@web.middleware
async def answer_failures(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """The middleware: `{"error": {"code": …, "message": …}}` with the status of the table in `errors`."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < HTTPStatus.BAD_REQUEST:
            raise
        headers = {"Allow": error.headers[hdrs.ALLOW]} if hdrs.ALLOW in error.headers else {}
        code = _HTTP_CODES.get(HTTPStatus(error.status), "bad_request")
        return error_response(error.status, code, f"{request.method} {request.path}: {error.reason}", headers)
    except Exception as error:
        answer = answer_to(error)
        report_failure(request, error)
        return error_response(answer.status, answer.code, message_of(error), _headers_of(error))


def report_failure(request: web.Request, error: Exception) -> None:
    """Says in the log what failed: a damaged store in one line, once; what must not happen with where it happened."""
    run = request.match_info.get("run")
    if isinstance(error, StoreError) and run is not None:
        request.app[REGISTRY].report(run, error)
    elif isinstance(error, ToolFailed):  # which says where in somebody else's code
        _log.error("%s", error)
    elif answer_to(error).status is HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.error("%s %s failed", request.method, request.path, exc_info=error)


def _headers_of(error: Exception) -> Mapping[str, str]:
    if isinstance(error, Unauthorized):
        return CHALLENGE
    if isinstance(error, NotBuilt):
        return {hdrs.RETRY_AFTER: NOT_BUILT_RETRY_S}
    return {hdrs.RETRY_AFTER: str(error.retry_after_s)} if isinstance(error, TooManyRequests) else {}
