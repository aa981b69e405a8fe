"""A damaged store among others: its run says so, in one line of the log, and everybody else is served."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import msgpack
import pytest

from tests.server.conftest import Client
from tests.server.test_end_to_end import real_registry, settled_runs
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.server.app import make_app
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import compress
from tilescope.tiler.readers import discover
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import STORE_VERSION, open_run_store
from tilescope.tiler.store.generation import current
from tilescope.tiler.synth import write_synthetic_trace

pytestmark = pytest.mark.slow

ClientFactory = Callable[..., Awaitable[Client]]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    trace = write_synthetic_trace(folder / "t.pb", format="xspace", events=30_000, tracks=40, seed=3).path
    build_store([trace], folder / "x.store")
    return folder / "x.store"


@pytest.fixture
def good(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "good.store"))


@pytest.fixture
def bad(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "bad.store"))


def data_of(store: Path) -> Path:
    return current(store) / "data.mdb"


def flip(file: Path, at: int, bit: int) -> None:
    with file.open("r+b") as data:
        data.seek(at)
        byte = data.read(1)[0]
        data.seek(at)
        data.write(bytes([byte ^ 1 << bit]))


async def serve(factory: ClientFactory, tmp_path: Path, *paths: Path) -> Client:
    registry = Registry(
        paths, CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover, rescan_interval_s=0
    )
    return await factory(make_app(registry), auto_decompress=False)


async def runs_of(client: Client) -> dict[str, dict[str, Any]]:
    answer = await client.get("/api/v1/runs")
    assert answer.status == 200
    return {run["name"]: run for run in (await answer.json())["runs"]}


async def is_served(client: Client, run: Mapping[str, Any]) -> bool:
    """Whether manifest, names, shapes and statistics of the run are answered."""
    base = f"/api/v1/runs/{run['id']}"
    build = f"{base}/builds/{run['build']}"
    paths = (
        f"{base}/manifest",
        f"{build}/tracks",
        f"{build}/names/0",
        f"{build}/shapes/0",
        f"{build}/tools/stats?tracks=1",
    )
    return {(await client.get(path)).status for path in paths} == {200}


async def code_of(client: Client, path: str) -> tuple[int, str]:
    answer = await client.get(path)
    return answer.status, (await answer.json(content_type=None))["error"]["code"]


def errors_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    assert not any(record.exc_info for record in caplog.records)
    return [record.message for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("damage", ["cut short", "flipped", "emptied"])
async def test_a_store_that_is_damaged_at_the_start(
    good: Path, bad: Path, tmp_path: Path, aiohttp_client: ClientFactory, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    match damage:
        case "cut short":
            os.truncate(data_of(bad), 20_000)
        case "emptied":
            os.truncate(data_of(bad), 0)
        case "flipped":
            for head in (0, 4096):  # which says where the tree begins
                flip(data_of(bad), head + 129, 2)
    client = await serve(aiohttp_client, tmp_path, good, bad)
    for _ in range(3):
        runs = await runs_of(client)
        assert (runs["bad.store"]["state"], runs["good.store"]["state"]) == ("failed", "ready")
        assert "data.mdb: byte" in runs["bad.store"]["error"]
        assert await code_of(client, f"/api/v1/runs/{runs['bad.store']['id']}/manifest") == (500, "bad_store")
        assert await is_served(client, runs["good.store"])
    assert len(errors_in(caplog)) == 1


async def test_a_store_that_is_cut_short_while_it_is_served(
    good: Path, bad: Path, tmp_path: Path, aiohttp_client: ClientFactory, caplog: pytest.LogCaptureFixture
) -> None:
    client = await serve(aiohttp_client, tmp_path, good, bad)
    run = (await runs_of(client))["bad.store"]
    assert await is_served(client, run)
    base = f"/api/v1/runs/{run['id']}/builds/{run['build']}"
    async with client.ws_connect(f"{base}/stream") as socket:
        os.truncate(data_of(bad), 20_000)
        await socket.send_bytes(msgpack.packb({"type": "want", "id": 1, "pages": [[0, 15, 0, 0]]}))
        frame = msgpack.unpackb(await socket.receive_bytes(timeout=5))
        assert (frame["type"], frame["code"]) == ("error", "bad_store")
    for path in ("names/0", "shapes/0", "tracks", "events/1/5", "tools/stats?tracks=1", "tools/find?text=a"):
        assert await code_of(client, f"{base}/{path}") == (500, "bad_store")
    assert await code_of(client, f"/api/v1/runs/{run['id']}/manifest") == (500, "bad_store")
    runs = await runs_of(client)
    assert (runs["bad.store"]["state"], runs["good.store"]["state"]) == ("failed", "ready")
    assert await is_served(client, runs["good.store"])
    assert len(errors_in(caplog)) == 1


async def test_one_damaged_record_is_not_sent_and_the_others_are(
    bad: Path, tmp_path: Path, aiohttp_client: ClientFactory, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_run_store(bad)
    names = store.get(NAMES, 0)
    store.close()
    assert names is not None
    whole = data_of(bad).read_bytes()
    flip(data_of(bad), whole.index(names[:2000]) + 1000, 4)
    client = await serve(aiohttp_client, tmp_path, bad)
    run = (await runs_of(client))["bad.store"]
    base = f"/api/v1/runs/{run['id']}/builds/{run['build']}"
    for _ in range(3):
        assert await code_of(client, f"{base}/names/0") == (500, "bad_store")
        assert (await client.get(f"{base}/shapes/0")).status == 200
        assert (await runs_of(client))["bad.store"]["state"] == "ready"
    (line,) = errors_in(caplog)
    assert "the page of names 0: its bytes have been altered" in line


async def test_a_damaged_store_in_the_cache_is_made_anew(tmp_path: Path, aiohttp_client: ClientFactory) -> None:
    trace = write_synthetic_trace(tmp_path / "t.pb", format="xspace", events=2_000, tracks=4, seed=1).path
    client = await aiohttp_client(make_app(real_registry(trace, tmp_path / "cache")), auto_decompress=False)
    before = (await settled_runs(client))["t.pb"]
    await client.close()
    (store,) = (tmp_path / "cache").glob("*/*/CURRENT")
    os.truncate(data_of(store.parent), 20_000)
    client = await aiohttp_client(make_app(real_registry(trace, tmp_path / "cache")), auto_decompress=False)
    after = (await settled_runs(client))["t.pb"]
    assert after["state"] == "ready"
    assert after["build"] != before["build"]
    assert await is_served(client, after)


_NONSENSE = {
    "manifest": {MANIFEST.key(): b'{"version": %d, "public": {"build": "b"}}'},
    "list": {MANIFEST.key(): b"[1]"},
    "tracks": {TRACKS.key(): b'{"groups": [], "tracks": [{}]}'},
    "deep": {TRACKS.key(): b"[" * 100_000},
    "names": {NAMES.key(0): b"[[1, 2], 3]"},
    "shape": {SHAPE.key(0): b"TSSH" + bytes(12)},
}


@pytest.mark.parametrize("kind", _NONSENSE)
async def test_records_that_make_no_sense(
    good: Path, bad: Path, tmp_path: Path, aiohttp_client: ClientFactory, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    """Their checksums are right: somebody has made them so."""
    records = {key: compress(value.replace(b"%d", b"%d" % STORE_VERSION)) for key, value in _NONSENSE[kind].items()}
    AlteredStore(bad).put(records)
    client = await serve(aiohttp_client, tmp_path, good, bad)
    runs = await runs_of(client)
    run = runs["bad.store"]
    base = f"/api/v1/runs/{run['id']}/builds/{run['build'] or 'b'}"
    codes = set()
    for path in ("names/0", "shapes/0", "tracks", "events/1/5", "tools/stats?tracks=1", "tools/find?text=a"):
        answer = await client.get(f"{base}/{path}")
        if answer.status != 200:
            codes.add((answer.status, (await answer.json(content_type=None))["error"]["code"]))
    assert (500, "bad_store") in codes
    assert not codes & {(500, "internal"), (500, "question_failed")}
    assert await is_served(client, runs["good.store"])
    assert len(errors_in(caplog)) == 1
