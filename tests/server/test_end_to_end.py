"""Whole traces through real worker processes, stores, HTTP and the stream."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
import shutil
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import msgpack
import pytest
from jsonschema import Draft202012Validator

from tests.corpus import corpus_path
from tests.server.conftest import Client
from tests.standins.written import DEVICES, MANGLED, STANDINS, write_standins
from tilescope.server.app import make_app
from tilescope.server.openapi import describe_api
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.pages import PageKey, Shape, decode_page
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace

pytestmark = pytest.mark.slow

ClientFactory = Callable[..., Awaitable[Client]]


@pytest.fixture(scope="module")
def standins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {path.name: path for path in write_standins(tmp_path_factory.mktemp("standins"))}


def real_registry(path: Path, cache: Path, *, index_all: bool = True) -> Registry:
    stores = OpenStores(open_run_store)
    return Registry([path], CacheDirectory(cache), stores, discover, index_all=index_all, rescan_interval_s=0)


async def fetch(client: Client, path: str) -> bytes:
    answer = await client.get(path)
    assert answer.status == 200, (path, await answer.text())
    return await answer.read()


async def fetch_json(client: Client, path: str, schema: str) -> Any:
    answer = await client.get(path)
    assert answer.status == 200, path
    body = await answer.read()
    value = json.loads(gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body)
    components = describe_api()["components"]
    Draft202012Validator({"$ref": f"#/components/schemas/{schema}", "components": components}).validate(value)
    return value


async def settled_runs(client: Client) -> dict[str, dict[str, Any]]:
    """All runs by name, when none is being indexed any more."""
    async with asyncio.timeout(60):
        while True:
            runs = (await fetch_json(client, "/api/v1/runs", "RunList"))["runs"]
            if not any(run["state"] in ("queued", "indexing", "new") for run in runs):
                return {run["name"]: run for run in runs}
            await asyncio.sleep(0.05)


async def stream_pages(client: Client, base: str, keys: list[PageKey]) -> dict[PageKey, bytes]:
    """All pages over the stream, giving credit back as a viewer does."""
    pages: dict[PageKey, bytes] = {}
    async with client.ws_connect(f"{base}/stream") as socket:
        await socket.send_bytes(msgpack.packb({"type": "want", "id": 1, "pages": [key.to_json() for key in keys]}))
        while True:
            frame = await socket.receive_bytes(timeout=10)
            unpacker = msgpack.Unpacker()
            unpacker.feed(frame)
            head = unpacker.unpack()
            if head["type"] == "done":
                return pages
            assert head["type"] == "page"
            pages[PageKey(*head["key"])] = frame[unpacker.tell() :]
            await socket.send_bytes(msgpack.packb({"type": "credit", "bytes": head["bytes"]}))


@pytest.mark.parametrize(
    "name",
    [
        *STANDINS,
        pytest.param("xplane/tpu_v6e_4core.xplane.pb", marks=pytest.mark.deep),  # thousands of pages more
        pytest.param("xplane/gpu_v100x8_bert.xplane.pb", marks=pytest.mark.deep),
        "kineto/ns_resolution.pt.trace.json.gz",
        pytest.param("chrome/fuchsia_trace.json.gz", marks=pytest.mark.deep),
        "chrome/instance_counters.json",
    ],
)
async def test_every_page_of_a_trace_is_the_same_over_http_and_over_the_stream(
    tmp_path: Path, aiohttp_client: ClientFactory, standins: dict[str, Path], name: str
) -> None:
    trace = standins[name] if name in standins else corpus_path(name)
    client = await aiohttp_client(make_app(real_registry(trace, tmp_path / "cache")), auto_decompress=False)
    run = (await settled_runs(client))[trace.name]
    assert (run["state"], run["error"]) == ("ready", None)

    manifest = await fetch_json(client, f"/api/v1/runs/{run['id']}/manifest", "Manifest")
    assert manifest["build"] == run["build"]
    base = f"/api/v1/runs/{run['id']}/builds/{run['build']}"
    tree = await fetch_json(client, f"{base}/tracks", "TrackTree")
    assert len(tree["tracks"]) == manifest["tracks"]
    names: list[list[str]] = []
    for page in range(-(-manifest["names"]["count"] // manifest["names"]["page_size"])):
        names += await fetch_json(client, f"{base}/names/{page}", "Names")
    assert len(names) == manifest["names"]["count"]

    keys: list[PageKey] = []
    at_the_root: dict[int, int] = {}  # track → events of its root tile
    for block in range(manifest["blocks"]):
        shape = Shape.decode(gzip.decompress(await fetch(client, f"{base}/shapes/{block}")))
        keys += [shape.page_of(tile) for tile in range(len(shape.level))]
        roots = [tile for tile, level in enumerate(shape.level) if level == manifest["root_level"]]
        at_the_root |= {block * 32 + int(shape.slot[tile]): int(shape.events[tile]) for tile in roots}
    with_events = {track["id"]: int(track["events"]) for track in tree["tracks"] if track["events"] != "0"}
    assert at_the_root == with_events

    keys = list(dict.fromkeys(keys))
    over_http = {key: await fetch(client, f"{base}/pages/{'/'.join(map(str, key[:4]))}") for key in keys}
    assert await stream_pages(client, base, keys) == over_http
    for key, stored in over_http.items():
        first_tile = next(iter(decode_page(gzip.decompress(stored))))
        assert (first_tile.index, first_tile.slot) == (key.index, key.slot)

    for track in tree["tracks"]:
        count = int(track["events"])
        if track["kind"] != "rollup" and count > 0:
            first = await fetch_json(client, f"{base}/events/{track['id']}/0", "EventDetails")
            last = await fetch_json(client, f"{base}/events/{track['id']}/{count - 1}", "EventDetails")
            assert 0 <= int(first["start"]) <= int(last["start"]) <= int(manifest["end"])
        assert (await client.get(f"{base}/events/{track['id']}/{track['events']}")).status == 404


async def test_damaged_runs_fail_with_a_line_each_and_the_others_are_served(
    tmp_path: Path, aiohttp_client: ClientFactory, standins: dict[str, Path]
) -> None:
    logs, cache = tmp_path / "logs", tmp_path / "cache"
    logs.mkdir()
    whole = standins[DEVICES].read_bytes()
    (logs / "good.xplane.pb").write_bytes(whole)
    (logs / "cut.xplane.pb").write_bytes(whole[: len(whole) // 2])
    (logs / "cut.xplane.pb.gz").write_bytes(gzip.compress(whole, 1)[:100_000])
    (logs / "altered.xplane.pb").write_bytes(whole[:100_000] + b"\xff" * 100 + whole[100_100:])
    (logs / "random.xplane.pb").write_bytes(random.Random(7).randbytes(100_000))
    shutil.copy(standins[MANGLED], logs / "mangled.xplane.pb")
    (logs / "empty.trace.json").write_text('{"traceEvents": []}')
    (logs / "text.trace.json").write_text("<html>not found</html>")
    (logs / "killed.trace.json").write_text('{"traceEvents": [{"ph":"X","ts":1,"dur":2,"name":"a"},{"ph":"X","ts":3')
    client = await aiohttp_client(make_app(real_registry(logs, cache)))
    runs = await settled_runs(client)
    assert {name: run["state"] for name, run in runs.items()} == {
        "good.xplane.pb": "ready",
        "cut.xplane.pb": "ready",
        "cut.xplane.pb.gz": "ready",
        "altered.xplane.pb": "failed",
        "random.xplane.pb": "failed",
        "mangled.xplane.pb": "failed",
        "empty.trace.json": "ready",
        "text.trace.json": "failed",
        "killed.trace.json": "ready",
    }
    for name, run in runs.items():
        if run["state"] == "failed":
            assert name in run["error"]
            assert "\n" not in run["error"]
            answer = await client.get(f"/api/v1/runs/{run['id']}/manifest")
            assert (answer.status, (await answer.json())["error"]["message"]) == (422, run["error"])
            assert not (cache / run["id"]).exists(), "a half-made store was left behind"
    manifests = {
        name: await fetch_json(client, f"/api/v1/runs/{run['id']}/manifest", "Manifest")
        for name, run in runs.items()
        if run["state"] == "ready"
    }
    assert manifests["good.xplane.pb"]["events"]["total"] == "20000"
    assert (manifests["empty.trace.json"]["empty"], manifests["empty.trace.json"]["end"]) == (True, "0")
    assert manifests["killed.trace.json"]["events"]["slices"] == "1"
    for name in ("killed.trace.json", "cut.xplane.pb", "cut.xplane.pb.gz"):
        assert manifests[name]["warnings"]
        assert 0 < int(manifests[name]["events"]["total"]) < 20_000


def worker_processes() -> list[int]:
    """The indexing processes that this one has started."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            if b"tilescope.server.runs.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for child processes in /proc")
@pytest.mark.parametrize("phase", ["start", "read"])
async def test_a_worker_that_is_killed_fails_its_run_and_a_second_try_works(
    tmp_path: Path, aiohttp_client: ClientFactory, phase: str
) -> None:
    trace, cache = tmp_path / "big.xplane.pb.gz", tmp_path / "cache"  # compressed: so it is read for long enough
    write_synthetic_trace(trace, format="xspace", events=1_000_000, tracks=40, seed=1)
    registry = real_registry(trace, cache, index_all=False)
    client = await aiohttp_client(make_app(registry))
    (run,) = (await fetch_json(client, "/api/v1/runs", "RunList"))["runs"]
    index = f"/api/v1/runs/{run['id']}/index"
    assert (await client.post(index)).status == 202
    async with asyncio.timeout(20):
        # A phase may be over before it is seen.
        while not (workers := worker_processes()) or await phase_of(registry) not in PHASES[PHASES.index(phase) :]:
            await asyncio.sleep(0.002)
    os.kill(workers[0], signal.SIGKILL)
    failed = (await settled_runs(client))[run["name"]]
    assert failed["state"] == "failed"
    assert "was ended by SIGKILL" in failed["error"]
    assert (await client.get("/healthz")).status == 200
    assert (await client.post(index)).status == 202
    assert (await settled_runs(client))[run["name"]]["state"] == "ready"
    assert not worker_processes()
    assert not list(cache.rglob("*.part")), "what the killed process had written was left behind"


PHASES: Final = ("start", "wait", "read", "build", "publish")


async def phase_of(registry: Registry) -> str | None:
    """What the indexing of the only run is at."""
    (status,) = await registry.list_runs()
    return None if status.progress is None else status.progress.phase
