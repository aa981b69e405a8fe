"""Errors that the server raises itself, and the one table that gives every exception its HTTP status.

    TilescopeError
    └── ServerError
        ├── NotFound          no such run, track, page, event …
        ├── UnknownBuild      the index was replaced: fetch the manifest again
        ├── BadRequest        the request makes no sense
        ├── BadMessage        a message of the stream makes no sense
        ├── Unauthorized      the server demands a token that the request does not have
        │   └── WrongToken    and has another one
        ├── Forbidden         the request comes from another web page, or for another host name
        ├── NotAcceptable     the answer is not to be had in the form that the request wants
        ├── PreconditionFailed  the client has another version than it believes
        ├── PreconditionRequired  the request must say which version the client has
        ├── TooManyRequests   more connections, or questions at once, than one client may have
        ├── TooSlow           the body of the request does not come
        ├── InUse             what the request needs is in use by somebody else
        ├── CannotCapture     this server has no place for captures
        ├── QuestionFailed    the process that looked for the answer has died
        ├── NotIndexed        the run has no index yet
        └── IndexingFailed    the run could not be indexed; `str()` is the one line that says why
            └── NoRoomToIndex   for want of room on the server's disk

The rest of the tree is in `tilescope.tiler.errors`, which knows nothing of HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from tilescope.server.redaction import without_folders
from tilescope.tiler.errors import (
    Cancelled,
    DiskFull,
    NoStore,
    NotAvailable,
    NotBuilt,
    StoreError,
    StoreVersion,
    TilescopeError,
    ToolFailed,
    TraceError,
    UsageError,
)
from tilescope.tiler.schema import ErrorCode


class ServerError(TilescopeError):
    """Base of the errors of the server."""


class NotFound(ServerError):
    """There is nothing of that name."""


class UnknownBuild(ServerError):
    """The build in the path is not the one that is served."""


class BadRequest(ServerError):
    """The request makes no sense."""


class BadMessage(ServerError):
    """A message of the stream makes no sense."""


class Unauthorized(ServerError):
    """The server demands a token, and the request has none, or another."""


class WrongToken(Unauthorized):
    """The token of the request is not that of the server."""

    def __init__(self) -> None:
        super().__init__("the token is wrong: this server has another one, which it printed or was given at its start")


class Forbidden(ServerError):
    """The request is not one that this server's own pages, or a program, would send."""


class NotAcceptable(ServerError):
    """The answer is not to be had in the form that the request wants (`Accept`)."""


class PreconditionFailed(ServerError):
    """A precondition of the request (`If-Match`) does not hold for the resource."""


class PreconditionRequired(ServerError):
    """The request must say which version of the resource it changes (`If-Match`)."""


class TooManyRequests(ServerError):
    """The client, or all clients together, hold as many connections, or ask as many questions, as they may."""

    def __init__(self, why: str, retry_after_s: int = 5) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(why)


class TooSlow(ServerError):
    """The client does not send what it began to send."""


class InUse(ServerError):
    """A resource that the request needs is in use: it may be free later."""


class CannotCapture(ServerError):
    """This server has no place for captures. The message says what to change."""


class QuestionFailed(ServerError):
    """A question could not be answered, and that is no fault of who asks."""


class NotIndexed(ServerError):
    """The run has no index yet."""


class IndexingFailed(ServerError):
    """The run could not be indexed."""


class NoRoomToIndex(IndexingFailed):
    """The server's disk is full."""


@dataclass(frozen=True, slots=True)
class ErrorStatus:
    """Status, code and message that a client gets for an exception."""

    status: HTTPStatus
    code: ErrorCode


_INTERNAL = ErrorStatus(HTTPStatus.INTERNAL_SERVER_ERROR, "internal")

# The first row that the exception is an instance of counts: subclasses stand before their bases.
_ANSWERS: tuple[tuple[type[Exception], ErrorStatus], ...] = (
    (UnknownBuild, ErrorStatus(HTTPStatus.NOT_FOUND, "unknown_build")),
    (NotFound, ErrorStatus(HTTPStatus.NOT_FOUND, "not_found")),
    (BadMessage, ErrorStatus(HTTPStatus.BAD_REQUEST, "bad_message")),
    (BadRequest, ErrorStatus(HTTPStatus.BAD_REQUEST, "bad_request")),
    (Unauthorized, ErrorStatus(HTTPStatus.UNAUTHORIZED, "unauthorized")),
    (NotAcceptable, ErrorStatus(HTTPStatus.NOT_ACCEPTABLE, "not_acceptable")),
    (PreconditionFailed, ErrorStatus(HTTPStatus.PRECONDITION_FAILED, "precondition_failed")),
    (PreconditionRequired, ErrorStatus(HTTPStatus.PRECONDITION_REQUIRED, "precondition_required")),
    (TooManyRequests, ErrorStatus(HTTPStatus.TOO_MANY_REQUESTS, "too_many")),
    (InUse, ErrorStatus(HTTPStatus.CONFLICT, "busy")),
    (CannotCapture, ErrorStatus(HTTPStatus.UNPROCESSABLE_ENTITY, "not_available")),
    (QuestionFailed, ErrorStatus(HTTPStatus.INTERNAL_SERVER_ERROR, "question_failed")),
    (ToolFailed, ErrorStatus(HTTPStatus.INTERNAL_SERVER_ERROR, "tool_failed")),
    (NotAvailable, ErrorStatus(HTTPStatus.UNPROCESSABLE_ENTITY, "not_available")),
    (TooSlow, ErrorStatus(HTTPStatus.REQUEST_TIMEOUT, "too_slow")),
    (Forbidden, ErrorStatus(HTTPStatus.FORBIDDEN, "forbidden")),
    (NotIndexed, ErrorStatus(HTTPStatus.CONFLICT, "not_indexed")),
    (NotBuilt, ErrorStatus(HTTPStatus.NOT_FOUND, "not_built_yet")),
    (NoStore, ErrorStatus(HTTPStatus.CONFLICT, "not_indexed")),
    (NoRoomToIndex, ErrorStatus(HTTPStatus.INSUFFICIENT_STORAGE, "disk_full")),
    (IndexingFailed, ErrorStatus(HTTPStatus.UNPROCESSABLE_ENTITY, "bad_trace")),
    (TraceError, ErrorStatus(HTTPStatus.UNPROCESSABLE_ENTITY, "bad_trace")),
    (DiskFull, ErrorStatus(HTTPStatus.INSUFFICIENT_STORAGE, "disk_full")),
    (StoreVersion, ErrorStatus(HTTPStatus.UNPROCESSABLE_ENTITY, "bad_store")),
    (StoreError, ErrorStatus(HTTPStatus.INTERNAL_SERVER_ERROR, "bad_store")),
    (UsageError, ErrorStatus(HTTPStatus.BAD_REQUEST, "bad_request")),
    (Cancelled, ErrorStatus(HTTPStatus.SERVICE_UNAVAILABLE, "cancelled")),
)


def answer_to(error: Exception) -> ErrorStatus:
    """Status and code of an exception; 500 `internal` for what is not in the table."""
    for kind, answer in _ANSWERS:
        if isinstance(error, kind):
            return answer
    return _INTERNAL


def message_of(error: Exception) -> str:
    """The line that a client may read. What is not meant for people stays in the log."""
    if isinstance(error, IndexingFailed) or (isinstance(error, TilescopeError) and not isinstance(error, ServerError)):
        return without_folders(str(error))
    if isinstance(error, ServerError):
        return str(error)
    return "the server failed to answer; its log says why"
