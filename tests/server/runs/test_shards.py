"""A folder of shards is a run of the server, and another build when a shard is added."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient

from tests.pods import threads, write_pod
from tilescope.server.app import make_app
from tilescope.server.runs import remote_opening
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.remote_opening import RemoteOpening
from tilescope.server.runs.sources import find_runs
from tilescope.tiler.errors import NotBuilt, StoreError
from tilescope.tiler.mount import MountedStore, open_run
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.shards.folder import shard_path
from tilescope.tiler.shards.sharded_run import read_sharded_run
from tilescope.tiler.store.store import Store


def build(files: list[Path], folder: Path) -> None:
    build_shards(files, folder, threads, progress=lambda _: None)


def test_a_folder_of_shards_is_one_run(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, events=500)
    build(files, tmp_path / "run")
    (run,) = find_runs([tmp_path / "run"], CacheDirectory(tmp_path / "cache"), lambda _: [])
    assert (run.name, run.store) == ("run", tmp_path / "run")
    with closing(OpenStores(open_run)) as stores:
        first = stores.current_build(tmp_path / "run")
        assert stores.current_manifest(tmp_path / "run").hosts == ["synthetic", "synthetic (2)", "synthetic (3)"]
        assert stores.opener(is_growing=False)(tmp_path / "run", first).build == first
        build(files[:2], tmp_path / "run")
        assert stores.current_build(tmp_path / "run") != first
        assert stores.current_manifest(tmp_path / "run").hosts == ["synthetic", "synthetic (2)"]


async def test_a_host_that_comes_back_is_looked_for_again(
    tmp_path: Path, aiohttp_client: Callable[[web.Application], Awaitable[TestClient[web.Request, web.Application]]]
) -> None:
    folder = tmp_path / "run"
    build(write_pod(tmp_path / "pod", hosts=2, events=300), folder)
    shard = shard_path(folder, read_sharded_run(folder).shards[1].name)
    shard.rename(tmp_path / "aside")
    registry = Registry([folder], CacheDirectory(tmp_path / "cache"), OpenStores(open_run), lambda _: [])
    client = await aiohttp_client(make_app(registry))
    (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
    path = f"/api/v1/runs/{run['id']}"
    manifest = await (await client.get(f"{path}/manifest")).json()
    assert [missing["name"] for missing in manifest["missing"]] == ["host1.xplane.pb"]
    (tmp_path / "aside").rename(shard)
    assert (await (await client.get(f"{path}/manifest")).json())["build"] == manifest["build"]
    answer = await client.post(f"{path}/index")
    assert answer.status == 200
    assert (await answer.json())["build"] != manifest["build"]
    assert (await (await client.get(f"{path}/manifest")).json())["missing"] == []


def test_hosts_that_were_late_are_another_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    build(write_pod(tmp_path / "pod", hosts=2, events=300), folder)
    is_there = threading.Event()
    with closing(OpenStores(open_run)) as stores:
        store = stores.current(folder)
        assert isinstance(store, MountedStore)
        monkeypatch.setattr(store, "has_late_shards", is_there.is_set)
        assert stores.current_build(folder) == store.build
        assert stores.current(folder) is store
        is_there.set()
        stores.current_build(folder)
        assert stores.current(folder) is not store


async def test_a_run_of_shards_is_opened_in_a_thread(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    files = write_pod(tmp_path / "pod", hosts=2, events=300)
    build(files, folder)
    threads_of_opening = []

    def watched(path: Path) -> Store:
        threads_of_opening.append(threading.current_thread())
        return open_run(path)

    opening = RemoteOpening(watched)
    with closing(OpenStores(opening.open)) as stores, closing(opening):
        await opening.prepare([folder])
        first = stores.current_build(folder)
        await opening.prepare([folder])  # nobody takes it before the run is another
        build(files[:1], folder)
        with pytest.raises(NotBuilt, match="still being opened"):
            stores.current_build(folder)
        await opening.prepare([folder])
        second = stores.current_build(folder)
        assert second != first
        assert stores.current_manifest(folder).hosts == ["synthetic"]
    assert [thread is threading.main_thread() for thread in threads_of_opening] == [False, False, False]


async def test_what_is_open_is_there_until_it_is_opened_anew(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    build(write_pod(tmp_path / "pod", hosts=2, events=300), folder)
    shard = shard_path(folder, read_sharded_run(folder).shards[1].name)
    shard.rename(tmp_path / "aside")
    gate = threading.Event()
    gate.set()

    def gated(path: Path) -> Store:
        gate.wait()
        return open_run(path)

    opening = RemoteOpening(gated)
    with closing(OpenStores(opening.open)) as stores, closing(opening):
        await opening.prepare([folder])
        first = stores.current(folder)
        (tmp_path / "aside").rename(shard)
        gate.clear()
        stores.look_again(folder)
        assert not stores.is_open(folder)
        assert stores.current(folder) is first
        assert stores.current_build(folder) == first.build
        with stores.lease(folder, first.build) as leased:
            gate.set()
            await opening.prepare([folder])
            second = stores.current(folder)
            assert leased.manifest()["missing"]  # whoever reads it goes on
        assert second.build != first.build
        assert stores.current_manifest(folder).missing == []
        assert stores.is_open(folder)
        stores.look_again(folder)
        await opening.prepare([folder])
        assert stores.current(folder) is not second  # of the same build
        assert stores.current(folder).build == second.build


async def test_a_run_waits_while_it_is_opened(
    tmp_path: Path,
    aiohttp_client: Callable[[web.Application], Awaitable[TestClient[web.Request, web.Application]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote_opening, "_LIST_WAIT_S", 0.01)
    folder = tmp_path / "run"
    build(write_pod(tmp_path / "pod", hosts=1, events=300), folder)
    gate = threading.Event()

    def gated(path: Path) -> Store:
        assert gate.wait(30)
        return open_run(path)

    opening = RemoteOpening(gated)
    cache, stores = CacheDirectory(tmp_path / "cache"), OpenStores(opening.open)
    client = await aiohttp_client(make_app(Registry([folder], cache, stores, lambda _: [], opening=opening)))
    for _ in range(2):
        (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
        assert run["state"] == "queued"
        assert run["error"].endswith("the run is still being opened (look again in a moment)")
    async with client.ws_connect(f"/api/v1/runs/{run['id']}/watch") as watch:
        gate.set()
        while (message := await watch.receive_json(timeout=30))["type"] == "progress":
            assert message["state"] == "queued"
        assert message["type"] == "ready"
    (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
    assert (run["state"], run["error"], run["build"]) == ("ready", None, message["build"])


async def test_a_run_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    build(write_pod(tmp_path / "pod", hosts=1, events=300), folder)
    shard = shard_path(folder, read_sharded_run(folder).shards[0].name)
    shard.rename(tmp_path / "aside")
    opening = RemoteOpening(open_run)
    with closing(opening):
        await opening.prepare([folder])
        with pytest.raises(StoreError, match="no shard of the run can be read"):
            opening.open(folder)
