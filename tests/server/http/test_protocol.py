"""What a patient stranger gets from a server as it is started: deadlines, frames as the RFC has them, no versions."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import struct

import aiohttp
import msgpack
import pytest
from aiohttp import web

from tests.server.conftest import Site
from tests.server.fakes import FakeStore, page_bytes, small_pages
from tests.server.test_serving import STREAM, open_connections, served
from tilescope.server import serving
from tilescope.server.app import make_app
from tilescope.server.http import bodies, protocol
from tilescope.server.settings import Settings

HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
BATCH = "/api/v1/runs/run1/builds/b1/batch"


async def until_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """What the server said before it closed."""
    said = b""
    async with asyncio.timeout(5):
        try:
            while data := await reader.read(65536):
                said += data
        except ConnectionError:
            pass
    writer.close()
    return said


async def drip(writer: asyncio.StreamWriter) -> None:
    """A byte of a header now and then, for ever."""
    try:
        for byte in itertools.chain(b"X: ", itertools.repeat(ord("y"))):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.02)
    except ConnectionError:
        pass


@pytest.mark.parametrize("first", [b"", b"GET"], ids=["nothing", "the beginning"])
async def test_who_does_not_send_a_head_is_sent_away(site: Site, monkeypatch: pytest.MonkeyPatch, first: bytes) -> None:
    monkeypatch.setattr(protocol, "HEAD_TIMEOUT_S", 0.2)
    async with served(site, Settings()) as url:
        ((reader, writer),) = await open_connections(url, 1)
        writer.write(first)
        assert await until_the_end(reader, writer) == b""


@pytest.mark.parametrize("before", [b"", HEAD + b"\r\n"], ids=["the first head", "the second head"])
async def test_a_head_that_comes_byte_by_byte_has_a_deadline(
    site: Site, monkeypatch: pytest.MonkeyPatch, before: bytes
) -> None:
    monkeypatch.setattr(protocol, "HEAD_TIMEOUT_S", 0.3)
    async with served(site, Settings()) as url:
        ((reader, writer),) = await open_connections(url, 1)
        writer.write(before)
        if before:
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        writer.write(HEAD)
        dripping = asyncio.create_task(drip(writer))
        assert b"HTTP/1.1" not in await until_the_end(reader, writer)
        dripping.cancel()


async def test_a_connection_that_is_kept_has_time_between_its_requests(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HEAD_TIMEOUT_S", 0.1)
    async with served(site, Settings()) as url:
        ((reader, writer),) = await open_connections(url, 1)
        for _ in range(2):
            writer.write(HEAD + b"\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 ")
            await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
            ((slow, slow_writer),) = await open_connections(url, 1)
            assert await until_the_end(slow, slow_writer) == b""  # who sends no head has been sent away meanwhile
        writer.close()


async def test_a_body_has_a_deadline(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_TIMEOUT_S", 0.1)
    async with served(site, Settings()) as url:
        ((reader, writer),) = await open_connections(url, 1)
        writer.write(f"POST {BATCH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{{".encode())
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        assert head.startswith(b"HTTP/1.1 408 ")
        writer.close()


async def test_who_takes_nothing_of_an_answer_is_cut_off(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "SEND_TIMEOUT_S", 0.2)
    site.stores.make = lambda build: FakeStore(build, {key: page_bytes(key, 40_000_000) for key in small_pages()})
    async with served(site, Settings()) as url:
        host, port = url.split("/")[2].split(":")
        with await asyncio.to_thread(socket.create_connection, (host, int(port))) as client:
            path = b"/api/v1/runs/run1/builds/b1/pages/0/0/0/0"
            client.send(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n")
            await asyncio.to_thread(client.recv, 1)
            async with aiohttp.ClientSession() as session, asyncio.timeout(30):
                while True:  # until the server knows of this session alone
                    async with session.get(f"{url}metrics") as answer:
                        if "tilescope_connections 1.0" in await answer.text():
                            break


def frame(payload: bytes, *, masked: bool, opcode: int = 2) -> bytes:
    """A whole frame of a WebSocket."""
    size = len(payload)
    bit = 0x80 if masked else 0
    if size < 126:
        head = bytes([0x80 | opcode, bit | size])
    elif size < 65536:
        head = bytes([0x80 | opcode, bit | 126]) + struct.pack(">H", size)
    else:
        head = bytes([0x80 | opcode, bit | 127]) + struct.pack(">Q", size)
    return head + (b"\0\0\0\0" if masked else b"") + payload


UPGRADE = (
    f"GET /{STREAM} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
).encode()


def want(number: int, size: int) -> bytes:
    """A list of no pages, in a message of about that size."""
    packed: bytes = msgpack.packb({"type": "want", "id": number, "pages": [], "more": "x" * size})
    return packed


@pytest.mark.parametrize("chunk", [1, 7, 1_000_000])
async def test_frames_are_read_however_they_are_cut(site: Site, chunk: int) -> None:
    async with served(site, Settings()) as url:
        ((reader, writer),) = await open_connections(url, 1)
        writer.write(UPGRADE)
        assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        sizes = (10, 300, 70_000 if chunk > 1 else 200, 10)
        sent = b"".join(frame(want(k + 1, size), masked=True) for k, size in enumerate(sizes))
        for at in range(0, len(sent), chunk):
            writer.write(sent[at : at + chunk])
            await writer.drain()
        async with asyncio.timeout(10):
            done = frame(msgpack.packb({"type": "done", "id": 4}), masked=False)
            await reader.readuntil(done)
        writer.close()


@pytest.mark.parametrize("chunk", [1, 1_000_000])
@pytest.mark.parametrize("before", [b"", frame(want(1, 300), masked=True)], ids=["at once", "later"])
async def test_a_frame_without_a_mask_ends_the_connection(site: Site, before: bytes, chunk: int) -> None:
    async with served(site, Settings()) as url:
        ((reader, writer),) = await open_connections(url, 1)
        writer.write(UPGRADE)
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"Server:" not in head
        sent = before + frame(want(2, 10), masked=False)[:2]  # its head is enough
        for at in range(0, len(sent), chunk):
            writer.write(sent[at : at + chunk])
            await asyncio.sleep(0)
        said = await until_the_end(reader, writer)
        assert said.endswith(b"\x88\x02" + struct.pack(">H", 1002))


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (HEAD + b"\r\n", 200),
        (b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"PUT /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        (HEAD + b"Expect: more\r\n\r\n", 417),
        (HEAD + b"Expect: \xe9\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (HEAD + b"X\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx", 400),
        (HEAD + b"X: " + b"y" * 9000 + b"\r\n\r\n", 400),
    ],
)
async def test_no_answer_tells_versions(site: Site, request_bytes: bytes, status: int) -> None:
    async with served(site, Settings()) as url:
        ((reader, writer),) = await open_connections(url, 1)
        writer.write(request_bytes)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        assert int(head.split()[1]) == status
        assert b"\r\nserver:" not in head.lower()
        if status == 400:
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            error = json.loads(await reader.readexactly(length))["error"]
            assert error["code"] == "bad_request"
            assert "install" not in error["message"]
        writer.close()


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
async def test_a_body_that_is_not_encoded_as_it_says_is_a_bad_request(site: Site, encoding: str) -> None:
    async with served(site, Settings()) as url, aiohttp.ClientSession() as session:
        headers = {"Content-Encoding": encoding}
        async with session.post(url.rstrip("/") + BATCH, data=b'{"pages": []}', headers=headers) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (400, "bad_request")


async def test_the_end_of_an_answer_is_sent_before_the_server_ends(site: Site) -> None:
    rest = b"the end of the answer"
    answered = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        assert request.transport is not None
        while request.transport.get_write_buffer_size() == 0:  # as much as the system takes from a client that waits
            await response.write(bytes(65536))
        await response.write_eof(rest)
        answered.set()
        return response

    app = make_app(site.registry())
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=5)
    app.router.add_get("/slow", answer)
    await runner.setup()
    listening = serving.bind("127.0.0.1", 0)
    server = await serving.listen(runner, listening)
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # a size that is set does not grow
    slow.connect(listening.getsockname()[:2])
    reader, writer = await asyncio.open_connection(sock=slow, limit=1024)
    writer.write(b"GET /slow HTTP/1.0\r\nHost: localhost\r\n\r\n")
    await answered.wait()
    server.close()
    ending = asyncio.create_task(runner.cleanup())
    ended, _ = await asyncio.wait({ending}, timeout=0.3)
    assert not ended, "a client that takes nothing for now is waited for"
    said = await until_the_end(reader, writer)
    await ending
    assert said.endswith(rest)


def half_closed(url: str, request: bytes) -> socket.socket:
    """A client that has sent this, and sends nothing more."""
    host, port = url.split("/")[2].split(":")
    client = socket.create_connection((host, int(port)), timeout=10)
    client.sendall(request)
    client.shutdown(socket.SHUT_WR)
    return client


def read_all(client: socket.socket) -> bytes:
    with client:
        return b"".join(iter(lambda: client.recv(65536), b""))


@pytest.mark.parametrize("count", [1, 3])
async def test_who_sends_nothing_more_is_answered(site: Site, count: int) -> None:
    async with served(site, Settings()) as url:
        client = await asyncio.to_thread(half_closed, url, count * (HEAD + b"\r\n"))
        answer = await asyncio.wait_for(asyncio.to_thread(read_all, client), 10)
        assert answer.count(b"HTTP/1.1 200 OK") == count
        for request in (b"", HEAD, b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"):
            client = await asyncio.to_thread(half_closed, url, request)
            assert b" 200 " not in await asyncio.wait_for(asyncio.to_thread(read_all, client), 10)


async def test_who_waits_for_an_answer_after_its_last_byte_gets_it_and_who_has_gone_is_noticed(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "PROBE_AFTER_S", 0.01)
    monkeypatch.setattr(protocol, "PROBE_EVERY_S", 0.05)
    gate, begun, gone = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def answer(_request: web.Request) -> web.Response:
        begun.set()
        try:
            await gate.wait()
        except asyncio.CancelledError:
            gone.set()
            raise
        return web.Response(text="late")

    app = make_app(site.registry())
    app.router.add_get("/slow", answer)
    listening = serving.bind("127.0.0.1", 0)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    server = await serving.listen(runner, listening)
    url = serving.url_of(listening)
    request = b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"

    waiting = await asyncio.to_thread(half_closed, url, request)
    await asyncio.wait_for(begun.wait(), 10)
    begun.clear()
    (await asyncio.to_thread(half_closed, url, request)).close()
    await asyncio.wait_for(begun.wait(), 10)
    await asyncio.wait_for(gone.wait(), 10)
    gate.set()
    answered = await asyncio.wait_for(asyncio.to_thread(read_all, waiting), 10)
    interim, _, final = answered.rpartition(b"HTTP/1.1 200 OK\r\n")
    assert final.endswith(b"\r\n\r\nlate")
    assert interim.replace(b"HTTP/1.1 102 Processing\r\n\r\n", b"") == b""
    server.close()
    await runner.cleanup()
