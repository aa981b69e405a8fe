"""Findings over HTTP: of one host, and of steps that somebody names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from tests.server.conftest import Client
from tests.tiler.facts.findings.epochs import EPOCH_US, READING_US, write_epochs
from tests.tiler.facts.findings.tpu_run import Pod, run, write_hosts
from tilescope.server.app import make_app
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store

Get = Callable[[str], Awaitable[tuple[int, Mapping[str, Any]]]]


async def served(store: Path, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[Client]]) -> Get:
    """Asks the only build of a server about its overview."""
    registry = Registry([store], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    client = await aiohttp_client(make_app(registry))
    (served_run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
    base = f"/api/v1/runs/{served_run['id']}/builds/{served_run['build']}/tools/overview?table=findings"

    async def get(parameters: str) -> tuple[int, Mapping[str, Any]]:
        answer = await client.get(base + parameters)
        return answer.status, await answer.json()

    return get


def columns(answer: Mapping[str, Any]) -> dict[str, list[Any]]:
    (table,) = answer["tables"]
    return {column["id"]: column["values"] for column in table["columns"]}


async def test_the_findings_of_a_host(tmp_path: Path, aiohttp_client: Callable[..., Awaitable[Client]]) -> None:
    build_store(write_hosts(run(Pod(batch=(900, 9_400))), tmp_path), tmp_path / "pod.store")
    get = await served(tmp_path / "pod.store", tmp_path, aiohttp_client)
    classes = {}
    for host in ("", "&host=node-a", "&host=node-b"):
        status, answer = await get(host)
        assert status == 200
        classes[host] = columns(answer)["class"][0]
    assert classes == {"": "input", "&host=node-a": "unclear", "&host=node-b": "input"}
    status, answer = await get("&host=node-z")
    assert status == 400
    assert "node-a, node-b" in answer["error"]["message"]


async def test_the_findings_of_steps_that_are_named(
    tmp_path: Path, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    build_store([write_epochs(tmp_path)], tmp_path / "epochs.store")
    get = await served(tmp_path / "epochs.store", tmp_path, aiohttp_client)
    _, marked = await get("&steps=2-7")
    status, named = await get("&steps=1-3&step_name=epoch")
    assert status == 200
    assert columns(named)["class"][0] == columns(marked)["class"][0] == "input"
    assert abs(columns(named)["share"][0] - READING_US / EPOCH_US) < 0.01
    assert int(columns(named)["loss"][0]) == 2 * int(columns(marked)["loss"][0])
    assert (await get("&steps=1-3&step_name=era"))[0] == 400
