"""A slow network between a browser and a server on this machine: so long for a round trip, so many bits a second.

It passes TCP on, so HTTP and WebSockets alike, on the loopback interface only. All connections share the link; each
direction has its own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

HOST = "127.0.0.1"
CHUNK_BYTES = 8 * 1024
QUEUED_CHUNKS = 32  # of a connection, on their way: the sender waits when there are more


@dataclass(slots=True)
class Link:
    """One direction. A chunk takes its turn on the line, and arrives half a round trip later."""

    delay_s: float
    bytes_per_s: float
    free_at: float = 0.0  # when the line has sent all that it was given

    def arrival(self, now: float, size_bytes: int) -> float:
        """Time at which a chunk that is given to the line now is at its other end."""
        self.free_at = max(now, self.free_at) + size_bytes / self.bytes_per_s
        return self.free_at + self.delay_s


@dataclass(slots=True)
class SlowLink:
    """Listens on a port of its own and passes everything on to another."""

    target_port: int
    up: Link
    down: Link
    port: int = 0
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, started: threading.Event, stop: asyncio.Event) -> None:
        """Passes connections on until it is told to stop."""
        server = await asyncio.start_server(self._connected, HOST, 0)
        self.port = int(server.sockets[0].getsockname()[1])
        started.set()
        await stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._start(self._pass_on(reader, writer))

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(HOST, self.target_port)
        except OSError:
            writer.close()
            return
        try:
            await asyncio.gather(_pump(reader, far_writer, self.up), _pump(far_reader, writer, self.down))
        finally:
            for end in (writer, far_writer):
                end.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, link: Link) -> None:
    clock = asyncio.get_running_loop().time
    queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(QUEUED_CHUNKS)

    async def deliver() -> None:
        while True:
            arrival, chunk = await queue.get()
            await asyncio.sleep(max(0.0, arrival - clock()))
            if not chunk:
                with suppress(OSError):
                    writer.write_eof()
                return
            writer.write(chunk)
            await writer.drain()

    async def accept() -> None:
        while True:
            chunk = await reader.read(CHUNK_BYTES)
            await queue.put((link.arrival(clock(), len(chunk)), chunk))
            if not chunk:
                return

    with suppress(ConnectionError):  # one end has gone: so does the connection
        await asyncio.gather(accept(), deliver())


@contextmanager
def slow_link(target_port: int, round_trip_s: float, bits_per_s: float) -> Iterator[int]:
    """The port that leads over the slow link to `target_port`."""
    up, down = (Link(round_trip_s / 2, bits_per_s / 8) for _ in range(2))
    link = SlowLink(target_port, up, down)
    started, loop, stop = threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    def run() -> None:
        loop.run_until_complete(link.serve(started, stop))
        loop.close()

    thread = threading.Thread(target=run, name="slow link", daemon=True)
    thread.start()
    assert started.wait(10), "the slow link did not start"
    try:
        yield link.port
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
