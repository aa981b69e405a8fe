"""What every call passes: how many connections there may be, and what is written down, of a server as it is started."""

from __future__ import annotations

import asyncio
import gc
import json
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
from aiohttp import web
from grpc_health.v1 import health_pb2, health_pb2_grpc

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tests.server.nginx import needs_nginx, nginx_before_grpc
from tests.server.rpc.refusals import refusal
from tests.server.test_serving import open_connections
from tilescope.server import serving
from tilescope.server.access_log import access_log
from tilescope.server.app import make_app
from tilescope.server.guard.access import Access
from tilescope.server.rpc import beside_http, gate
from tilescope.server.rpc import serving as rpc_serving
from tilescope.server.rpc.peers import client_of
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.v1 import tiles_pb2 as pb

TOKEN = "correct-horse-battery-staple"
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"  # of HTTP/2, with its first frame
PATH = "/tilescope.v1.Tiles/"


@dataclass
class Served:
    """A server of both kinds."""

    url: str
    grpc_port: int
    run: str
    build: str

    @asynccontextmanager
    async def held(self, port: int | None = None) -> AsyncIterator[Any]:
        """A stream on a connection of its own that has begun, to be cancelled."""
        async with channel(self.grpc_port if port is None else port) as tiles:
            call = tiles.Pages()
            await call.write(pb.PagesRequest(start=pb.PagesStart(run=self.run, build=self.build)))
            await call.write(pb.PagesRequest(want=pb.Want(id=1)))
            assert (await call.read()).done.id == 1
            yield call
            call.cancel()


@asynccontextmanager
async def channel(port: int) -> AsyncIterator[Any]:
    """A connection of its own, and what is called on it."""
    async with grpc.aio.insecure_channel(
        f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1)]
    ) as connection:
        yield tiles_pb2_grpc.TilesStub(connection)


@pytest.fixture
def settings() -> Settings:
    return DEFAULTS


@pytest.fixture
async def served(demo_store: Path, tmp_path: Path, settings: Settings) -> AsyncIterator[Served]:
    copy = shutil.copytree(demo_store, tmp_path / "served.store")
    registry = Registry([copy], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    app = make_app(registry, settings=settings)
    ports: list[int] = []
    app.cleanup_ctx.append(beside_http(0, ports.append))
    listening = serving.bind("127.0.0.1", 0)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    server = await serving.listen(runner, listening)
    (status,) = await registry.list_runs()
    yield Served(serving.url_of(listening, settings), ports[0], status.run.id, status.build or "")
    server.close()
    await runner.cleanup()


async def answered(port: int) -> None:
    """Until the server has noticed that another connection is gone."""
    async with asyncio.timeout(5):
        while True:
            async with channel(port) as tiles:
                if await tiles.ListRuns(pb.ListRunsRequest()).code() is grpc.StatusCode.OK:
                    return
            gc.collect()  # an error of a call keeps the call, and that its connection, in a cycle


async def metrics(url: str) -> str:
    """As soon as the server has noticed that another connection is gone."""
    async with asyncio.timeout(5):
        while True:
            async with aiohttp.ClientSession() as session, session.get(f"{url}metrics") as answer:
                if answer.status == HTTPStatus.OK:
                    return await answer.text()


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (Settings(max_connections_per_client=3), "you hold as many connections"),
        (Settings(max_connections=3), "this server holds as many connections"),
    ],
    ids=["of one client", "of all"],
)
async def test_connections_of_http_and_grpc_are_limited_together(served: Served, complaint: str) -> None:
    ((answers, http),) = await open_connections(served.url, 1)
    http.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await answers.readuntil(b"\r\n\r\n")  # it is inside
    async with served.held(), served.held() as second:
        async with channel(served.grpc_port) as tiles:
            code, name, message = await refusal(tiles.ListRuns(pb.ListRunsRequest()))
        assert (code, name) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "too_many")
        assert complaint in message
        async with aiohttp.ClientSession() as session, session.get(f"{served.url}healthz") as answer:
            assert answer.status == 429
            assert complaint in (await answer.json())["error"]["message"]
        second.cancel()
        await answered(served.grpc_port)
        assert "tilescope_connections 3.0" in await metrics(served.url)
    http.close()


@pytest.mark.parametrize("settings", [Settings(max_connections_per_client=1)])
async def test_calls_of_one_connection_are_one_connection(served: Served) -> None:
    async with channel(served.grpc_port) as tiles:
        await asyncio.gather(*(tiles.ListRuns(pb.ListRunsRequest()) for _ in range(20)))


def opened(port: int) -> Any:
    return open_connections(f"http://127.0.0.1:{port}/", 1)


@pytest.mark.parametrize("settings", [Settings(max_connections=2)])
async def test_connections_that_call_nothing_are_limited_too(served: Served) -> None:
    held = [(await opened(served.grpc_port))[0] for _ in range(3)]
    ends = [asyncio.create_task(ended(reader)) for reader, _ in held]
    done, others = await asyncio.wait(ends, timeout=5, return_when=asyncio.FIRST_COMPLETED)
    assert (len(done), len(others)) == (1, 2)  # whichever of them came last
    for end in others:
        end.cancel()
    for _, writer in held:
        writer.close()


async def ended(reader: asyncio.StreamReader) -> None:
    """Until the server has closed a connection."""
    with suppress(ConnectionError):
        while await reader.read(100):
            pass


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that waits for half a second where it waits for a minute."""
    options = {name: 500 if name in _PATIENCE else value for name, value in rpc_serving._OPTIONS}
    monkeypatch.setattr(rpc_serving, "_OPTIONS", tuple(options.items()))


_PATIENCE = ("grpc.server_handshake_timeout_ms", "grpc.max_connection_idle_ms")


@pytest.mark.parametrize("greeting", [b"", GREETING])
async def test_who_calls_nothing_is_sent_away(impatient: None, served: Served, greeting: bytes) -> None:
    ((reader, writer),) = await opened(served.grpc_port)
    writer.write(greeting)
    async with asyncio.timeout(10):
        while await reader.read(1000):
            pass
    writer.close()


async def test_a_client_that_was_sent_away_comes_back_by_itself(impatient: None, served: Served) -> None:
    options = [("grpc.use_local_subchannel_pool", 1)]
    address = f"127.0.0.1:{served.grpc_port}"
    async with served.held() as call, grpc.aio.insecure_channel(address, options=options) as connection:
        for _ in range(3):
            await tiles_pb2_grpc.TilesStub(connection).ListRuns(pb.ListRunsRequest())
            async with asyncio.timeout(10):
                await connection.wait_for_state_change(grpc.ChannelConnectivity.READY)
        await call.write(pb.PagesRequest(want=pb.Want(id=2)))
        assert (await call.read()).done.id == 2  # who has a call stays, however quiet it is


def test_the_address_of_a_peer() -> None:
    assert client_of("ipv4:192.0.2.7:4711") == "192.0.2.7"
    assert client_of("ipv6:%5B2001:db8::1%5D:80") == "2001:db8::1"


async def lines_of(file: Path, count: int) -> list[dict[str, Any]]:
    """So many lines, without what differs from time to time."""
    async with asyncio.timeout(5):
        while len(lines := [json.loads(line) for line in file.read_text().splitlines()]) < count:
            await asyncio.sleep(0.01)  # until the server has seen the end of the last call
    for line in lines:
        assert 0 <= line.pop("ms") < 10_000
        assert line.pop("time").startswith("20")
        assert line.pop("agent").startswith("grpc-python")
        assert line.pop("client") == "127.0.0.1"
        assert line.pop("method") == "gRPC"
    return lines


async def test_each_call_is_one_line_with_what_was_sent(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless(*_arguments: object) -> AsyncGenerator[bytes, None]:
        while True:
            yield b""

    monkeypatch.setattr("tilescope.server.rpc.view.responses", endless)
    run, build = served.run, served.build
    with access_log(tmp_path / "log"):
        async with channel(served.grpc_port) as tiles:
            listed = await tiles.ListRuns(pb.ListRunsRequest())
            await refusal(tiles.Open(pb.OpenRequest(run="nobody")))
            batches = [batch async for batch in tiles.Events(pb.EventsRequest(run=run, build=build))]
            await refusal(
                tiles.Ask(pb.AskRequest(run=run, build=build, tool="stats", question=b'{"limit": 70000}')).read()
            )
            await lines_of(tmp_path / "log", 4)  # calls on their way side by side end in any order
            call = tiles.View(pb.ViewRequest(run=run, build=build))
            await call.read()
            call.cancel()
        await lines_of(tmp_path / "log", 5)
        async with grpc.aio.insecure_channel(f"127.0.0.1:{served.grpc_port}") as connection:
            assert (await refusal(connection.unary_unary("/any/thing")(b"")))[0] is grpc.StatusCode.UNIMPLEMENTED
            await health_pb2_grpc.HealthStub(connection).Check(health_pb2.HealthCheckRequest())
        lines = await lines_of(tmp_path / "log", 7)
    assert len(batches) > 3
    assert [(line["path"], line["status"], line["bytes"]) for line in lines] == [
        (f"{PATH}ListRuns", 200, listed.ByteSize()),
        (f"{PATH}Open", 404, 0),
        (f"{PATH}Events", 200, sum(batch.ByteSize() for batch in batches)),
        (f"{PATH}Ask", 400, 0),
        (f"{PATH}View", 499, 0),
        ("/any/thing", 404, 0),
        ("/grpc.health.v1.Health/Check", 200, 2),
    ]


@pytest.mark.parametrize("settings", [Settings(access=Access(TOKEN))])
async def test_who_has_no_token_is_written_down_and_no_token_is(served: Served, tmp_path: Path) -> None:
    with access_log(tmp_path / "log"):
        async with channel(served.grpc_port) as tiles:
            assert (await refusal(tiles.ListRuns(pb.ListRunsRequest())))[1] == "unauthorized"
            await tiles.ListRuns(pb.ListRunsRequest(), metadata=(("authorization", f"Bearer {TOKEN}"),))
        lines = await lines_of(tmp_path / "log", 2)
    assert [(line["path"], line["status"]) for line in lines] == [(f"{PATH}ListRuns", 401), (f"{PATH}ListRuns", 200)]
    assert TOKEN not in (tmp_path / "log").read_text()


@needs_nginx
@pytest.mark.parametrize("settings", [Settings(max_connections_per_client=2)])
async def test_behind_nginx(served: Served, tmp_path: Path) -> None:
    """The proxy is one client, however many there are before it, and passes streams on while they are open."""
    with access_log(tmp_path / "log"), nginx_before_grpc(served.grpc_port, tmp_path / "nginx") as port:
        async with served.held(port), served.held(port), channel(port) as tiles:
            assert (await refusal(tiles.ListRuns(pb.ListRunsRequest())))[:2] == (
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "too_many",
            )
        lines = await lines_of(tmp_path / "log", 3)
    assert sorted(line["path"] for line in lines) == [f"{PATH}ListRuns", f"{PATH}Pages", f"{PATH}Pages"]
    assert [line["status"] for line in lines if line["path"] == f"{PATH}ListRuns"] == [429]


@pytest.mark.parametrize("call", ["ListRuns", "Ask", "Events", "Pages", "/any/thing"])
async def test_a_message_that_cannot_be_read_is_an_invalid_argument(served: Served, call: str) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{served.grpc_port}") as connection:
        path = call if call.startswith("/") else PATH + call
        code, name, message = await refusal(connection.unary_unary(path)(b"\xff\xff\xff"))
    if call == "/any/thing":
        assert code is grpc.StatusCode.UNIMPLEMENTED
        return
    assert (code, name) == (grpc.StatusCode.INVALID_ARGUMENT, "bad_message")
    assert message == "the message cannot be parsed: it is not of the type that this call takes"


@pytest.mark.parametrize("call", ["ListRuns", "Pages"])
async def test_a_call_that_sends_no_message_has_a_deadline(
    served: Served, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.setattr(gate, "FIRST_MESSAGE_S", 0.1)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{served.grpc_port}") as connection:
        silent = connection.stream_stream(PATH + call)()
        async with asyncio.timeout(10):
            assert await silent.code() is grpc.StatusCode.ABORTED
        assert dict(tuple(await silent.trailing_metadata()))["tilescope-code"] == "too_slow"


@pytest.mark.parametrize("settings", [Settings(access=Access(TOKEN))])
async def test_the_token_is_asked_for_before_a_message_has_come(served: Served) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{served.grpc_port}") as connection:
        silent = connection.stream_stream(f"{PATH}ListRuns")()
        async with asyncio.timeout(5):
            assert await silent.code() is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize("settings", [Settings(max_questions_per_client=1)])
async def test_questions_of_one_client_are_limited_over_http_and_grpc_together(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless(*_arguments: object) -> AsyncGenerator[pb.EventBatch, None]:
        while True:
            yield pb.EventBatch(value=[0.0] * 10_000)

    monkeypatch.setattr("tilescope.server.rpc.events.batches", endless)
    of_build: dict[str, Any] = {"run": served.run, "build": served.build}
    stats = f"{served.url}api/v1/runs/{served.run}/builds/{served.build}/tools/stats"
    async with channel(served.grpc_port) as tiles, aiohttp.ClientSession() as session:
        call = tiles.Events(pb.EventsRequest(**of_build))
        await call.read()
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await tiles.Ask(pb.AskRequest(tool="stats", **of_build)).read()
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        metadata = dict(tuple(refused.value.trailing_metadata()))
        assert (metadata["tilescope-code"], metadata["retry-after"]) == ("too_many", "1")
        async with session.get(stats) as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (429, "1")
            assert (await answer.json())["error"]["code"] == "too_many"
        async with session.get(f"{served.url}metrics") as answer:
            metrics = await answer.text()
        assert "tilescope_refused_questions_total 2.0" in metrics
        assert "tilescope_questions 1.0" in metrics
        call.cancel()
        async with asyncio.timeout(10):
            while True:  # until the server knows that the call has ended
                async with session.get(stats) as answer:
                    if answer.status == 200:
                        return
