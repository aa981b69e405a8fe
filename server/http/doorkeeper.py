"""Looks at HTTP connections where they come in.

Below the requests, so that those count too which say nothing, or which a slow client never ends.
"""

from __future__ import annotations

import asyncio
from typing import Final

from aiohttp import web

from tilescope.server.errors import TooManyRequests, answer_to
from tilescope.server.guard.guests import Guests
from tilescope.server.http.protocol import Conversation
from tilescope.server.json_text import json_body
from tilescope.tiler.schema import ErrorAnswer

_REFUSAL_S: Final = 5.0  # to take the refusal


class Doorkeeper:
    """Makes protocols for `loop.create_server`: each hands its connection to the web server, or turns it away."""

    def __init__(self, server: web.Server, guests: Guests) -> None:
        self._server = server
        self._guests = guests
        guests.rooms.append(lambda: (_client(c.transport) for c in server.connections if c.transport is not None))

    def __call__(self) -> asyncio.Protocol:
        return _Door(self)

    def enter(self, transport: asyncio.Transport) -> None:
        """A connection was made. Raises `TooManyRequests`."""
        self._guests.check(_client(transport))
        protocol = Conversation(self._server)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)


class _Door(asyncio.Protocol):
    """Is there for the first moment of a connection only, or for its last."""

    def __init__(self, keeper: Doorkeeper) -> None:
        self._keeper = keeper

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        try:
            self._keeper.enter(transport)
        except TooManyRequests as error:
            transport.write(_refusal(error))
            transport.close()
            asyncio.get_running_loop().call_later(_REFUSAL_S, transport.abort)


def _client(transport: asyncio.BaseTransport) -> str:
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if isinstance(peer, tuple) else ""


def _refusal(error: TooManyRequests) -> bytes:
    answer = answer_to(error)
    body = json_body(ErrorAnswer.from_code(answer.code, str(error)))
    head = (
        f"HTTP/1.1 {answer.status.value} {answer.status.phrase}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n"
        f"Retry-After: {error.retry_after_s}\r\n\r\n"
    )
    return head.encode() + body
