"""The HTTP of one connection, with what a patient stranger must not have: deadlines, and frames as the RFC has them.

* The head of a request is there soon, or the connection ends: also the first one, and of one that was kept alive.
* Whoever sends nothing more (half-closes the connection) gets what it has asked for, unless it has gone: that is seen
  by what it is sent meanwhile.
* Whoever takes nothing of an answer for a minute is gone.
* A WebSocket client masks its frames (RFC 6455, 5.1); one that does not is told so (1002).
* What is no HTTP is answered as every other error, and no answer tells versions.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.http_exceptions import ContentEncodingError

from tilescope.server.access_log import JsonAccessLogger, logger
from tilescope.server.errors import message_of
from tilescope.server.http.error_response import error_response
from tilescope.server.http.frame_masks import MaskedFrames
from tilescope.tiler.schema import ErrorCode

HEAD_TIMEOUT_S: Final = 10.0  # from the first byte of a head, or the connection, to the end of the head
IDLE_TIMEOUT_S: Final = 120.0  # between requests; longer than proxies keep connections that they do not use
SEND_TIMEOUT_S: Final = 60.0  # a client that takes nothing of an answer in this time is gone
PROBE_AFTER_S: Final = 0.2  # a client has sent its last: is it still there to take the answer?
PROBE_EVERY_S: Final = 1.0
_PROBE: Final = b"HTTP/1.1 102 Processing\r\n\r\n"

# Whatever is no HTTP is its sender's fault: aiohttp would log a traceback for each. Failures of ours are logged by us.
_log = logging.getLogger(__name__)
_log.setLevel(logging.CRITICAL)
_failures = logging.getLogger("tilescope.server")


class Conversation(web.RequestHandler):
    """One connection, made by the doorkeeper."""

    __slots__ = ("_answered", "_body_ended", "_ended", "_head_deadline", "_probe", "_send_deadline")

    def __init__(self, server: web.Server) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=IDLE_TIMEOUT_S,
            access_log_class=JsonAccessLogger,
            access_log=logger if logger.handlers else None,  # type: ignore[arg-type]  # None: it writes none
            logger=_log,
        )
        self._ended = asyncio.Event()
        self._answered = 0  # requests
        self._body_ended: Callable[[], bool] = bool  # of the last request
        self._probe: asyncio.TimerHandle | None = None
        self._head_deadline = _Deadline(HEAD_TIMEOUT_S, self._give_up)
        self._send_deadline = _Deadline(SEND_TIMEOUT_S, self._give_up)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Waits for the first head."""
        super().connection_made(transport)
        self._head_deadline.set()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Waits for nothing any more."""
        super().connection_lost(exc)
        self._ended.set()
        if self._probe is not None:
            self._probe.cancel()
        self._head_deadline.cancel()
        self._send_deadline.cancel()

    def data_received(self, data: bytes) -> None:
        """Goes on with a head, a body, or a stream."""
        heads = self._request_count
        super().data_received(data)
        if self._request_count > heads:
            self._body_ended = self._messages[-1][1].is_eof
            self._head_deadline.cancel()
        elif data and self._waits_for_head():
            self._head_deadline.set()

    def eof_received(self) -> bool:  # type: ignore[override]  # aiohttp's says nothing
        """The client sends nothing more. True: what it has asked for is answered before the connection ends."""
        super().eof_received()
        transport = self.transport
        if transport is None or transport.get_extra_info("ssl_object") is not None or not self._is_asked():
            return False
        self._probe = asyncio.get_running_loop().call_later(PROBE_AFTER_S, self._look_for_client)
        return True

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Sends an answer; the last one to a client that sends nothing more ends the connection."""
        finished = await super().finish_response(request, resp, start_time)
        self._answered += 1
        if self._probe is not None and not self._is_asked():
            self.close()
        return finished

    def _is_asked(self) -> bool:
        """True if whole requests are waiting for an answer, and nothing else."""
        return not self._is_upgraded and self._request_count > self._answered and self._body_ended()

    @property
    def _is_upgraded(self) -> bool:
        """True of a conversation that is a WebSocket now: `_upgrade` in aiohttp 3.11, `_upgraded` in later ones."""
        return bool(getattr(self, "_upgraded", None) or getattr(self, "_upgrade", None))

    def _look_for_client(self) -> None:
        """Sends what a client ignores while it waits. To one that has gone it cannot be sent twice: that is the end."""
        request, transport = self._current_request, self.transport
        if request is None or transport is None or request.version < HttpVersion11 or request.writer.output_size > 0:
            return
        transport.write(_PROBE)
        self._probe = asyncio.get_running_loop().call_later(PROBE_EVERY_S, self._look_for_client)

    def pause_writing(self) -> None:
        """The client does not take what is sent."""
        super().pause_writing()
        self._send_deadline.set()

    def resume_writing(self) -> None:
        """It does again."""
        super().resume_writing()
        self._send_deadline.cancel()

    async def shutdown(self, timeout: float | None = 15.0) -> None:
        """Ends the conversation when the server ends. What was written last may still wait in the transport then (up to
        64 KiB, for a client that is slow): it would be lost with the event loop, so it is sent first.
        """
        transport = self.transport
        sends = transport is not None and (self._request_in_progress or transport.get_write_buffer_size() > 0)
        await super().shutdown(timeout)
        if transport is None or not sends:
            return
        try:
            async with asyncio.timeout(timeout):
                await self._ended.wait()
        except TimeoutError:
            transport.abort()

    def set_parser(self, parser: Any, data_received_cb: Any = None) -> None:
        """From here on this is a WebSocket."""
        super().set_parser(MaskedFrames(parser), data_received_cb)  # type: ignore[arg-type]  # it feeds the parser

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answers bytes that are no HTTP, and requests that the application could not answer."""
        if isinstance(exc, ContentEncodingError):
            message = "the body of a request may be encoded as gzip or deflate"
        elif isinstance(exc, UnicodeError):  # something in the head that cannot be said back
            status, message = HTTPStatus.BAD_REQUEST, "the head of the request is not UTF-8"
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            _failures.error("%s %s failed", request.method, request.path, exc_info=exc)
            message = message_of(exc) if isinstance(exc, Exception) else None
        if request.writer.output_size > 0:
            raise ConnectionError("an answer has begun: it cannot become another")
        code: ErrorCode = "internal" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "bad_request"
        what = " ".join((message or HTTPStatus(status).phrase).split())
        answer = error_response(status, code, what, kind=_Unsigned)
        answer.force_close()
        return answer

    def _waits_for_head(self) -> bool:
        return self._waiter is not None and not self._waiter.done() and not self._is_upgraded

    def _give_up(self) -> None:
        if self.transport is not None:
            self.transport.abort()


class _Unsigned(web.Response):
    """Outside of the application no signal takes the name of the software away."""

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        self.headers.popall(hdrs.SERVER, None)


class _Deadline:
    """Something has to happen in some time, once this is set."""

    def __init__(self, seconds: float, on_missed: Callable[[], None]) -> None:
        self._seconds = seconds
        self._on_missed = on_missed
        self._timer: asyncio.TimerHandle | None = None

    def set(self) -> None:
        """From now on, unless it is set already."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self._on_missed)

    def cancel(self) -> None:
        """It has happened."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
