"""The account of this machine that a connection comes from, where the system tells: Linux does."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from contextlib import suppress

from tilescope.tiler.system import connection_table

_ADDRESS, _PEER, _ACCOUNT = 1, 2, 7  # columns


def is_of_another(transport: asyncio.BaseTransport | None) -> bool:
    """True if the other end of a connection is a socket of this machine, of another account than ours."""
    connection = None if transport is None else transport.get_extra_info("socket")
    if connection is None:
        return False
    with suppress(OSError, ValueError, IndexError, KeyError):
        near, far = (_hex(end, connection.family) for end in (connection.getsockname(), connection.getpeername()))
        for line in connection_table(is_ipv6=connection.family == socket.AF_INET6).splitlines()[1:]:
            fields = line.split()
            if (fields[_ADDRESS], fields[_PEER]) == (far, near):
                return int(fields[_ACCOUNT]) != os.getuid()
    return False


def _hex(end: tuple[str, int, *tuple[int, ...]], family: int) -> str:
    """An address as the tables have it: words of four bytes in the order of the machine."""
    packed = socket.inet_pton(family, end[0])
    words = [packed[place : place + 4] for place in range(0, len(packed), 4)]
    ordered = (word[::-1] if sys.byteorder == "little" else word for word in words)
    return f"{b''.join(ordered).hex().upper()}:{end[1]:04X}"
