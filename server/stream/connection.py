"""One client's stream: a WebSocket on the one side, a store on the other, and the want-queue between them.

Two tasks: this one receives, the other sends. What a slow client can hold is one page and the socket's buffer: every
write is awaited until the socket took it, and no page is read from the store before it is its turn.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web

from tilescope.server.errors import BadMessage, answer_to, message_of
from tilescope.server.metrics import PageMeter
from tilescope.server.runs.store import RunStore
from tilescope.server.stream import frames, messages
from tilescope.server.stream.messages import MAX_MESSAGE_BYTES, ViewWant, Want
from tilescope.server.stream.views import Resolve, resolve_view
from tilescope.server.stream.wants import Done, Resolved, Step, WantQueue
from tilescope.tiler.errors import StoreError

HEARTBEAT_S: Final = 20.0  # a ping when nothing was received for so long; no pong in half the time: gone
CLOSE_TIMEOUT_S: Final = 2.0
SEND_TIMEOUT_S: Final = 60.0  # a client that does not take one page in this time is gone
STEPS_BEFORE_YIELD: Final = 32  # writes to a fast socket do not suspend: let other clients have their turn

_log = logging.getLogger(__name__)


def new_socket() -> web.WebSocketResponse:
    """A socket as streams want it: no compression (pages are compressed), no frame queued behind another."""
    return web.WebSocketResponse(
        heartbeat=HEARTBEAT_S,
        timeout=CLOSE_TIMEOUT_S,
        compress=False,
        max_msg_size=MAX_MESSAGE_BYTES,
        writer_limit=0,
    )


class Connection:
    """Serves one prepared socket until either side closes it."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        transport: asyncio.Transport,
        store: RunStore,
        resolve: Resolve,
        meter: PageMeter,
    ) -> None:
        self._socket = socket
        self._transport = transport
        self._store = store
        self._resolve = resolve
        self._meter = meter
        self._wants = WantQueue()
        self._changed = asyncio.Event()  # a want-list or credit came in

    async def run(self) -> None:
        """Receives and sends until the socket is closed."""
        sender = asyncio.create_task(self._send())
        try:
            await self._receive()
        finally:
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)
            # What is still unsent may be the reason for closing. A peer that does not take it soon is not waited for.
            asyncio.get_running_loop().call_later(CLOSE_TIMEOUT_S, self._transport.abort)

    async def close(self) -> None:
        """Tells the client that the server goes away (1001)."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._socket.close(code=WSCloseCode.GOING_AWAY)
        except TimeoutError:
            self._transport.abort()

    async def _receive(self) -> None:
        async for frame in self._socket:
            if frame.type is WSMsgType.ERROR:  # too large, or no WebSocket frame: the library has closed the socket
                return
            try:
                if frame.type is not WSMsgType.BINARY:
                    raise BadMessage("messages are binary")
                self._take(frame.data)
            except BadMessage as error:
                await self._refuse(error, WSCloseCode.POLICY_VIOLATION)
                return
            except StoreError as error:  # while a view was resolved
                await self._refuse(error, WSCloseCode.INTERNAL_ERROR)
                return

    def _take(self, data: bytes) -> None:
        message = messages.parse(data)
        if isinstance(message, Want):
            self._wants.replace(message)
        elif isinstance(message, ViewWant):
            self._wants.replace(resolve_view(message, self._resolve), message.have)
        else:
            self._wants.add_credit(message.size_bytes)
        self._changed.set()

    async def _send(self) -> None:
        try:
            while True:
                self._changed.clear()
                await self._send_what_is_due()
                await self._changed.wait()
        except TimeoutError:
            self._transport.abort()
        except ConnectionError:
            return  # closed under our feet; whoever receives notices too
        except Exception as error:
            _log.exception("a stream failed")
            await self._refuse(error, WSCloseCode.INTERNAL_ERROR)

    async def _send_what_is_due(self) -> None:
        steps = 0
        while (step := self._wants.next_step()) is not None:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._socket.send_bytes(self._frame(step))
            steps += 1
            if steps % STEPS_BEFORE_YIELD == 0:
                await asyncio.sleep(0)

    def _frame(self, step: Step) -> bytes:
        if isinstance(step, Done):
            return frames.done_message(step.want_id, step.tier)
        if isinstance(step, Resolved):
            return frames.resolved_message(step.want.id, step.want.pages, step.want.tiers)
        page = self._store.page(step.key)
        if page is None:
            return frames.missing_message(step.want_id, step.key)
        self._wants.page_sent(step.key, len(page))
        self._meter.sent(len(page))
        return frames.page_message(step.want_id, step.key, page)

    async def _refuse(self, error: Exception, close_code: WSCloseCode) -> None:
        """Says what is wrong and closes. A client that does not listen any more is cut off."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._socket.send_bytes(frames.error_message(answer_to(error).code, message_of(error)))
                await self._socket.close(code=close_code)
        except (ConnectionError, TimeoutError):
            self._transport.abort()
