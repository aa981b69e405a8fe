"""The same store, without a server and behind one, over HTTP and gRPC."""

from __future__ import annotations

import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.example import Example, random_events
from tilescope.client import AsyncClient, AsyncRun, connect_async, local
from tilescope.server.app import make_app
from tilescope.server.rpc import beside_http
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store

GRPC_PORT = web.AppKey("grpc_port", int)
ServerFactory = Callable[..., Awaitable[TestServer]]


def is_open(store: Path) -> bool:
    """True if a client of this process has the store open."""
    return any(folder.parent == store.resolve() for folder in local._open)


@pytest.fixture(scope="package")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    example = Example(tmp_path_factory.mktemp("client"), random_events(random.Random(5)))
    example.store.close()
    return example


@pytest.fixture
async def server(example: Example, tmp_path: Path, aiohttp_server: ServerFactory) -> TestServer:
    """Serves a copy of the store: LMDB opens no file twice in a process, and the local client reads the original."""
    return await serve(shutil.copytree(example.path, tmp_path / example.path.name), tmp_path, aiohttp_server)


async def serve(store: Path, folder: Path, aiohttp_server: ServerFactory, settings: Settings = DEFAULTS) -> TestServer:
    """A server over a store, with gRPC beside HTTP."""
    registry = Registry([store], CacheDirectory(folder / "cache"), OpenStores(open_run_store), discover)
    app = make_app(registry, settings=settings)

    def note(port: int) -> None:
        app[GRPC_PORT] = port

    app.cleanup_ctx.append(beside_http(0, note))
    tls = None if settings.certificate is None else settings.certificate.context()
    return await aiohttp_server(app, ssl=tls)


@pytest.fixture
def addresses(example: Example, server: TestServer) -> dict[str, str]:
    """How to reach the same store by every way there is."""
    return {
        "local": str(example.path),
        "http": str(server.make_url("/")),
        "grpc": f"grpc://127.0.0.1:{server.app[GRPC_PORT]}",
    }


@pytest.fixture(params=["local", "http", "grpc"])
async def client(request: pytest.FixtureRequest, addresses: dict[str, str]) -> AsyncIterator[AsyncClient]:
    async with connect_async(addresses[request.param]) as client:
        yield client


@pytest.fixture
async def run(client: AsyncClient) -> AsyncRun:
    return await client.run()
