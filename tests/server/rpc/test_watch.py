"""A run that is followed over gRPC while it is indexed, with jobs that do as they are told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tests.server.conftest import Site as Traces
from tests.server.fakes import FakeJobs, FakeStores
from tilescope.server.rpc import start
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.run import IndexProgress
from tilescope.server.services import Questions
from tilescope.server.settings import DEFAULTS
from tilescope.v1 import tiles_pb2 as pb


@dataclass
class Watched:
    traces: Traces
    registry: Registry
    tiles: Any


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    folder = tmp_path / "logs"
    folder.mkdir()
    stores = FakeStores(files_of=lambda store: list(folder.glob(f"{store.parent.name}.trace")))
    traces = Traces(folder, CacheDirectory(tmp_path / "cache"), stores, FakeJobs())
    traces.add_run("run1")
    registry = traces.registry()
    questions = Questions(registry)
    await registry.start()
    server, port = await start(registry, questions, DEFAULTS, 0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Watched(traces, registry, tiles_pb2_grpc.TilesStub(channel))
    await server.stop(None)
    await questions.close()
    await registry.close()


async def next_update(call: Any, kind: str) -> Any:
    """The next update of a kind; those before it are other news."""
    while True:
        update = await call.read()
        assert update is not grpc.aio.EOF
        if update.WhichOneof("update") == kind:
            return getattr(update, kind)


async def test_from_new_to_ready(watched: Watched) -> None:
    call = watched.tiles.Watch(pb.WatchRequest(run="run1", want_blocks=[3, 1]))
    assert (await next_update(call, "progress")).state == "new"
    run = await watched.registry.find("run1")
    watched.registry.request_index(run)
    jobs = watched.traces.jobs
    await jobs.begun("run1")
    while (progress := await next_update(call, "progress")).state != "indexing" or not progress.progress.events:
        pass
    assert (progress.progress.phase, progress.progress.fraction, progress.progress.events) == ("read", 0.25, 1000)
    assert not progress.progress.HasField("seconds_left")
    jobs.reports["run1"](IndexProgress("build", 0.5, 2000, seconds_left=1.5), ())
    while (progress := await next_update(call, "progress")).progress.phase != "build":
        pass
    assert progress.progress.seconds_left == 1.5
    await jobs.end("run1")
    assert (await next_update(call, "ready")).build == "b1"
    assert await call.read() == grpc.aio.EOF


async def test_a_failure_is_the_last_message(watched: Watched) -> None:
    watched.registry.request_index(await watched.registry.find("run1"))
    call = watched.tiles.Watch(pb.WatchRequest(run="run1"))
    await next_update(call, "progress")
    await watched.traces.jobs.end("run1", error="run1.trace: byte 17: it is damaged")
    assert (await next_update(call, "failed")).error == "run1.trace: byte 17: it is damaged"
    assert await call.read() == grpc.aio.EOF


async def test_a_run_that_is_not_there(watched: Watched) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await watched.tiles.Watch(pb.WatchRequest(run="nobody")).read()
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND


async def test_what_is_not_indexed_cannot_be_opened(watched: Watched) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await watched.tiles.Open(pb.OpenRequest(run="run1"))
    assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert dict(tuple(refused.value.trailing_metadata()))["tilescope-code"] == "not_indexed"
    assert "is not indexed yet" in refused.value.details()
