"""Who is at the other end of a connection, as gRPC writes it."""

from __future__ import annotations

from urllib.parse import unquote


def client_of(peer: str) -> str:
    """The address in `ipv4:127.0.0.1:80` or `ipv6:%5B::1%5D:80`."""
    return unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")
