"""One client that looks at a running job: it is told the newest figures, for as long as it listens."""

from __future__ import annotations

import asyncio
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web

from tilescope.capture import CaptureFailed
from tilescope.server.captures.captures import Captures
from tilescope.server.captures.host import problem_of
from tilescope.server.captures.monitors import JobMonitor
from tilescope.server.errors import BadMessage, BadRequest, Forbidden, InUse
from tilescope.server.http import sockets
from tilescope.server.http.sockets import SocketConnection
from tilescope.server.json_text import json_body
from tilescope.server.watch import messages
from tilescope.tiler.schema import MonitorMessage, MonitorProblem

_OF_THOSE_WHO_ASK: Final = (BadRequest, Forbidden, InUse)


class MonitorConnection(SocketConnection):
    """Tells how a job does. What is wrong is said on the socket: browsers do not show why an upgrade was refused."""

    def __init__(
        self, socket: web.WebSocketResponse, transport: asyncio.Transport, captures: Captures, host: str
    ) -> None:
        super().__init__(socket, transport)
        self._captures = captures
        self._host = host

    async def run(self) -> None:
        """Tells until the socket is closed."""
        try:
            address = await self._captures.look_up(self._host)
            with self._captures.monitors.watching(address) as monitor:
                await self._converse(self._receive(), self._tell(monitor))
        except CaptureFailed as error:
            await self._send(MonitorProblem(problem=problem_of(error.failure), retry_ms=0))
            await self._socket.close(code=WSCloseCode.OK)
        except _OF_THOSE_WHO_ASK as error:
            await self._refuse(error, WSCloseCode.POLICY_VIOLATION)

    async def _receive(self) -> None:
        async for frame in self._socket:
            if frame.type is not WSMsgType.ERROR:
                raise BadMessage("there is nothing to say here")

    async def _tell(self, monitor: JobMonitor) -> None:
        sent_number = 0
        while True:
            async with monitor.changed:
                while monitor.number == sent_number:
                    await monitor.changed.wait()
            sent_number = monitor.number
            if monitor.message is not None:
                await self._send(monitor.message)

    async def _send(self, message: MonitorMessage) -> None:
        async with asyncio.timeout(sockets.SEND_TIMEOUT_S):
            await self._socket.send_str(json_body(message).decode())

    async def _send_error(self, code: str, message: str) -> None:
        await self._socket.send_str(messages.error_message(code, message))
