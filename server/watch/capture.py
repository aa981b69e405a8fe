"""One client that watches a capture: it is told the newest state, and all is over when the capture is."""

from __future__ import annotations

import asyncio
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web

from tilescope.server.captures.captures import Captures
from tilescope.server.errors import BadMessage
from tilescope.server.http import sockets
from tilescope.server.http.sockets import SocketConnection
from tilescope.server.json_text import json_body
from tilescope.server.runs.watchers import Watcher
from tilescope.server.watch import messages
from tilescope.server.watch.news import PROGRESS_INTERVAL_S

MAX_WORDS_BYTES: Final = 4096  # the client has nothing to say


class CaptureConnection(SocketConnection):
    """Tells what becomes of a capture."""

    def __init__(
        self, socket: web.WebSocketResponse, transport: asyncio.Transport, captures: Captures, capture_id: str
    ) -> None:
        super().__init__(socket, transport)
        self._captures = captures
        self._capture_id = capture_id

    async def run(self) -> None:
        """Tells until the capture is over, or the socket is closed."""
        with self._captures.watching(self._capture_id) as watcher:
            await self._converse(self._receive(), self._tell(watcher))

    async def _receive(self) -> None:
        async for frame in self._socket:
            if frame.type is not WSMsgType.ERROR:
                raise BadMessage("there is nothing to say here")

    async def _tell(self, watcher: Watcher) -> None:
        is_over = False
        while not is_over:
            watcher.changed.clear()
            capture = self._captures.find(self._capture_id).to_schema()
            is_over = capture.state != "running"
            async with asyncio.timeout(sockets.SEND_TIMEOUT_S):
                await self._socket.send_str(json_body(capture).decode())
            if not is_over:
                await asyncio.sleep(PROGRESS_INTERVAL_S)
                await watcher.changed.wait()
        await self._socket.close(code=WSCloseCode.OK)

    async def _send_error(self, code: str, message: str) -> None:
        await self._socket.send_str(messages.error_message(code, message))
