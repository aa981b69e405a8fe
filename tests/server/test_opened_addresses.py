"""Addresses that a page has the server open: below its prefixes, by the server's own pages, as runs like any other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.remote.static_server import Behaviour, static_server
from tests.server.conftest import Client
from tilescope.cli.dispatch import main
from tilescope.remote import mirrors
from tilescope.remote.mirrors import (
    Mirrored,
    MirrorPlan,
    mirror_address,
    mirror_plans,
    plans_with,
    unregister_plan,
)
from tilescope.server.app import make_app
from tilescope.server.runs import opened_addresses
from tilescope.server.runs.arrivals import NOTHING_ARRIVES
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.opened_addresses import OpenedAddresses
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.remote_opening import RemoteOpening
from tilescope.server.runs.run import FoundRun
from tilescope.tiler.blobs.mirror import _MIRRORS
from tilescope.tiler.mount import open_run
from tilescope.tiler.readers import discover

ADDRESSES = "/api/v1/addresses"


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("traces")
    trace, archive = folder / "host0.xplane.pb", folder / "run.tsarc"
    assert main(["synth", "--events", "20000", "--tracks", "12", "-o", str(trace)]) == 0
    assert main(["index", str(trace), "-o", str(folder / "store")]) == 0
    assert main(["archive", str(folder / "store"), "-o", str(archive)]) == 0
    return {
        "/traces/host0.xplane.pb": trace.read_bytes(),
        "/traces/run.tsarc": archive.read_bytes(),
        "/traces/cut.tsarc": archive.read_bytes()[:-100],
        "/traces/text.txt": b"hello",
        "/secret.tsarc": archive.read_bytes(),
    }


@pytest.fixture
def behaviour(objects: dict[str, bytes]) -> Behaviour:
    return Behaviour(dict(objects))


@pytest.fixture
def origin(behaviour: Behaviour) -> Iterator[str]:
    registered = list(_MIRRORS)
    with static_server(behaviour) as origin:
        yield origin
    _MIRRORS[:] = registered


@pytest.fixture
async def client(tmp_path: Path, origin: str, aiohttp_client: Callable[..., Awaitable[Client]]) -> Client:
    (tmp_path / "logs").mkdir()
    root = str(tmp_path / "mirrors")
    addresses = OpenedAddresses(MirrorPlan("", root, root, 10**9, (f"{origin}/traces/",)), NOTHING_ARRIVES)
    opening = RemoteOpening(open_run)
    registry = Registry(
        [tmp_path / "logs"],
        CacheDirectory(tmp_path / "cache"),
        OpenStores(opening.open),
        discover,
        rescan_interval_s=0,
        arrivals=addresses,
        opening=opening,
    )
    return await aiohttp_client(make_app(registry, addresses=addresses))


async def opened(client: Client, address: str) -> list[str]:
    answer = await client.post(ADDRESSES, json={"address": address})
    assert answer.status == 200, await answer.text()
    runs: list[str] = (await answer.json())["runs"]
    return runs


async def refusal(client: Client, address: str, **options: Any) -> tuple[int, str]:
    answer = await client.post(ADDRESSES, json={"address": address}, **options)
    return answer.status, (await answer.json())["error"]["message"]


async def ready(client: Client, run_id: str) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            for run in (await (await client.get("/api/v1/runs")).json())["runs"]:
                if run["id"] == run_id and run["state"] in ("ready", "failed"):
                    return dict(run)
            await asyncio.sleep(0.05)


async def test_traces_and_archives_are_opened(client: Client, origin: str) -> None:
    room = await (await client.get("/api/v1/uploads")).json()
    assert (room["allowed"], room["prefixes"]) == (False, [f"{origin}/traces/"])
    for name in ("run.tsarc", "host0.xplane.pb"):
        (run,) = await opened(client, f" {origin}/traces/{name}")
        shown = await ready(client, run)
        assert (shown["state"], shown["name"], shown["events"]) == ("ready", name, "20000")
        assert await opened(client, f"{origin}/traces/{name}") == [run], "it is there already"
        answer = await client.get(f"/api/v1/runs/{run}/builds/{shown['build']}/tools/stats")
        assert answer.status == 200, await answer.text()


def test_a_job_has_the_mirrors_of_its_own_files(origin: str, tmp_path: Path) -> None:
    """With those of others the index of a local file would fail as soon as the host of any address is gone."""
    plan = MirrorPlan(f"{origin}/traces/run.tsarc", str(tmp_path / "mirrors"), str(tmp_path / "scratch"), 1 << 20)
    local = tmp_path / "local.xplane.pb"
    mirrored = mirror_address(plan)
    try:
        assert plans_with([local, mirrored.path]) == (plan,)
        assert plans_with([local]) == ()
    finally:
        unregister_plan(mirrored, plan)


async def test_what_is_refused(client: Client, origin: str, behaviour: Behaviour, tmp_path: Path) -> None:
    before = len(mirror_plans())
    status, message = await refusal(client, f"{origin}/secret.tsarc")
    assert status == 403
    assert message.endswith(f"does not open this address (allowed is what lies below {origin}/traces/)")
    for address in (f"{origin}/traces/../secret.tsarc", "s3://bucket/a", f"{origin}/traces/%2e%2e/secret.tsarc"):
        assert (await refusal(client, address))[0] == 403
    assert not behaviour.requests
    behaviour.redirects["/traces/away.pb"] = "/secret.tsarc"
    assert (await refusal(client, f"{origin}/traces/away.pb"))[0] == 403
    for name, status in (("none.pb", 400), ("text.txt", 422), ("cut.tsarc", 400)):
        assert (await refusal(client, f"{origin}/traces/{name}"))[0] == status, name
    assert (await refusal(client, "logs/"))[0] == 400
    assert len(mirror_plans()) == before
    assert list((tmp_path / "mirrors").iterdir()) == [], "nothing is left of them"
    assert (await (await client.get("/api/v1/runs")).json())["runs"] == []


async def test_pages_of_others_open_nothing(client: Client, origin: str, behaviour: Behaviour) -> None:
    headers = {"Origin": "https://evil.example"}
    assert (await refusal(client, f"{origin}/traces/run.tsarc", headers=headers))[0] == 403
    answer = await client.post(ADDRESSES, data=f'{{"address": "{origin}/traces/run.tsarc"}}')
    assert answer.status == 400
    assert not behaviour.requests


async def test_there_is_an_end_to_them(client: Client, origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_addresses, "MOST_OPENED", 1)
    await opened(client, f"{origin}/traces/run.tsarc")
    assert (await refusal(client, f"{origin}/traces/host0.xplane.pb"))[0] == 429


async def test_a_slow_address_holds_nobody_up(client: Client, origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting, mirror = threading.Event(), mirrors.mirror_address
    looked_at: list[str] = []

    def slow(plan: MirrorPlan) -> Mirrored:
        looked_at.append(plan.address.rpartition("/")[2])
        if plan.address.endswith(".pb"):
            assert waiting.wait(60)
        return mirror(plan)

    monkeypatch.setattr(opened_addresses, "mirror_address", slow)
    both = [asyncio.create_task(opened(client, f"{origin}/traces/host0.xplane.pb")) for _ in range(2)]
    while not looked_at:
        await asyncio.sleep(0.01)
    assert await opened(client, f"{origin}/traces/run.tsarc")
    waiting.set()
    first, second = await asyncio.gather(*both)
    assert first == second
    assert looked_at == ["host0.xplane.pb", "run.tsarc"]


async def test_an_address_without_a_run_is_not_kept(
    client: Client, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_runs(*_: object) -> list[FoundRun]:
        return []

    monkeypatch.setattr(Registry, "find_arrived", no_runs)
    monkeypatch.setattr(opened_addresses, "MOST_OPENED", 1)
    before = mirror_plans()
    for name in ("run.tsarc", "host0.xplane.pb"):
        assert (await refusal(client, f"{origin}/traces/{name}"))[0] == 400
    assert mirror_plans() == before


async def test_a_server_without_prefixes(site: Any, aiohttp_client: Callable[..., Awaitable[Client]]) -> None:
    client = await aiohttp_client(make_app(site.registry()))
    assert (await (await client.get("/api/v1/uploads")).json())["prefixes"] == []
    status, message = await refusal(client, "https://host/a")
    assert (status, message) == (403, "this server opens no addresses: start it with --allow-open-url PREFIX")
