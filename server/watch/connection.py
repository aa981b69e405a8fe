"""One client that watches a run: a WebSocket on the one side, the registry on the other.

Two tasks: this one receives, the other tells what is new. Every write is awaited until the socket took it, so that a
client that does not read holds one message, and learns the newest state when it reads again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web

from tilescope.server.errors import BadMessage, NotFound, answer_to, message_of
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.watchers import Watcher
from tilescope.server.stream.connection import CLOSE_TIMEOUT_S, HEARTBEAT_S, SEND_TIMEOUT_S
from tilescope.server.watch import messages
from tilescope.server.watch.news import News

LOOK_INTERVAL_S: Final = 2.0  # for what nobody announces: files that change, another process that publishes

_log = logging.getLogger(__name__)


def new_socket() -> web.WebSocketResponse:
    """A socket as watches want it: no compression (messages are short), no frame queued behind another."""
    return web.WebSocketResponse(
        heartbeat=HEARTBEAT_S,
        timeout=CLOSE_TIMEOUT_S,
        compress=False,
        max_msg_size=messages.MAX_MESSAGE_BYTES,
        writer_limit=0,
    )


class WatchConnection:
    """Serves one prepared socket until either side closes it."""

    def __init__(
        self, socket: web.WebSocketResponse, transport: asyncio.Transport, registry: Registry, run_id: str
    ) -> None:
        self._socket = socket
        self._transport = transport
        self._registry = registry
        self._run_id = run_id
        self._news = News()

    async def run(self) -> None:
        """Tells and listens until the socket is closed."""
        with self._registry.watching(self._run_id) as watcher:
            teller = asyncio.create_task(self._tell(watcher))
            try:
                await self._receive(watcher)
            finally:
                teller.cancel()
                await asyncio.gather(teller, return_exceptions=True)
                # What is still unsent may be the reason for closing. A peer that does not take it is not waited for.
                asyncio.get_running_loop().call_later(CLOSE_TIMEOUT_S, self._transport.abort)

    async def close(self) -> None:
        """Tells the client that the server goes away (1001)."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._socket.close(code=WSCloseCode.GOING_AWAY)
        except TimeoutError:
            self._transport.abort()

    async def _receive(self, watcher: Watcher) -> None:
        async for frame in self._socket:
            if frame.type is WSMsgType.ERROR:  # too large, or no WebSocket frame: the library has closed the socket
                return
            try:
                if frame.type is not WSMsgType.TEXT:
                    raise BadMessage("messages are text")
                watcher.want(messages.parse_want(frame.data))
            except BadMessage as error:
                await self._refuse(error, WSCloseCode.POLICY_VIOLATION)
                return
            self._registry.forward_wants(self._run_id)

    async def _tell(self, watcher: Watcher) -> None:
        try:
            while True:
                watcher.changed.clear()
                await self._tell_what_is_new()
                wait_s = LOOK_INTERVAL_S
                if self._news.is_progress_due:
                    wait_s = self._news.progress_wait_s(time.monotonic())
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait_s):
                        await watcher.changed.wait()
        except TimeoutError:
            self._transport.abort()
        except ConnectionError:
            return  # closed under our feet; whoever receives notices too
        except NotFound as error:  # its files are gone
            await self._refuse(error, WSCloseCode.GOING_AWAY)
        except Exception as error:
            _log.exception("a watch failed")
            await self._refuse(error, WSCloseCode.INTERNAL_ERROR)

    async def _tell_what_is_new(self) -> None:
        while True:
            status, built = self._registry.status(self._run_id), self._registry.built(self._run_id)
            message = self._news.next_message(status, built, time.monotonic())
            if message is None:
                return
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._socket.send_str(message)

    async def _refuse(self, error: Exception, close_code: WSCloseCode) -> None:
        """Says what is wrong and closes. A client that does not listen any more is cut off."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._socket.send_str(messages.error_message(answer_to(error).code, message_of(error)))
                await self._socket.close(code=close_code)
        except (ConnectionError, TimeoutError):
            self._transport.abort()
