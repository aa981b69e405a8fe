"""Runs that are looked at while they are indexed: real processes, stores, HTTP and the watch."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from aiohttp import ClientWebSocketResponse
from jsonschema import Draft202012Validator

from tests.server.conftest import Client
from tilescope.server.app import make_app
from tilescope.server.openapi import describe_api
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.job import run_job
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import Shape
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace

pytestmark = pytest.mark.slow

IMMUTABLE = "public, max-age=31536000, immutable"
ClientFactory = Callable[..., Awaitable[Client]]


@dataclass
class Watch:
    """What a watcher was told so far."""

    socket: ClientWebSocketResponse
    built: list[int] = field(default_factory=list)
    last: dict[str, Any] = field(default_factory=dict)

    async def until(self, is_enough: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Reads messages up to one that is enough."""
        async with asyncio.timeout(120):
            while True:
                self.last = json.loads(await self.socket.receive_str())
                assert self.last["type"] in ("progress", "blocks", "ready"), self.last
                if self.last["type"] == "blocks":
                    self.built += self.last["blocks"]
                if is_enough(self.last):
                    return self.last

    async def want(self, *blocks: int) -> None:
        await self.socket.send_str(json.dumps({"type": "want", "blocks": blocks}))


async def body_of(client: Client, path: str, caching: str) -> bytes:
    answer = await client.get(path)
    body = await answer.read()
    assert (answer.status, answer.headers["Cache-Control"]) == (200, caching), (path, body)
    assert ("ETag" in answer.headers) is (caching != "no-store")
    return body


async def json_of(client: Client, path: str, schema: str | None = None) -> Any:
    answer = await client.get(path)
    body = await answer.read()
    assert answer.status == 200, body
    value = json.loads(gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body)
    if schema is not None:
        reference = {"$ref": f"#/components/schemas/{schema}", "components": describe_api()["components"]}
        Draft202012Validator(reference).validate(value)
    return value


async def pages_of(client: Client, base: str, block: int, caching: str) -> dict[str, bytes]:
    """The shape record of a block, and its pages, by path."""
    shape_path = f"{base}/shapes/{block}"
    bodies = {shape_path: await body_of(client, shape_path, caching)}
    shape = Shape.decode(gzip.decompress(bodies[shape_path]))
    for tile in range(len(shape.level)):
        path = f"{base}/pages/{'/'.join(map(str, shape.page_of(tile)[:4]))}"
        if path not in bodies:
            bodies[path] = await body_of(client, path, caching)
    return bodies


@pytest.fixture
async def client(tmp_path: Path, aiohttp_client: ClientFactory) -> Client:
    """A server with one run, whose worker writes a store that is finished elsewhere."""
    trace = tmp_path / "trace.xplane.pb"
    write_synthetic_trace(trace, format="xspace", events=20_000, tracks=120, seed=3)
    build_store([trace], tmp_path / "finished")
    worker = (sys.executable, str(Path(__file__).parent / "runs" / "replaying_worker.py"), str(tmp_path / "finished"))
    cache, stores = CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store)
    registry = Registry([trace], cache, stores, discover, run_job=partial(run_job, command=worker))
    return await aiohttp_client(make_app(registry), auto_decompress=False)


async def only_run(client: Client) -> str:
    (run,) = (await json_of(client, "/api/v1/runs"))["runs"]
    return f"/api/v1/runs/{run['id']}"


async def test_a_run_is_seen_block_by_block_and_then_as_a_whole(tmp_path: Path, client: Client) -> None:
    path = await only_run(client)
    async with client.ws_connect(f"{path}/watch") as socket:
        watch = Watch(socket)
        await client.post(f"{path}/index")
        shown = await watch.until(lambda message: message.get("revision", 0) >= 1)
        base = f"{path}/builds/{shown['build']}"
        manifest = await json_of(client, f"{path}/manifest", "Manifest")
        assert (manifest["state"], manifest["build"]) == ("indexing", shown["build"])
        tracks = await body_of(client, f"{base}/tracks", "no-store")
        last, wanted = manifest["blocks"] - 1, 1
        assert last > 2
        await watch.until(lambda message: last in watch.built)
        answer = await client.get(f"{base}/shapes/{wanted}")
        assert (answer.status, (await answer.json())["error"]["code"]) == (404, "not_built_yet")
        growing = await pages_of(client, base, last, "no-store")

        await watch.want(wanted)
        await watch.until(lambda message: len(watch.built) == manifest["blocks"])
        assert watch.built[:2] == [last, wanted]
        growing |= await pages_of(client, base, wanted, "no-store")

        await watch.want()
        await watch.until(lambda message: message == {"type": "ready", "build": shown["build"]})
        published = await pages_of(client, base, last, IMMUTABLE) | await pages_of(client, base, wanted, IMMUTABLE)
        assert published == growing
        assert await body_of(client, f"{base}/tracks", IMMUTABLE) == tracks
        manifest = await json_of(client, f"{path}/manifest", "Manifest")
        assert (manifest["state"], manifest["build"]) == ("ready", shown["build"])
    assert not list((tmp_path / "cache").rglob("*.part"))


async def test_readers_notice_nothing_of_publication(client: Client) -> None:
    path = await only_run(client)
    seen: list[str] = []

    async def read_on(resource: str) -> None:
        """Asks again and again, until the answer is immutable."""
        while not seen or seen[-1] != IMMUTABLE:
            answer = await client.get(resource)
            assert answer.status == 200
            assert await answer.read()
            seen.append(answer.headers["Cache-Control"])

    async with client.ws_connect(f"{path}/watch") as socket:
        watch = Watch(socket)
        await client.post(f"{path}/index")
        await watch.until(lambda message: message["type"] == "blocks")
        base = f"{path}/builds/{watch.last['build']}"
        shape, page, *_ = await pages_of(client, base, watch.built[0], "no-store")
        readers = [asyncio.create_task(read_on(resource)) for resource in (f"{base}/tracks", shape, page)]
        await watch.want(0)
        await watch.until(lambda message: len(watch.built) > 3)
        await watch.want()
        async with asyncio.timeout(30):
            await asyncio.gather(*readers)
    assert set(seen) == {"no-store", IMMUTABLE}


def is_building(process: psutil.Process) -> bool:
    try:
        return any("tilescope.server.runs.worker" in part for part in process.cmdline())
    except psutil.ZombieProcess:  # of a test before, which nobody has waited for yet
        return False


async def test_a_real_build_is_seen_before_it_is_ready_the_block_on_screen_first(
    tmp_path: Path, aiohttp_client: ClientFactory
) -> None:
    trace = tmp_path / "big.xplane.pb"
    write_synthetic_trace(trace, format="xspace", events=4_000_000, tracks=1280, seed=5)
    registry = Registry([trace], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    client = await aiohttp_client(make_app(registry), auto_decompress=False)
    path = await only_run(client)
    async with client.ws_connect(f"{path}/watch") as socket:
        watch = Watch(socket)
        await client.post(f"{path}/index")
        first = await watch.until(lambda message: message.get("revision", 0) >= 1)
        assert first["state"] == "indexing"
        base = f"{path}/builds/{first['build']}"
        assert (await json_of(client, f"{path}/manifest", "Manifest"))["state"] == "indexing"
        assert gzip.decompress(await body_of(client, f"{base}/overview/0", "no-store"))[:4] == b"TSOV"

        if first["phase"] != "build":
            await watch.until(lambda message: message.get("phase") == "build")
        # The wish has to be there before the last blocks are built, however busy the machine is.
        (builder,) = [child for child in psutil.Process().children(recursive=True) if is_building(child)]
        builder.suspend()
        manifest = await json_of(client, f"{path}/manifest", "Manifest")
        assert manifest["blocks"] > 10
        tree = await json_of(client, f"{base}/tracks", "TrackTree")
        weights = [0] * manifest["blocks"]
        for track in tree["tracks"]:
            weights[track["id"] // 32] += int(track["events"]) * (track["kind"] != "rollup")
        wanted = min((block for block, weight in enumerate(weights) if weight), key=weights.__getitem__)
        await watch.want(wanted)
        builder.resume()
        await watch.until(lambda message: wanted in watch.built)
        builder.suspend()
        growing = await pages_of(client, base, wanted, "no-store")
        builder.resume()
        blocks_of_tracks = sum(weight > 0 for weight in weights)  # those of rollups alone follow
        assert watch.built.index(wanted) < blocks_of_tracks - 4, "the smallest is built last unless it is looked at"

        await watch.until(lambda message: message["type"] == "ready")
        assert sorted(watch.built) == list(range(manifest["blocks"]))
        assert await pages_of(client, base, wanted, IMMUTABLE) == growing
        stats = await json_of(client, f"{base}/tools/stats?limit=1", "ToolAnswer")
    assert int(stats["tables"][0]["totals"]["count"]) > 1_000_000


def is_replaying(process: psutil.Process) -> bool:
    try:
        return any("replaying_worker" in part for part in process.cmdline())
    except psutil.ZombieProcess:  # of a test before, which nobody has waited for yet
        return False


async def test_a_worker_that_is_killed_leaves_nothing_though_somebody_reads_its_build(
    client: Client, tmp_path: Path
) -> None:
    path = await only_run(client)
    async with client.ws_connect(f"{path}/watch") as socket:
        watch = Watch(socket)
        await client.post(f"{path}/index")
        await watch.until(lambda message: message["type"] == "blocks")
        base = f"{path}/builds/{watch.last['build']}"
        async with client.ws_connect(f"{base}/stream"):
            await body_of(client, f"{base}/tracks", "no-store")
            (part,) = (tmp_path / "cache").rglob("gen-*.part")
            (worker,) = filter(is_replaying, psutil.Process().children())
            worker.kill()
            failed = json.loads(await socket.receive_str(timeout=10))
            assert failed["type"] == "failed"
            assert "SIGKILL" in failed["error"]
            assert (await client.get(f"{base}/tracks")).status == 404
            async with asyncio.timeout(10):
                while part.exists():
                    await asyncio.sleep(0.01)
