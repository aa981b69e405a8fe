"""Servers that are not there, that want a token, or that show a certificate; stores that are not there."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
import trustme
from aiohttp import web
from aiohttp.test_utils import TestServer

import tilescope
from tests.client.conftest import GRPC_PORT, ServerFactory, is_open, serve
from tests.example import Example
from tests.pods import threads, write_pod
from tilescope.client import Refused, Unreachable, connect, connect_async
from tilescope.client.local import _open
from tilescope.server.guard.access import Access
from tilescope.server.guard.tls import Certificate
from tilescope.server.settings import Settings
from tilescope.tiler.errors import NoStore
from tilescope.tiler.shards.build import build_shards

TOKEN = "0123456789abcdef0123"


@pytest.mark.parametrize("transport", ["http", "grpc"])
async def test_nobody_there(unused_tcp_port: int, transport: str) -> None:
    async with connect_async(f"{transport}://127.0.0.1:{unused_tcp_port}") as client:
        with pytest.raises(Unreachable, match=str(unused_tcp_port)):
            await client.runs()


async def test_somebody_else_there(aiohttp_server: ServerFactory) -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(status=404, text="nothing here")

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with connect_async(str((await aiohttp_server(app)).make_url("/"))) as client:
        with pytest.raises(Unreachable, match="answered 404"):
            await client.runs()


def test_no_store_there(tmp_path: Path) -> None:
    with pytest.raises(NoStore, match="tilescope index"):
        tilescope.connect(tmp_path)


async def test_the_synchronous_client_is_the_same(example: Example, server: TestServer) -> None:
    def ask() -> None:
        with connect(str(server.make_url("/"))) as remote, connect(example.path) as local:
            there, here = remote.run(), local.run(example.path.name)
            assert there.tracks() == here.tracks()
            assert there.stats(0, 50_000).table.rows() == here.stats(0, 50_000).table.rows()
            assert there.find("op 7").table.rows() == here.find("op 7").table.rows()
            assert there.events(0, 9000).to_arrow().equals(here.events(0, 9000).to_arrow())
            assert there.view(0, 90_000, 500).bins.rows() == here.view(0, 90_000, 500).bins.rows()
            assert there.event(1, 5) == here.event(1, 5)
            batches = there.event_batches()
            first = next(batches)
            batches.close()
            assert first["name"].tolist() == there.events()["name"].tolist()[: len(first)]

    await asyncio.to_thread(ask)


def test_a_store_is_opened_once_however_many_clients_read_it(example: Example) -> None:
    with connect(example.path) as one, connect(example.path) as two:
        first, second = one.run(), two.run()
        one.close()
        with pytest.raises(RuntimeError, match="closed"):
            first.stats()
        assert second.stats().total.count > 0
    with connect(example.path) as again:
        assert again.run().build == second.build


def test_a_folder_of_shards_is_one_run(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)
    build_shards(files, tmp_path / "run", threads, progress=lambda _: None)
    with connect(tmp_path / "run") as client, connect(tmp_path / "run") as other:
        run = client.run()
        assert run.stats().total.count == other.run().stats().total.count > 0
        assert run.build == other.run().build
        assert len(_open) == 1
    assert not _open


def test_a_client_that_is_forgotten_closes_itself(example: Example, tmp_path: Path) -> None:
    store = Path(shutil.copytree(example.path, tmp_path / "run.store"))
    run = connect(store).run()
    assert run.stats().total.count > 0
    assert is_open(store)
    del run
    assert not is_open(store)


@pytest.fixture
async def guarded(example: Example, tmp_path: Path, aiohttp_server: ServerFactory) -> TestServer:
    """A server that demands a token and shows a certificate."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    issued = authority.issue_cert("127.0.0.1")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    for part in issued.cert_chain_pems:
        part.write_to_path(tmp_path / "chain.pem", append=True)
    certificate = Certificate(tmp_path / "chain.pem", tmp_path / "key.pem")
    settings = Settings(access=Access(TOKEN), certificate=certificate)
    served = shutil.copytree(example.path, tmp_path / example.path.name)
    return await serve(served, tmp_path, aiohttp_server, settings)


def url_of(server: TestServer, transport: str) -> str:
    port = server.port if transport == "https" else server.app[GRPC_PORT]
    return f"{transport}://127.0.0.1:{port}"


@pytest.mark.parametrize("transport", ["https", "grpcs"])
async def test_a_token_and_a_certificate(guarded: TestServer, tmp_path: Path, transport: str) -> None:
    url, ca_file = url_of(guarded, transport), str(tmp_path / "ca.pem")
    for address, token in ((url, TOKEN), (f"{url}?token={TOKEN}", None)):
        async with connect_async(address, token=token, ca_file=ca_file) as client:
            run = await client.run()
            assert (await run.stats()).total.count > 0
            assert len(await run.events(0, 5000)) > 0
    for token, words in ((None, "requires a token"), ("another token of that length", "the token is wrong")):
        async with connect_async(url, token=token, ca_file=ca_file) as client:
            with pytest.raises(Refused, match=words) as refused:
                await client.runs()
            assert refused.value.code == "unauthorized"


@pytest.mark.parametrize("transport", ["https", "grpcs"])
async def test_a_certificate_that_nobody_vouches_for(guarded: TestServer, transport: str) -> None:
    async with connect_async(url_of(guarded, transport), token=TOKEN) as client:
        with pytest.raises(Unreachable, match=r"(?i)certificate|handshake|connect"):
            await client.runs()
