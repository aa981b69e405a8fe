"""A server that is told to stop finishes what it has begun, and ends well."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from tests.cli.test_server_commands import get_json, started
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey, Shape, decompress
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def big_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of more pages than the sockets' buffers hold."""
    folder = tmp_path_factory.mktemp("big")
    write_synthetic_trace(folder / "trace.xplane.pb", format="xspace", events=1_500_000, tracks=8, seed=1)
    build_store([folder / "trace.xplane.pb"], folder / "store")
    return folder / "store"


def pages_of(path: Path) -> dict[PageKey, int]:
    """All pages of a store with their sizes."""
    store = open_run_store(path)
    keys: list[PageKey] = []
    for block in range(int(store.manifest()["blocks"])):
        member = store.get(SHAPE, block)
        assert member is not None
        shape = Shape.decode(decompress(member))
        keys += [shape.page_of(tile) for tile in range(len(shape.level))]
    sizes = {key: len(stored_page(store, key) or b"") for key in dict.fromkeys(keys)}
    store.close()
    return sizes


@pytest.fixture
def slow_socket() -> Iterator[socket.socket]:
    """A socket that takes little before it is read."""
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        slow.settimeout(10)
        yield slow


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
def test_what_was_begun_is_finished_and_streams_are_told(
    big_store: Path, tmp_path: Path, slow_socket: socket.socket, kind: signal.Signals
) -> None:
    sizes = dict(list(pages_of(big_store).items())[:4096])
    assert sum(sizes.values()) > 8_000_000, "too little to be under way for long"
    with started(tmp_path, "serve", str(big_store)) as (process, url):
        (run,) = get_json(f"{url}api/v1/runs")["runs"]
        base = f"/api/v1/runs/{run['id']}/builds/{run['build']}"
        address = urlsplit(url)
        assert address.hostname is not None
        assert address.port is not None
        slow_socket.connect((address.hostname, address.port))
        body = json.dumps({"pages": list(sizes)}).encode()
        head = f"POST {base}/batch HTTP/1.0\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        slow_socket.sendall(head.encode() + body)
        received = slow_socket.recv(1000)
        assert received.startswith(b"HTTP/1.0 200 ")
        assert asyncio.run(close_code_after(url, base, lambda: process.send_signal(kind))) == 1001
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address.hostname, address.port))
        assert process.poll() is None, "it did not wait for the batch"
        while chunk := slow_socket.recv(1 << 20):
            received += chunk
        frames = received.partition(b"\r\n\r\n")[2]
        assert len(frames) == 24 * (len(sizes) + 1) + sum(sizes.values())
        assert frames[-24:] == bytes([2]) + bytes(23)
        process.wait(timeout=10)
        assert process.returncode == 0


async def close_code_after(url: str, base: str, stop: object) -> int | None:
    """How an open stream is closed when the server is told to stop."""
    assert callable(stop)
    async with aiohttp.ClientSession() as session, session.ws_connect(url.rstrip("/") + base + "/stream") as stream:
        stop()
        await stream.receive(timeout=5)
        return stream.close_code
