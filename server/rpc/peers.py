"""The other end of a connection, as gRPC writes it."""

from __future__ import annotations

from urllib.parse import unquote


def client_of(peer: str) -> str:
    """The address in `ipv4:127.0.0.1:80` or `ipv6:%5B::1%5D:80`."""
    return unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")


def port_of(peer: str) -> int:
    """Its port; 0 for a peer that has none."""
    port = peer.rpartition(":")[2]
    return int(port) if port.isdigit() else 0
