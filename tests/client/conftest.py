"""The same store, without a server and behind one."""

from __future__ import annotations

import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer

from tests.example import Example, random_events
from tilescope.client import AsyncClient, AsyncRun, connect_async
from tilescope.server.app import make_app
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store

ServerFactory = Callable[..., Awaitable[TestServer]]


@pytest.fixture(scope="package")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    example = Example(tmp_path_factory.mktemp("client"), random_events(random.Random(5)))
    example.store.close()
    return example


@pytest.fixture
async def server(example: Example, tmp_path: Path, aiohttp_server: ServerFactory) -> TestServer:
    """Serves a copy of the store: LMDB opens no file twice in a process, and the local client reads the original."""
    served = shutil.copytree(example.path, tmp_path / example.path.name)
    registry = Registry([served], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    return await aiohttp_server(make_app(registry))


@pytest.fixture(params=["local", "http"])
async def client(request: pytest.FixtureRequest, example: Example, server: TestServer) -> AsyncIterator[AsyncClient]:
    async with connect_async(example.path if request.param == "local" else str(server.make_url("/"))) as client:
        yield client


@pytest.fixture
async def run(client: AsyncClient) -> AsyncRun:
    return await client.run()
