"""Servers that are not there, that want a token, or that show a certificate; stores that are not there."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trustme
from aiohttp import web
from aiohttp.test_utils import TestServer

import tilescope
from tests.example import Example
from tilescope.client import Refused, Unreachable, connect, connect_async, local
from tilescope.tiler.errors import NoStore

ServerFactory = Callable[..., Awaitable[TestServer]]


async def test_nobody_there(unused_tcp_port: int) -> None:
    async with connect_async(f"http://127.0.0.1:{unused_tcp_port}") as client:
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
            assert there.name_texts(first.name.tolist())

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


def test_a_client_that_is_forgotten_closes_itself(example: Example) -> None:
    run = connect(example.path).run()
    assert run.stats().total.count > 0
    del run
    assert not local._open


@pytest.mark.parametrize("by_url", [True, False])
async def test_a_token(aiohttp_server: ServerFactory, by_url: bool) -> None:
    token = "0123456789abcdef0123"
    seen: list[str | None] = []

    @web.middleware
    async def demand(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        seen.append(request.headers.get("Authorization"))
        if seen[-1] != f"Bearer {token}":
            error = {"error": {"code": "unauthorized", "message": "this server demands its token"}}
            return web.json_response(error, status=401)
        return await handler(request)

    async def runs(_request: web.Request) -> web.Response:
        return web.json_response({"runs": []})

    app = web.Application(middlewares=[demand])
    app.router.add_get("/api/v1/runs", runs)
    url = str((await aiohttp_server(app)).make_url("/"))
    async with connect_async(f"{url}?token={token}" if by_url else url, token=None if by_url else token) as client:
        assert await client.runs() == []
    async with connect_async(url) as client:
        with pytest.raises(Refused, match="demands its token") as refused:
            await client.runs()
        assert refused.value.code == "unauthorized"


async def test_a_certificate_is_verified(tmp_path: Path, aiohttp_server: ServerFactory) -> None:
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")

    async def runs(_request: web.Request) -> web.Response:
        return web.json_response({"runs": []})

    app = web.Application()
    app.router.add_get("/api/v1/runs", runs)
    server = await aiohttp_server(app, ssl=context)
    url = str(server.make_url("/")).replace("http:", "https:")
    async with connect_async(url, ca_file=str(tmp_path / "ca.pem")) as client:
        assert await client.runs() == []
    async with connect_async(url) as client:
        with pytest.raises(Unreachable, match="certificate"):
            await client.runs()
