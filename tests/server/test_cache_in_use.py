"""The cache directory beside a real server: its size, and traces that change while it serves them."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tests.server.conftest import Client
from tilescope.server.app import make_app
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers import discover
from tilescope.tiler.store import is_store, open_run_store

pytestmark = pytest.mark.slow

ClientFactory = Callable[..., Awaitable[Client]]


def registry_of(logs: Path, cache: CacheDirectory) -> Registry:
    return Registry([logs], cache, OpenStores(open_run_store), discover, index_all=True, rescan_interval_s=0)


async def builds_of(client: Client, besides: set[str] = frozenset()) -> dict[str, str]:  # type: ignore[assignment]
    """The build of each run, when all are ready and none is one of `besides`."""
    async with asyncio.timeout(60):
        while True:
            runs = (await (await client.get("/api/v1/runs")).json())["runs"]
            if all(run["state"] == "ready" and run["build"] not in besides for run in runs):
                return {run["id"]: run["build"] for run in runs}
            assert not any(run["state"] == "failed" for run in runs), runs
            await asyncio.sleep(0.02)


async def test_a_full_cache_keeps_what_is_served_and_loses_the_rest(
    tmp_path: Path, aiohttp_client: ClientFactory
) -> None:
    cache = CacheDirectory(tmp_path / "cache", capacity_bytes=1)
    unused = cache.root / "another-run" / "1"
    build_store([DEMO_TRACE], unused)
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in ("a", "b"):
        shutil.copy(DEMO_TRACE, logs / f"{name}.xplane.pb")
    client = await aiohttp_client(make_app(registry_of(logs, cache)))
    runs = await builds_of(client)
    for run, build in runs.items():
        assert (await client.get(f"/api/v1/runs/{run}/builds/{build}/tracks")).status == 200
    await client.close()  # ends what was being cleared up, too
    assert not unused.exists()
    assert len([store for store in cache.stores() if is_store(store)]) == len(runs)


async def test_a_trace_that_changes_is_indexed_again_and_its_old_store_goes(
    tmp_path: Path, aiohttp_client: ClientFactory
) -> None:
    cache, trace = CacheDirectory(tmp_path / "cache"), tmp_path / "a.xplane.pb"
    shutil.copy(DEMO_TRACE, trace)
    client = await aiohttp_client(make_app(registry_of(trace, cache)))
    ((run, first),) = (await builds_of(client)).items()
    stat = trace.stat()

    trace.write_bytes(DEMO_TRACE.read_bytes().replace(b"/host:CPU", b"/host:XPU"))
    os.utime(trace, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # same size, same time
    second = (await builds_of(client, {first}))[run]
    (store,) = cache.stores()

    os.utime(trace, ns=(stat.st_atime_ns, stat.st_mtime_ns + 10**9))
    third = (await builds_of(client, {first, second}))[run]
    assert len({first, second, third}) == 3
    await client.close()
    assert not store.exists()
    assert len(cache.stores()) == 1


async def test_a_store_that_nobody_looks_at_any_more_may_be_removed(
    tmp_path: Path, aiohttp_client: ClientFactory
) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    trace = tmp_path / "a.xplane.pb"
    shutil.copy(DEMO_TRACE, trace)
    stores = OpenStores(open_run_store, idle_s=0.2)
    registry = Registry([trace], cache, stores, discover, index_all=True, rescan_interval_s=0)
    client = await aiohttp_client(make_app(registry))
    ((run, build),) = (await builds_of(client)).items()
    tracks = f"/api/v1/runs/{run}/builds/{build}/tracks"
    assert (await client.get(tracks)).status == 200
    (store,) = cache.stores()
    assert cache.discard([store], dry_run=True) == []  # in use
    async with asyncio.timeout(10):
        while not cache.discard([store], dry_run=True):
            await asyncio.sleep(0.02)
            await builds_of(client)  # a page that lists the runs uses none of them
    assert (await client.get(tracks)).status == 200
    assert cache.discard([store], dry_run=True) == []
