"""Peers that are no profiler servers, or bad ones: what they do is a function."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from tilescope.capture import ProfilerAddress

Peer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Script = Callable[[h2.connection.H2Connection], None]

HEADERS = ((":status", "200"), ("content-type", "application/grpc"))
OK = (("grpc-status", "0"),)


@asynccontextmanager
async def peer(behave: Peer) -> AsyncIterator[ProfilerAddress]:
    """A server that does this with each connection, and then waits until it is closed."""

    handling: set[asyncio.Task[None] | None] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handling.add(asyncio.current_task())
        with suppress(OSError, h2.exceptions.ProtocolError):  # such as what comes after the end
            await behave(reader, writer)
            await writer.drain()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield ProfilerAddress("127.0.0.1", server.sockets[0].getsockname()[1])
    finally:
        server.close()
        await asyncio.gather(*(task for task in handling if task is not None))


def saying(data: bytes) -> Peer:
    """Says this, whatever it is asked."""

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1 << 16)
        writer.write(data)

    return say


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes what comes, and says nothing."""
    while await reader.read(1 << 16):
        pass


def speaking_http2(script: Script, *, closes: bool = False) -> Peer:
    """Speaks HTTP/2, and runs `script` when the request on stream 1 is complete."""

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        http.initiate_connection()
        writer.write(http.data_to_send())
        while data := await reader.read(1 << 16):
            for event in http.receive_data(data):
                if isinstance(event, h2.events.StreamEnded):
                    script(http)
                    writer.write(http.data_to_send())
                    if closes:
                        writer.write_eof()  # not a reset, which may overtake what was sent
                        return await silent(reader, writer)
            writer.write(http.data_to_send())

    return speak


def answering_with(*parts: bytes, trailers: tuple[tuple[str, str], ...] | None = OK) -> Script:
    """Sends these pieces as data, then the trailers; None: nothing more."""

    def answer(http: h2.connection.H2Connection) -> None:
        http.send_headers(1, HEADERS)
        for part in parts:
            http.send_data(1, part)
        if trailers is not None:
            http.send_headers(1, trailers, end_stream=True)

    return answer


def message(body: bytes, *, size: int | None = None, flag: int = 0) -> bytes:
    """As gRPC frames it; `size` and `flag` may lie."""
    return bytes([flag]) + (len(body) if size is None else size).to_bytes(4, "big") + body
