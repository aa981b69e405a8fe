"""A connection to a profiler server, or why there is none."""

from __future__ import annotations

import asyncio
import errno
import socket
from typing import Final

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.failures import CaptureCause, Fault

CONNECT_WITHIN_S: Final = 10.0
_BUFFER_BYTES: Final = 1 << 20  # received and not yet read, beyond which the system holds back the server

# A machine that vanished without a word is found out by the system, in half a minute.
_PROBES: Final = (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))


async def connect(address: ProfilerAddress) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Both sides of a connection, to the first of the host's addresses that takes one. Raises `Fault`."""
    loop = asyncio.get_running_loop()
    fault = Fault(CaptureCause.UNKNOWN_HOST)
    try:
        async with asyncio.timeout(CONNECT_WITHIN_S):
            for family, *_, place in await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM):
                try:
                    reader, writer = await asyncio.open_connection(
                        str(place[0]), address.port, family=family, limit=_BUFFER_BYTES
                    )
                except OSError as error:
                    fault = _fault(error)
                else:
                    _probe(writer.get_extra_info("socket"))
                    return reader, writer
    except socket.gaierror as error:
        raise Fault(CaptureCause.UNKNOWN_HOST, error.strerror or str(error)) from None
    except (UnicodeError, ValueError) as error:  # a label of more than 63 letters, for instance
        raise Fault(CaptureCause.UNKNOWN_HOST, str(error)) from None
    except TimeoutError:
        raise Fault(CaptureCause.UNREACHABLE, f"no connection within {CONNECT_WITHIN_S:.0f} s") from None
    raise fault


def _fault(error: OSError) -> Fault:
    if error.errno == errno.ECONNREFUSED:
        return Fault(CaptureCause.REFUSED)
    return Fault(CaptureCause.UNREACHABLE, error.strerror or str(error))


def _probe(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _PROBES:
        if hasattr(socket, name):  # macOS has other names for some
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
