"""What is odd about an event is told by every way there is: details, tables of events, views, HTTP and gRPC."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import aiohttp
import grpc
import pytest

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tests.client.conftest import GRPC_PORT, ServerFactory, serve
from tests.flagged_traces import IN_JSON, IN_XSPACE, write_json, write_xspace
from tilescope.client import AsyncRun, connect_async
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.verify import verify_store
from tilescope.v1 import tiles_pb2 as pb

FORMATS = [("t.json", write_json, IN_JSON), ("t.xplane.pb", write_xspace, IN_XSPACE)]


async def check(run: AsyncRun, expected: dict[str, list[str]]) -> None:
    (track,) = await run.tracks(kind="slice")
    table = await run.events()
    for row in table.rows():
        flags = expected.get(row["name"], [])
        assert row["flags"].split() == flags, row
        assert row["open"] == ("open" in flags)
        if row["name"] in expected:
            assert list((await run.event(track.id, row["ordinal"])).flags) == flags
    assert set(expected) <= set(table["name"])
    view = await run.view(px=10)
    shown = {row["name"]: row["flags"].split() for row in view.slices.rows() if row["name"] in expected}
    assert shown == {name: expected[name] for name in shown}
    if "never ended" in expected:
        assert len(view.bins) > 0
        assert list(shown) == ["never ended"]  # nothing else is long enough to stand by itself


@pytest.mark.parametrize(("name", "write", "expected"), FORMATS)
async def test_flags_by_every_way(
    name: str,
    write: Callable[[Path], Path],
    expected: dict[str, list[str]],
    tmp_path: Path,
    aiohttp_server: ServerFactory,
) -> None:
    store = tmp_path / "flags.store"
    build_store([write(tmp_path / name)], store)
    verify_store(store)
    server = await serve(shutil.copytree(store, tmp_path / "served" / store.name), tmp_path, aiohttp_server)
    port = server.app[GRPC_PORT]
    for address in (str(store), str(server.make_url("/")), f"grpc://127.0.0.1:{port}"):
        async with connect_async(address) as client:
            run = await client.run()
            await check(run, expected)

    async with aiohttp.ClientSession() as session:
        (listed,) = (await (await session.get(server.make_url("/api/v1/runs"))).json())["runs"]
        base = f"/api/v1/runs/{listed['id']}/builds/{listed['build']}"
        answer = await (await session.get(server.make_url(f"{base}/events?limit=20"))).json()
    columns, names = answer["columns"], answer["names"]
    over_http = {
        names[str(name_id)][0]: flags for name_id, flags in zip(columns["name_id"], columns["flags"], strict=True)
    }
    over_http.pop("filler", None)
    wanted = {name: sum(SliceFlag[flag.upper()] for flag in flags) for name, flags in expected.items()}
    assert over_http == wanted

    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        request = pb.EventsRequest(run=listed["id"], build=listed["build"], limit=20)
        batches = [batch async for batch in tiles_pb2_grpc.TilesStub(channel).Events(request)]
    over_grpc: dict[str, int] = {}
    for batch in batches:
        flags = batch.flags or [0] * len(batch.ordinal)
        over_grpc |= {batch.names[i].name: flag for i, flag in zip(batch.name_id, flags, strict=True)}
    over_grpc.pop("filler", None)
    assert over_grpc == wanted
