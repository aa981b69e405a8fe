"""Common ground of the server's WebSockets: how they are opened and kept alive, and what ends them.

A connection is two tasks: one receives, the other speaks. Every write is awaited until the socket took it, so that a
client that does not read holds one message.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Coroutine
from typing import Final, TypeVar

from aiohttp import WSCloseCode, web

from tilescope.server.errors import BadMessage, BadRequest, NotFound, answer_to, message_of

HEARTBEAT_S: Final = 20.0  # a ping when nothing was received for so long; no pong in half the time: gone
CLOSE_TIMEOUT_S: Final = 2.0
SEND_TIMEOUT_S: Final = 60.0  # a client that does not take one message in this time is gone

C = TypeVar("C", bound="SocketConnection")


async def serve_socket(
    request: web.Request,
    max_message_bytes: int,
    open_now: set[C],
    connect: Callable[[web.WebSocketResponse, asyncio.Transport], C],
    on_failure: Callable[[Exception], None],
) -> web.WebSocketResponse:
    """Answers the upgrade and serves the connection, one of `open_now`, to its end. Raises `BadRequest` without one."""
    socket = _CountedSocket(
        heartbeat=HEARTBEAT_S,
        timeout=CLOSE_TIMEOUT_S,
        compress=False,  # pages are compressed, other messages are short
        max_msg_size=max_message_bytes,
        writer_limit=0,  # no frame is queued behind another
    )
    if not socket.can_prepare(request):
        raise BadRequest("this is a WebSocket: ask for an upgrade")
    await socket.prepare(request)
    if request.transport is None:  # the client is gone before the first word
        return socket
    connection = connect(socket, request.transport)
    connection.on_failure = on_failure
    open_now.add(connection)
    try:
        await connection.run()
    finally:
        open_now.discard(connection)
    return socket


class _CountedSocket(web.WebSocketResponse):
    """Adds the messages that it sends, with their frames, to what was sent of the answer; not pings."""

    async def send_bytes(self, data: bytes, compress: int | None = None) -> None:
        await super().send_bytes(data, compress)
        self._count(len(data))

    async def send_str(self, data: str, compress: int | None = None) -> None:
        await super().send_str(data, compress)
        self._count(len(data.encode()))

    def _count(self, message_bytes: int) -> None:
        # Of an unmasked frame (RFC 6455, 5.2).
        head_bytes = 2 if message_bytes < 126 else 4 if message_bytes < 1 << 16 else 10
        if self._payload_writer is not None:
            self._payload_writer.output_size += head_bytes + message_bytes


async def close_all(connections: Collection[SocketConnection]) -> None:
    """Tells all clients that the server goes away."""
    await asyncio.gather(*(connection.close() for connection in connections))


class SocketConnection(ABC):
    """Serves one prepared socket until either side closes it."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport) -> None:
        self._socket = socket
        self._transport = transport
        self.on_failure: Callable[[Exception], None] = lambda error: None  # told what ends the connection

    @abstractmethod
    async def run(self) -> None:
        """Receives and speaks until the socket is closed."""

    async def close(self) -> None:
        """Tells the client that the server goes away (1001)."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._socket.close(code=WSCloseCode.GOING_AWAY)
        except TimeoutError:
            self._transport.abort()

    @abstractmethod
    async def _send_error(self, code: str, message: str) -> None:
        """Says what is wrong, before the socket is closed."""

    async def _converse(self, receive: Coroutine[None, None, None], speak: Coroutine[None, None, None]) -> None:
        """Receives and speaks until `receive` ends, which the end of the socket makes it do."""
        speaker = asyncio.create_task(self._guard(speak))
        try:
            await self._guard(receive)
        finally:
            speaker.cancel()
            await asyncio.gather(speaker, return_exceptions=True)
            # What is still unsent may be the reason for closing. A peer that does not take it soon is not waited for.
            asyncio.get_running_loop().call_later(CLOSE_TIMEOUT_S, self._transport.abort)

    async def _guard(self, side: Coroutine[None, None, None]) -> None:
        try:
            await side
        except TimeoutError:
            self._transport.abort()
        except ConnectionError:
            return  # closed under our feet; whoever receives notices too
        except BadMessage as error:
            await self._refuse(error, WSCloseCode.POLICY_VIOLATION)
        except NotFound as error:  # what is spoken of is gone
            await self._refuse(error, WSCloseCode.GOING_AWAY)
        except Exception as error:
            self.on_failure(error)
            await self._refuse(error, WSCloseCode.INTERNAL_ERROR)

    async def _refuse(self, error: Exception, close_code: WSCloseCode) -> None:
        """Says what is wrong and closes. A client that does not listen any more is cut off."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._send_error(answer_to(error).code, message_of(error))
                await self._socket.close(code=close_code)
        except (ConnectionError, TimeoutError):
            self._transport.abort()
