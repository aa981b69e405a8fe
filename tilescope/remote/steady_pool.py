"""Connections to hosts that must keep sending: one that sends a byte now and then would hold a thread for days.

All bytes count as they come from the socket: those of heads, of bodies, and what frames the parts of a body.
"""

from __future__ import annotations

from http.client import HTTPResponse
from io import BufferedReader, RawIOBase
from time import monotonic
from typing import TYPE_CHECKING

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from tilescope.remote.progress import DrippingHost, Progress

if TYPE_CHECKING:
    import socket

    from _typeshed import WriteableBuffer


class _SteadyBytes(RawIOBase):
    """The bytes of one answer. Raises DrippingHost."""

    def __init__(self, raw: RawIOBase) -> None:
        self._raw = raw
        self._progress = Progress(monotonic)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        count = self._raw.readinto(buffer)
        if count and self._progress.is_too_slow(count):
            raise DrippingHost
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _SteadyResponse(HTTPResponse):
    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
    ) -> None:
        super().__init__(sock, debuglevel, method, url)
        self.fp = BufferedReader(_SteadyBytes(self.fp.detach()))


class SteadyConnection(HTTPConnection):
    """A connection without encryption."""

    response_class = _SteadyResponse


class SteadySecureConnection(HTTPSConnection):
    """A connection with TLS."""

    response_class = _SteadyResponse


class _Pool(HTTPConnectionPool):
    ConnectionCls = SteadyConnection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = SteadySecureConnection


def steady_pool(hosts: int, connections: int) -> PoolManager:
    """A pool for so many hosts, with so many connections to each."""
    pool = PoolManager(num_pools=hosts, maxsize=connections)
    pool.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
    return pool
