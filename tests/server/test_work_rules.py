"""Servers with rules of users: their answers, and what clients and the server keep of these."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reports.traces import index_report
from tests.server.conftest import Client
from tilescope.server.app import make_app
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.settings import Settings
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.tiler.work_rules import NO_WORK_RULES, WorkRule, WorkRules


@pytest.fixture
def store(tmp_path: Path) -> Path:
    index_report("communication_without_nccl.json", tmp_path / "run.store").close()
    return tmp_path / "run.store"


async def test_two_sets_of_rules_never_share_an_answer(
    store: Path, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    tags: list[str] = []
    for rules, computation in (
        (NO_WORK_RULES, "600000"),
        (WorkRules((WorkRule("communication", "^moe_"),)), "480000"),
        (WorkRules((WorkRule("copy", "^sm90"),)), "420000"),
    ):
        registry = Registry([store], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
        client = await aiohttp_client(make_app(registry, settings=Settings(work_rules=rules)))
        (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
        path = f"/api/v1/runs/{run['id']}/builds/{run['build']}/tools/overlap"
        held = {"If-None-Match": ", ".join(tags)} if tags else {}
        answer = await client.get(path, headers=held)
        assert answer.status == 200
        assert computation_of(await answer.json()) == computation
        tags.append(answer.headers["ETag"])
        assert (await client.get(path, headers={"If-None-Match": tags[-1]})).status == 304
    assert len(set(tags)) == 3


def computation_of(answer: Any) -> Any:
    return {fact["id"]: fact["value"] for fact in answer["facts"]}["computation"]
