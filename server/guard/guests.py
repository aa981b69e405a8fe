"""Counts connections, over HTTP and gRPC together: so many for all clients together, and so many for each.

A client is an address; everybody behind one proxy is one client.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from tilescope.server.errors import TooManyRequests
from tilescope.server.metrics import Metrics
from tilescope.server.settings import Settings

_log = logging.getLogger(__name__)


class Guests:
    """Clients that are connected: each transport adds to `rooms` a function that lists its clients, by connection."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._settings = settings
        self._metrics = metrics
        self.callers: set[tuple[str, int]] = set()  # over gRPC: address and port of those who had a call let in
        self.rooms: list[Callable[[], Iterable[str]]] = []
        metrics.connections.set_function(lambda: len(self._inside()))

    def check(self, client: str) -> None:
        """One more connection of a client. Raises `TooManyRequests`."""
        inside = self._inside()
        if len(inside) >= self._settings.max_connections:
            self._refuse(client, "this server holds as many connections as it may: try again later")
        if inside.count(client) >= self._settings.max_connections_per_client:
            self._refuse(client, "you hold as many connections to this server as you may: close one")

    def _inside(self) -> list[str]:
        return [client for room in self.rooms for client in room()]

    def _refuse(self, client: str, why: str) -> None:
        self._metrics.refused.inc()
        _log.warning("a connection of %s was refused: %s", client, why)
        raise TooManyRequests(why)
