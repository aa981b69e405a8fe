"""Connections to hosts that others name: each name is resolved once, and no private address is connected to.

What was checked is what is connected to: a name that leads elsewhere at its next resolution gains nothing.
"""

from __future__ import annotations

import socket
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection
from urllib3.exceptions import NewConnectionError
from urllib3.util.connection import create_connection

from tilescope.remote.steady_pool import SteadyConnection, SteadySecureConnection
from tilescope.tiler.errors import BlobForbidden

_NAT64: Final = IPv6Network("64:ff9b::/96")  # has an address of IPv4 in its last 32 bits


class _Connection(SteadyConnection):
    def _new_conn(self) -> socket.socket:
        return _connect(self, "http")


class _SecureConnection(SteadySecureConnection):
    def _new_conn(self) -> socket.socket:
        return _connect(self, "https")


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def guarded_pool() -> PoolManager:
    """A pool whose connections refuse addresses of private networks, of this machine and the like."""
    pool = PoolManager(num_pools=8, maxsize=8)
    pool.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
    return pool


def is_public(text: str) -> bool:
    """True for an IP address of the internet: not private, loopback, link-local, multicast or reserved."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        embedded = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if embedded is None and address in _NAT64:
            return is_public(str(ip_address(int(address) & 0xFFFF_FFFF)))
        if embedded is not None:
            return is_public(str(embedded))
        if address.is_site_local:  # which Python takes for global
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _connect(connection: HTTPConnection, scheme: str) -> socket.socket:
    host, port = connection.host, connection.port
    try:
        entries = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NewConnectionError(connection, "its name is not known") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    if not all(map(is_public, addresses)):
        what = "its host has an address of a private network, which this server does not connect to"
        raise BlobForbidden(f"{scheme}://{host}", what)
    for number, address in enumerate(addresses, 1):
        try:
            timeout = connection.timeout
            return create_connection((address, port), timeout, connection.source_address, connection.socket_options)
        except OSError as error:
            if number == len(addresses):
                raise NewConnectionError(connection, "cannot be connected to") from error
    raise NewConnectionError(connection, "has no address")
