"""From the name of a host to the one address that is connected to.

A name is looked up once. Whoever answers for it could otherwise give one address when it is checked, and another when
it is used.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import Final

from tilescope.capture import CaptureCause, CaptureFailed, Failure, ProfilerAddress
from tilescope.server.guard.capture_rules import AllowedHost

LOOKUP_TIMEOUT_S: Final = 10.0


async def look_up(host: AllowedHost) -> ProfilerAddress:
    """The address in numbers. Raises `CaptureFailed`."""
    name, port = host.address.host, host.address.port
    try:
        async with asyncio.timeout(LOOKUP_TIMEOUT_S):
            address_infos = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except TimeoutError:
        raise _unknown(host, f"{name} was not found within {LOOKUP_TIMEOUT_S:.0f} s") from None
    except (OSError, UnicodeError) as error:
        raise _unknown(host, getattr(error, "strerror", None) or str(error)) from None
    numbers = [str(address[0]) for _, _, _, _, address in address_infos]
    if host.is_loopback_only:
        numbers = [number for number in numbers if ipaddress.ip_address(number).is_loopback]
    if not numbers:
        raise _unknown(host, f"{name} does not lead to this machine")
    # What listens on one of both families listens on that of IPv4.
    return ProfilerAddress(min(numbers, key=lambda number: ":" in number), port, name=host.file_name)


def _unknown(host: AllowedHost, detail: str) -> CaptureFailed:
    return CaptureFailed(host.name, Failure(CaptureCause.UNKNOWN_HOST, detail))
