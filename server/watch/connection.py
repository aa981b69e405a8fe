"""One client that watches a run: a WebSocket on the one side, the registry on the other.

A client that does not read holds one message, and learns the newest state when it reads again.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Final

from aiohttp import WSMsgType, web

from tilescope.server.errors import BadMessage
from tilescope.server.http import sockets
from tilescope.server.http.sockets import SocketConnection
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.watchers import Watcher
from tilescope.server.watch import messages
from tilescope.server.watch.news import News

LOOK_INTERVAL_S: Final = 2.0  # for what nobody announces: files that change, another process that publishes


class WatchConnection(SocketConnection):
    """Tells how far a run is, and hears which blocks are wanted."""

    def __init__(
        self, socket: web.WebSocketResponse, transport: asyncio.Transport, registry: Registry, run_id: str
    ) -> None:
        super().__init__(socket, transport)
        self._registry = registry
        self._run_id = run_id
        self._news = News()

    async def run(self) -> None:
        """Tells and listens until the socket is closed."""
        with self._registry.watching(self._run_id) as watcher:
            await self._converse(self._receive(watcher), self._tell(watcher))

    async def _receive(self, watcher: Watcher) -> None:
        async for frame in self._socket:
            if frame.type is WSMsgType.ERROR:  # too large, or no WebSocket frame: the library has closed the socket
                return
            if frame.type is not WSMsgType.TEXT:
                raise BadMessage("messages are text")
            watcher.want(messages.parse_want(frame.data))
            self._registry.forward_wants(self._run_id)

    async def _tell(self, watcher: Watcher) -> None:
        while True:
            watcher.changed.clear()
            await self._tell_what_is_new()
            wait_s = LOOK_INTERVAL_S
            if self._news.is_progress_due:
                wait_s = self._news.progress_wait_s(time.monotonic())
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await watcher.changed.wait()

    async def _tell_what_is_new(self) -> None:
        while True:
            status, built = self._registry.status(self._run_id), self._registry.built(self._run_id)
            message = self._news.next_message(status, built, time.monotonic())
            if message is None:
                return
            async with asyncio.timeout(sockets.SEND_TIMEOUT_S):
                await self._socket.send_str(message)

    async def _send_error(self, code: str, message: str) -> None:
        await self._socket.send_str(messages.error_message(code, message))
