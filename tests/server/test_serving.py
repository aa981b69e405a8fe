"""The listening side: TLS, and how many connections there may be."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import msgpack
import pytest
import trustme
from aiohttp import web

from tests.server.conftest import Site
from tests.server.fakes import FakeStore, page_bytes, small_pages
from tilescope.server import serving
from tilescope.server.app import make_app
from tilescope.server.guard.tls import Certificate
from tilescope.server.keys import SETTINGS
from tilescope.server.settings import Settings

STREAM = "api/v1/runs/run1/builds/b1/stream"


@asynccontextmanager
async def served(site: Site, settings: Settings) -> AsyncIterator[str]:
    """The URL of a server that listens as `tilescope serve` does."""
    site.add_run("run1", build="b1")
    listening = serving.bind("127.0.0.1", 0)
    runner = web.AppRunner(make_app(site.registry(), settings=settings), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    server = await serving.listen(runner, listening)
    yield serving.url_of(listening, settings)
    server.close()
    await runner.cleanup()


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def certificate(authority: trustme.CA, tmp_path: Path) -> Certificate:
    issued = authority.issue_cert("localhost", "127.0.0.1")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    issued.cert_chain_pems[0].write_to_path(chain)
    issued.private_key_pem.write_to_path(key)
    return Certificate(chain, key)


async def test_everything_goes_over_tls_the_stream_included(
    site: Site, authority: trustme.CA, certificate: Certificate
) -> None:
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    async with served(site, Settings(certificate=certificate)) as url, aiohttp.ClientSession() as session:
        assert url.startswith("https://127.0.0.1:")
        async with session.get(f"{url}api/v1/runs", ssl=trusting) as answer:
            assert answer.status == 200
        async with session.ws_connect(url + STREAM, ssl=trusting) as socket:
            await socket.send_bytes(msgpack.packb({"type": "want", "id": 1, "pages": []}))
            assert msgpack.unpackb(await socket.receive_bytes(timeout=5)) == {"type": "done", "id": 1}
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await session.get(f"{url}api/v1/runs")
        with pytest.raises(aiohttp.ClientError):
            await session.get(url.replace("https", "http"))


async def test_old_versions_of_tls_are_refused(site: Site, certificate: Certificate) -> None:
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    async with served(site, Settings(certificate=certificate)) as url, aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientError):
            await session.get(url, ssl=old)


async def open_connections(url: str, count: int) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, port = url.split("/")[2].split(":")
    return [await asyncio.open_connection(host, int(port)) for _ in range(count)]


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (Settings(max_connections_per_client=3), "you hold as many connections"),
        (Settings(max_connections=3), "this server holds as many connections"),
    ],
    ids=["of one client", "of all"],
)
async def test_connections_are_limited_also_those_that_say_nothing(
    site: Site, settings: Settings, complaint: str
) -> None:
    async with served(site, settings) as url:
        held = await open_connections(url, 3)
        ((reader, writer),) = await open_connections(url, 1)
        refusal = await asyncio.wait_for(reader.read(), 5)
        writer.close()
        head, _, body = refusal.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 429 ")
        error = json.loads(body)["error"]
        assert error["code"] == "too_many"
        assert complaint in error["message"]
        async with asyncio.timeout(5):
            held[0][1].close()
            await held[0][1].wait_closed()
            while True:  # until the server has noticed
                async with aiohttp.ClientSession() as session, session.get(f"{url}healthz") as answer:
                    if answer.status == 200:
                        break
        for _, other in held[1:]:
            other.close()


async def test_a_stream_is_a_connection(site: Site) -> None:
    settings = Settings(max_connections_per_client=2)
    async with (
        served(site, settings) as url,
        aiohttp.ClientSession() as session,
        session.ws_connect(url + STREAM),
        session.ws_connect(url + STREAM),
    ):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            await session.ws_connect(url + STREAM)
        assert refusal.value.status == 429


def test_the_default_limits_leave_room_for_two_hundred_viewers_on_one_machine() -> None:
    assert Settings().max_connections >= Settings().max_connections_per_client >= 200 * 4


async def test_the_settings_of_an_application_are_those_of_its_server(site: Site) -> None:
    settings = Settings(max_connections=7)
    assert make_app(site.registry(), settings=settings)[SETTINGS] is settings


async def test_a_client_that_never_ends_is_not_waited_for(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "DRAIN_TIMEOUT_S", 0.2)
    site.stores.make = lambda build: FakeStore(build, {key: page_bytes(key, 2_000_000) for key in small_pages()})
    site.add_run("run1", build="b1")
    listening = serving.bind("127.0.0.1", 0)
    url = serving.url_of(listening)
    held: list[asyncio.StreamWriter] = []

    async def begin_a_batch_and_stop() -> None:
        ((reader, writer),) = await open_connections(url, 1)
        body = json.dumps({"pages": small_pages()})
        head = f"POST /{STREAM.replace('stream', 'batch')} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}"
        writer.write(f"{head}\r\n\r\n{body}".encode())
        assert (await reader.read(12)).startswith(b"HTTP/1.1 200")
        held.append(writer)
        os.kill(os.getpid(), signal.SIGTERM)

    async with asyncio.timeout(5):
        await serving.run_until_signalled(make_app(site.registry()), listening, begin_a_batch_and_stop)
    held[0].transport.abort()
