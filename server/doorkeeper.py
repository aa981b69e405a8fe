"""Counts connections where they come in: so many for all clients together, and so many for each.

Below the requests, so that those count too which say nothing, or which a slow client never ends. A client is an
address; everybody behind one proxy is one client.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from aiohttp import web

from tilescope.server.caching import json_body
from tilescope.server.errors import TooMany, answer_to
from tilescope.server.metrics import Metrics
from tilescope.server.settings import Settings

_log = logging.getLogger(__name__)

_REFUSAL_S: Final = 5.0  # to take the refusal


class Doorkeeper:
    """Makes protocols for `loop.create_server`: each hands its connection to the web server, or turns it away."""

    def __init__(self, server: web.Server, settings: Settings, metrics: Metrics) -> None:
        self._server = server
        self._settings = settings
        self._metrics = metrics
        metrics.connections.set_function(lambda: len(server.connections))

    def __call__(self) -> asyncio.Protocol:
        return _Door(self)

    def enter(self, transport: asyncio.Transport) -> None:
        """A connection was made. Raises `TooMany`."""
        client = _client(transport)
        inside = [_client(connection.transport) for connection in self._server.connections if connection.transport]
        if len(inside) >= self._settings.max_connections:
            raise TooMany("this server holds as many connections as it may: try again later")
        if inside.count(client) >= self._settings.max_connections_per_client:
            raise TooMany("you hold as many connections to this server as you may: close one")
        protocol = self._server()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)

    def refuse(self, transport: asyncio.Transport, error: TooMany) -> None:
        """Says why, and closes."""
        self._metrics.refused.inc()
        _log.warning("a connection of %s was refused: %s", _client(transport), error)
        transport.write(_refusal(error))
        transport.close()
        asyncio.get_running_loop().call_later(_REFUSAL_S, transport.abort)


class _Door(asyncio.Protocol):
    """Is there for the first moment of a connection only, or for its last."""

    def __init__(self, keeper: Doorkeeper) -> None:
        self._keeper = keeper

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        try:
            self._keeper.enter(transport)
        except TooMany as error:
            self._keeper.refuse(transport, error)


def _client(transport: asyncio.BaseTransport) -> str:
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if isinstance(peer, tuple) else ""


def _refusal(error: TooMany) -> bytes:
    answer = answer_to(error)
    body = json_body({"error": {"code": answer.code, "message": str(error)}})
    head = (
        f"HTTP/1.1 {answer.status.value} {answer.status.phrase}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\nRetry-After: 5\r\n\r\n"
    )
    return head.encode() + body
