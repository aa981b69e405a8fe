"""Runs that are not indexed yet: the client has them indexed, by a real worker process, and watches."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestServer

from tests.client.conftest import GRPC_PORT, ServerFactory, serve
from tests.demo import DEMO_TRACE
from tilescope.client import AsyncClient, Client, Progress, Refused, Unreachable, connect, connect_async
from tilescope.client.local import LocalSource

pytestmark = pytest.mark.slow

GOOD, BAD = "good.xplane.pb", "bad.xplane.pb"


@pytest.fixture
async def server(tmp_path: Path, aiohttp_server: ServerFactory) -> TestServer:
    """Serves a trace and a damaged one, neither of them indexed."""
    logs = tmp_path / "logs"
    logs.mkdir()
    shutil.copy(DEMO_TRACE, logs / GOOD)
    damaged = bytearray(DEMO_TRACE.read_bytes())
    damaged[50_000:50_100] = b"\xff" * 100  # one that was cut off there would be read as far as it goes
    (logs / BAD).write_bytes(damaged)
    return await serve(logs, tmp_path, aiohttp_server)


@pytest.fixture(params=["http", "grpc"])
def url(request: pytest.FixtureRequest, server: TestServer) -> str:
    return f"{request.param}://127.0.0.1:{server.port if request.param == 'http' else server.app[GRPC_PORT]}"


@pytest.fixture
async def client(url: str) -> AsyncIterator[AsyncClient]:
    async with connect_async(url) as client:
        yield client


async def test_a_run_is_indexed_when_somebody_waits_for_it(client: AsyncClient) -> None:
    assert {run.state for run in await client.runs()} == {"new"}
    with pytest.raises(Refused, match="not indexed yet") as refused:
        await client.run(GOOD)
    assert refused.value.code == "not_indexed"
    run = await client.run(GOOD, wait=True)
    assert run.manifest["state"] == "ready"
    assert (await run.stats()).total.count > 0
    assert (await client.index(GOOD)).state == "ready"
    for _ in range(2):  # each time it is tried again
        with pytest.raises(Refused, match=r"bad\.xplane\.pb") as failed:
            await client.run(BAD, wait=True)
        assert failed.value.code == "bad_trace"


async def test_a_run_is_watched_from_new_to_ready(client: AsyncClient) -> None:
    news = [progress async for progress in client.watch(GOOD) if await _indexed_once(client, progress)]
    assert news[0] == Progress()
    assert [progress.fraction for progress in news] == sorted(progress.fraction for progress in news)
    middle = [progress for progress in news if progress.state == "indexing" and progress.phase != "start"]
    assert middle[-1].bytes_read == middle[-1].bytes_total == DEMO_TRACE.stat().st_size
    run = await client.run(GOOD)
    last = news[-1]
    assert (last.state, last.fraction, last.build, last.error) == ("ready", 1.0, run.build, None)
    assert [progress async for progress in client.watch(GOOD)] == [Progress().after(_ready(run.build))]


async def test_a_failure_ends_the_watch_and_says_why(client: AsyncClient) -> None:
    await client.index(BAD)
    last = [progress async for progress in client.watch(BAD)][-1]
    assert (last.state, last.build) == ("failed", None)
    assert last.error is not None
    assert BAD in last.error


async def test_a_watch_without_waiting_asynchronously(url: str) -> None:
    def follow() -> list[str]:
        with connect(url) as client:
            client.index(GOOD)
            return [progress.state for progress in client.watch(GOOD)]

    assert (await asyncio.to_thread(follow))[-1] == "ready"


async def test_a_server_that_goes_away_is_not_the_end_of_a_run(client: AsyncClient, server: TestServer) -> None:
    news = client.watch(GOOD)
    assert await anext(news) == Progress()
    await server.close()
    with pytest.raises(Unreachable):
        await anext(news)


LISTED: dict[str, Any] = {
    **dict.fromkeys(("id", "name", "path"), "a"),
    **dict.fromkeys(("error", "build", "progress")),
    **dict.fromkeys(("files", "size_bytes", "modified_ns"), "1"),
    "state": "new",
    "hosts": [],
    "notes": [],
}


def test_a_watch_can_be_interrupted() -> None:
    """Ctrl-C comes up as itself, also when what is watched takes a while to let go of."""
    ended: list[str] = []

    class Endless(LocalSource):
        def __init__(self) -> None:
            pass

        async def runs(self) -> list[dict[str, Any]]:
            return [LISTED]

        async def watch(self, run: str) -> AsyncGenerator[dict[str, Any], None]:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(60)  # until it is cancelled
                yield {}
            finally:
                await asyncio.sleep(0.05)  # nobody waits for this: it is what takes a while
                ended.append(run)

        async def close(self) -> None:
            pass

    with Client(AsyncClient(Endless())) as client:
        with pytest.raises(KeyboardInterrupt):
            next(client.watch("a"))
        assert ended == ["a"]


async def _indexed_once(client: AsyncClient, progress: Progress) -> bool:
    if progress == Progress():
        await client.index(GOOD)
    return True


def _ready(build: str) -> dict[str, Any]:
    return {"type": "ready", "build": build}
