"""A server that says to ask again later is asked again, a few times."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest
from aiohttp import web

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tilescope.client.errors import Refused
from tilescope.client.http import HttpSource
from tilescope.client.retries import TRIES, wait_s
from tilescope.client.rpc import GrpcSource
from tilescope.client.source import Source
from tilescope.v1 import tiles_pb2 as pb

Server = Callable[..., Awaitable[Any]]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited, which takes no time."""
    waits: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        waits.append(seconds)
        await sleep(0)

    for module in ("http", "rpc"):
        monkeypatch.setattr(f"tilescope.client.{module}.asyncio.sleep", noted)
    return waits


class Busy:
    """Lists no runs, and says so after it has refused so many times."""

    def __init__(self) -> None:
        self.refusals = 0

    async def over_http(self, _request: web.Request) -> web.Response:
        if self.refusals:
            self.refusals -= 1
            error = {"error": {"code": "too_many", "message": "wait for an answer"}}
            return web.json_response(error, status=429, headers={"Retry-After": "3"})
        return web.json_response({"runs": []})

    async def ListRuns(self, _request: pb.ListRunsRequest, context: Any) -> pb.ListRunsResponse:  # noqa: N802
        if self.refusals:
            self.refusals -= 1
            metadata = (("tilescope-code", "too_many"), ("retry-after", "3"))
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "wait for an answer", metadata)
        return pb.ListRunsResponse()


@pytest.fixture
def busy() -> Busy:
    return Busy()


@pytest.fixture(params=["http", "grpc"])
async def source(request: pytest.FixtureRequest, busy: Busy, aiohttp_server: Server) -> AsyncIterator[Source]:
    source: HttpSource | GrpcSource
    if request.param == "http":
        app = web.Application()
        app.router.add_get("/api/v1/runs", busy.over_http)
        source = HttpSource(str((await aiohttp_server(app)).make_url("/")))
        yield source
        await source.close()
        return
    server = grpc.aio.server()

    class Service(tiles_pb2_grpc.TilesServicer):  # type: ignore[misc]  # grpc has no type hints
        ListRuns = busy.ListRuns

    tiles_pb2_grpc.add_TilesServicer_to_server(Service(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    source = GrpcSource(f"grpc://127.0.0.1:{port}")
    yield source
    await source.close()
    await server.stop(None)


async def test_a_client_waits_as_long_as_it_was_told(source: Source, busy: Busy, waits: list[float]) -> None:
    busy.refusals = 2
    assert await source.runs() == []
    assert waits == [3, 3]


async def test_a_refusal_that_stays_is_told(source: Source, busy: Busy, waits: list[float]) -> None:
    busy.refusals = 99
    with pytest.raises(Refused, match="wait for an answer") as refused:
        await source.runs()
    assert refused.value.code == "too_many"
    assert (busy.refusals, len(waits)) == (99 - TRIES, TRIES - 1)


@pytest.mark.parametrize(
    ("tries", "told", "expected"),
    [(1, None, 1), (1, "0", 0), (5, "3", 3), (1, "86400", 10), (1, "Wed, 21 Oct 2026 07:28:00 GMT", 1), (6, "1", None)],
)
def test_how_long_to_wait(tries: int, told: str | None, expected: float | None) -> None:
    assert wait_s(tries, told) == expected
