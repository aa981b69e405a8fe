"""Ends gRPC connections that nobody needs, when there are many.

gRPC listens by itself, and only knows how many connections there may be in all: whoever opens that many and says
nothing would keep everybody else out for as long as they may stay idle. It tells nobody of a connection without calls,
either. But they are files of this process: one that is shut down from here ends for gRPC as if its client had gone.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import stat
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from tilescope.tiler.system import open_files

INTERVAL_S: Final = 1.0
FIRST_CALL_S: Final = 10.0  # for a call that is let in; after it, gRPC's own limit of idle connections counts
MANY_FILES: Final = 256  # that this process has open: below, it is not worth looking

Peer = tuple[str, int]  # address and port


class Idlers:
    """The connections to one port that have had no call. `callers` are those that have: address and port."""

    def __init__(self, port: int, callers: set[Peer], most_of_client: int) -> None:
        self._port = port
        self._callers = callers
        self._most_of_client = most_of_client
        self._since: dict[Peer, float] = {}  # they were seen first

    async def watch(self) -> None:
        """Looks now and then, until it is cancelled."""
        while True:
            await asyncio.sleep(INTERVAL_S)
            with suppress(OSError):  # there are as many files open as may be: that of a connection cannot be looked at
                await asyncio.to_thread(self.sweep, time.monotonic())

    def sweep(self, now_s: float) -> int:
        """Ends those that have been idle for too long, or are too many of one client. Returns how many."""
        if len(open_files()) <= MANY_FILES:
            self._since.clear()
            return 0
        callers_before = set(self._callers)
        seen: dict[Peer, float] = {}
        of_client: Counter[str] = Counter()
        ended = 0
        for connection, peer in self._connections():
            seen[peer] = self._since.get(peer, now_s)
            of_client[peer[0]] += 1
            is_late = now_s - seen[peer] >= FIRST_CALL_S
            if peer not in self._callers and (is_late or of_client[peer[0]] > self._most_of_client):
                with suppress(OSError):  # it has just ended
                    connection.shutdown(socket.SHUT_RDWR)
                ended += 1
        self._since = seen
        self._callers -= callers_before - seen.keys()  # and not those who came meanwhile
        return ended

    def _connections(self) -> Iterator[tuple[socket.socket, Peer]]:
        """A socket of ours for each, oldest first, so that it stays the same one whatever becomes of gRPC's."""
        for number in open_files():
            try:
                if not stat.S_ISSOCK(os.fstat(number).st_mode):
                    continue
                descriptor = os.dup(number)
            except OSError as error:
                if error.errno == errno.EBADF:  # closed since
                    continue
                raise
            with socket.socket(fileno=descriptor) as connection:
                peer = self._peer(connection)
                if peer is not None:
                    yield connection, peer

    def _peer(self, connection: socket.socket) -> Peer | None:
        """The other end of a connection; None for a connection of another port, or none at all."""
        try:
            ours, theirs = connection.getsockname(), connection.getpeername()
        except OSError:
            return None
        if not isinstance(ours, tuple) or ours[1] != self._port:
            return None
        return str(theirs[0]).removeprefix("::ffff:"), int(theirs[1])
