"""An archive at an address, served: the same answers as from the file, and no read holds up the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest

from tests.remote.static_server import Behaviour, static_server
from tests.server.conftest import Client
from tests.server.test_end_to_end import stream_pages
from tilescope.cli.addresses import local_paths
from tilescope.cli.dispatch import main
from tilescope.remote.web_requests import WebRequests
from tilescope.server.app import make_app
from tilescope.server.runs import remote_opening
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.remote_opening import RemoteOpening
from tilescope.tiler.mount import open_run
from tilescope.tiler.pages import PageKey, Shape, decompress
from tilescope.tiler.readers import discover
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.store.store import Store

ClientFactory = Callable[..., Awaitable[Client]]
OBJECT = "/runs/run.tsarc"


def archive(folder: Path, events: int) -> Path:
    trace, store, file = folder / "host0.xplane.pb", folder / "run.store", folder / "run.tsarc"
    assert main(["synth", "--events", str(events), "--tracks", "40", "-o", str(trace)]) == 0
    assert main(["index", str(trace), "-o", str(store)]) == 0
    assert main(["archive", str(store), "-o", str(file)]) == 0
    return file


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return [archive(tmp_path_factory.mktemp(str(events)), events) for events in (60_000, 30_000)]


@pytest.fixture
def behaviour(archives: list[Path]) -> Behaviour:
    return Behaviour({OBJECT: archives[0].read_bytes()})


@pytest.fixture
def remote(tmp_path: Path, behaviour: Behaviour) -> Iterator[Path]:
    """The path that stands for the archive."""
    with (
        static_server(behaviour) as origin,
        local_paths([origin + OBJECT], tmp_path / "mirrors", is_server=True) as local,
    ):
        yield local[0]


@pytest.fixture
async def clients(
    tmp_path: Path, archives: list[Path], remote: Path, aiohttp_client: ClientFactory, monkeypatch: pytest.MonkeyPatch
) -> tuple[Client, Client]:
    """Clients of servers of the address and of the file. Requests in the thread of the event loop fail."""
    get, loop_thread = WebRequests.get, threading.current_thread()

    def checked_get(self: WebRequests, *arguments: Any) -> Any:
        assert threading.current_thread() is not loop_thread, "the event loop waits for another machine"
        return get(self, *arguments)

    monkeypatch.setattr(WebRequests, "get", checked_get)
    monkeypatch.setattr(remote_opening, "_FAILED_S", 0.0)
    return (
        await aiohttp_client(make_app(registry(remote, tmp_path / "cache"))),
        await aiohttp_client(make_app(registry(archives[0], tmp_path / "cache"))),
    )


def registry(path: Path, cache: Path, open_store: Callable[[Path], Store] = open_run) -> Registry:
    opening = RemoteOpening(open_store)
    stores = OpenStores(opening.open)
    return Registry([path], CacheDirectory(cache), stores, discover, rescan_interval_s=0, opening=opening)


async def base_of(client: Client) -> str:
    (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
    assert run["state"] == "ready", run["error"]
    return f"/api/v1/runs/{run['id']}/builds/{run['build']}"


def pages_in(path: Path) -> list[PageKey]:
    store = open_run(path)
    try:
        shapes = [Shape.decode(decompress(record)) for _, record in store.scan(SHAPE)]
        return list({shape.page_of(tile): None for shape in shapes for tile in range(len(shape))})
    finally:
        store.close()


async def test_answers_are_those_of_the_file(clients: tuple[Client, Client], archives: list[Path]) -> None:
    bases = [await base_of(client) for client in clients]
    key = "/".join(str(part) for part in pages_in(archives[0])[-1][:4])
    for part in (
        *("tracks", "shapes/0", "shapes/1", "names/0", "overview/0", "events/3/7", "flows/3/4/0", "attachments"),
        *(f"pages/{key}", f"residuals/{key}", "tools/stats", "tools/find?text=0", "events?start=0&end=100000000"),
    ):
        remote, local = [await client.get(f"{base}/{part}") for client, base in zip(clients, bases, strict=True)]
        assert remote.status == local.status != 500, part
        assert await remote.read() == await local.read(), part


async def test_pages_of_a_list_come_in_few_requests(
    clients: tuple[Client, Client], archives: list[Path], behaviour: Behaviour
) -> None:
    keys = pages_in(archives[0])
    assert len(keys) > 15
    remote, local = [await stream_pages(client, await base_of(client), keys) for client in clients]
    assert remote == local
    assert len(behaviour.requests) < len(keys) // 2
    body = {"pages": [key.to_json() for key in keys]}
    answers = [await client.post(f"{await base_of(client)}/batch", json=body) for client in clients]
    assert await answers[0].read() == await answers[1].read() != b""


async def test_a_view_is_resolved(clients: tuple[Client, Client]) -> None:
    messages = []
    for client in clients:
        async with client.ws_connect(f"{await base_of(client)}/stream") as socket:
            view = {"type": "view", "id": 1, "start": 0, "end": 10**9, "px": 800, "tracks": list(range(40))}
            await socket.send_bytes(msgpack.packb(view))
            messages.append([await socket.receive_bytes(timeout=10) for _ in range(5)])
    assert messages[0] == messages[1]


async def test_a_replaced_archive_is_an_error_and_then_the_new_one(
    clients: tuple[Client, Client], archives: list[Path], behaviour: Behaviour
) -> None:
    client = clients[0]
    base = await base_of(client)
    behaviour.objects[OBJECT], behaviour.etags[OBJECT] = archives[1].read_bytes(), '"2"'
    assert (await client.get(f"{base}/tools/stats")).status == 409  # the build is not there any more
    answer = await client.get(f"{base}/events/39/100")  # a record that was not read yet
    assert "replaced" in await answer.text() or answer.status == 409
    again = await base_of(client)
    assert again != base
    answer = await client.get(again.partition("/builds/")[0] + "/manifest")
    assert (await answer.json())["events"]["total"] == "30000"
    assert (await client.get(f"{again}/tools/stats")).status == 200


async def test_a_host_that_refuses_is_an_error_with_a_line(
    clients: tuple[Client, Client], behaviour: Behaviour
) -> None:
    client = clients[0]
    base = await base_of(client)
    behaviour.refused = [(403, {})] * 10
    answer = await client.get(f"{base}/events/39/100")
    assert answer.status == 500
    assert "the web server refuses it with status 403" in (await answer.json())["error"]["message"]
    behaviour.refused = []
    assert (await client.get(f"{await base_of(client)}/events/39/100")).status == 200


async def test_a_slow_host_holds_up_nothing(
    tmp_path: Path, remote: Path, aiohttp_client: ClientFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_free = threading.Event()
    monkeypatch.setattr(remote_opening, "_LIST_WAIT_S", 0.01)

    def open_slowly(path: Path) -> Store:
        assert is_free.wait(30)
        return open_run(path)

    client = await aiohttp_client(make_app(registry(remote, tmp_path / "cache", open_slowly)))
    try:
        (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
        assert run["state"] == "queued"
        assert "still being opened" in run["error"]
        manifest = asyncio.create_task(_status(client, f"/api/v1/runs/{run['id']}/manifest"))
        assert await _status(client, "/healthz") == 200
        assert not manifest.done()
    finally:
        is_free.set()
    assert await manifest == 200
    await base_of(client)


async def _status(client: Client, path: str) -> int:
    return (await client.get(path)).status
