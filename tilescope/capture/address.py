"""Addresses of profiler servers, as people write them: `HOST:PORT`, several parted by commas, IPv6 in brackets."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from typing import Final

from tilescope.tiler.errors import UsageError

MOST_ADDRESSES: Final = 1024  # of one capture

TPU_ADDRESS: Final = (
    "the name of a TPU is no address: gcloud compute tpus tpu-vm describe NAME --zone ZONE "
    "--format='value(networkEndpoints[].ipAddress)' prints those of its hosts"
)

_NAME: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?\.?", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class ProfilerAddress:
    """Address that a profiler server listens on. `str()` is `HOST:PORT`, with brackets around an IPv6 address."""

    host: str  # a name or an IP address, without brackets
    port: int  # 1 to 65535
    name: str = field(default="", compare=False)  # what its files are called by; empty: the host

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> ProfilerAddress:
    """The address of one server. A scheme (`grpc://`, `http://`) is taken off. Raises `UsageError`."""
    text = text.strip()
    place = re.sub(r"^(grpc|http)://", "", text).removesuffix("/")
    host, colon, port = place.rpartition(":")
    if not colon or (":" in host and not host.startswith("[")):
        raise _wrong(text, "it has no port", TPU_ADDRESS if _NAME.fullmatch(place) else "")
    if not re.fullmatch(r"[0-9]{1,5}", port, re.ASCII) or not 1 <= int(port) <= 65535:
        raise _wrong(text, f"{port!r} is no port")
    if host.startswith("[") or host.endswith("]"):
        host = host[1:-1] if host.startswith("[") and host.endswith("]") else ""
        try:
            ipaddress.IPv6Address(host)
        except ValueError:
            raise _wrong(text, "the part in brackets is no IPv6 address") from None
    elif not _NAME.fullmatch(host):
        raise _wrong(text, f"{host!r} is no name of a host" if host else "it has no host")
    return ProfilerAddress(host, int(port))


def parse_addresses(text: str) -> tuple[ProfilerAddress, ...]:
    """Addresses of a list with commas, in order. Raises `UsageError` for none, and for wrong or repeated ones."""
    addresses = tuple(parse_address(part) for part in text.split(",") if part.strip())
    if not addresses:
        raise UsageError("no address of a profiler server (write HOST:PORT)")
    if len(addresses) > MOST_ADDRESSES:
        raise UsageError(f"{len(addresses):,} addresses are more than one capture takes ({MOST_ADDRESSES:,})")
    for k, address in enumerate(addresses):
        if address in addresses[:k]:
            raise UsageError(f"{address} is named twice")
    return addresses


def _wrong(text: str, why: str, advice: str = "") -> UsageError:
    more = f"; {advice}" if advice else ""
    return UsageError(f"{text!r} is no address of a profiler server: {why} (write HOST:PORT, or [IPV6]:PORT{more})")
