"""One connection at its limits: pages as fast as it takes them, and clients that take none."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass

import aiohttp

from bench.server_process import ServerProcess
from bench.stream_client import CREDIT_BYTES, StreamClient
from bench.viewports import all_pages
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey
from tilescope.tiler.query import QueryReader

PAGES_PER_LIST = 1000
TYPICAL_BYTES = range(32_000, 64_000)  # pages of about 48 kB
STALLED_CLIENTS = 20
STALLED_WANTS = 4096  # as many as a list may have


@dataclass(frozen=True, slots=True)
class Throughput:
    """Pages and bytes that came, and the time that they took."""

    pages: int
    size_bytes: int
    seconds: float
    server_cores: float
    client_cores: float  # near 1: it was the client that was measured

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds


async def throughput(
    session: aiohttp.ClientSession, path: str, reader: QueryReader, server: ServerProcess, seconds: float
) -> Throughput:
    """Lists of pages of about 48 kB (of any size, where there are none), one after the other."""
    lists = typical_lists(reader)
    pages = size_bytes = 0
    async with session.ws_connect(path, max_msg_size=0) as socket:
        client = StreamClient(socket)
        await client.grant(CREDIT_BYTES)
        server_cpu, client_cpu = server.cpu_seconds(), time.process_time()
        begin = time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < seconds:
            answer = await client.want({"visible": next(lists)})
            pages += len(answer.pages)
            size_bytes += answer.size_bytes
    server_cpu, client_cpu = server.cpu_seconds() - server_cpu, time.process_time() - client_cpu
    return Throughput(pages, size_bytes, elapsed, server_cpu / elapsed, client_cpu / elapsed)


async def stalled_bytes(session: aiohttp.ClientSession, path: str, reader: QueryReader, server: ServerProcess) -> int:
    """By how much the server grows for each client that asks for everything, gives endless credit and reads nothing."""
    wants = all_pages(reader)[:STALLED_WANTS]
    before = server.private_bytes()
    sockets = [await session.ws_connect(path, max_msg_size=0) for _ in range(STALLED_CLIENTS)]
    transports = [_transport(socket) for socket in sockets]
    for socket, transport in zip(sockets, transports, strict=True):
        transport.pause_reading()
        client = StreamClient(socket)
        await client.grant(10**12)
        await client.send_want(wants)
    await asyncio.sleep(2)
    grown = server.private_bytes() - before
    for transport in transports:
        transport.abort()
    return max(0, grown) // STALLED_CLIENTS


def typical_lists(reader: QueryReader) -> Iterator[list[PageKey]]:
    """Lists without end of pages of about 48 kB, of any size where there are none."""
    pages = all_pages(reader)
    typical = [key for key in pages if len(stored_page(reader.store, key) or b"") in TYPICAL_BYTES] or pages
    return itertools.cycle(
        [typical[start : start + PAGES_PER_LIST] for start in range(0, len(typical), PAGES_PER_LIST)]
    )


def _transport(socket: aiohttp.ClientWebSocketResponse) -> asyncio.Transport:
    connection = socket._response.connection
    assert connection is not None
    assert isinstance(connection.transport, asyncio.Transport)
    return connection.transport
