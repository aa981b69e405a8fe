"""A gRPC server over a real store, and a channel to it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tests.demo import DEMO_TRACE
from tilescope.server.rpc import start
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.services import Questions
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers import discover
from tilescope.tiler.store import RunStore, open_run_store


@dataclass
class Site:
    """What a test talks to."""

    address: str
    channel: Any
    tiles: Any  # TilesStub
    store: RunStore  # a copy of the store that is served
    run: str = ""
    build: str = ""


@pytest.fixture(scope="package")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.store"
    build_store([DEMO_TRACE], path)
    return path


@pytest.fixture
def settings() -> Settings:
    return DEFAULTS


@pytest.fixture
async def site(demo_store: Path, tmp_path: Path, settings: Settings) -> AsyncIterator[Site]:
    served = shutil.copytree(demo_store, tmp_path / "served.store")  # LMDB opens no file twice in a process
    registry = Registry([served], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    questions = Questions(registry)
    await registry.start()
    server, port = await start(registry, questions, settings, 0)
    store = open_run_store(demo_store)
    (status,) = await registry.list_runs()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = tiles_pb2_grpc.TilesStub(channel)
        yield Site(f"127.0.0.1:{port}", channel, stub, store, status.run.id, status.build or "")
    await server.stop(None)
    await questions.close()
    await registry.close()
    store.close()
