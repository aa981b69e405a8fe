"""Tiers, and clients that resolve nothing themselves, over a real store."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType

from tests.server.conftest import Client
from tests.server.stream.client import keys_of, receive, receive_all, send
from tilescope.server.app import make_app
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.services import Questions, ViewRequest
from tilescope.server.stream.views import pages_of_view
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey
from tilescope.tiler.query import QueryReader
from tilescope.tiler.readers import discover
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.resolver import PageWant, Tier, View
from tilescope.tiler.store import RunStore, open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.synth import write_synthetic_trace

TIER_NAMES = ["visible", "margin", "prefetch"]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stream")
    write_synthetic_trace(folder / "trace.xplane.pb", format="xspace", events=200_000, tracks=40, seed=1)
    build_store([folder / "trace.xplane.pb"], folder / "store")
    return folder / "store"


@dataclass
class Stream:
    """A client of a server with one run, and the same run without a server."""

    client: Client
    path: str
    reader: QueryReader
    questions: Questions

    def open(self) -> Any:
        return self.client.ws_connect(self.path)

    def view(self, start: float, end: float, tracks: list[int], nearby: list[int] | None = None) -> dict[str, Any]:
        """A message with a part of the run, as fractions."""
        width = self.reader.end
        span = {"start": int(start * width), "end": str(int(end * width))}
        return {"type": "view", "px": 800, "tracks": tracks, "nearby": nearby or [], **span}

    def expected(self, message: dict[str, Any]) -> dict[str, list[PageKey]]:
        """What docs/resolver.md says, by tier of the stream."""
        view = View.of_span(int(message["start"]), int(message["end"]), message["px"])
        wants = self.reader.pages(view, message["tracks"], message["nearby"])
        passes = {"visible": (Tier.COARSE, Tier.SHARP), "margin": (Tier.MARGIN,), "prefetch": (Tier.ROOT,)}
        return {name: [want.key for want in wants if want.tier in tiers] for name, tiers in passes.items()}


@pytest.fixture
async def stream(
    indexed: Path, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[Client]]
) -> AsyncIterator[Stream]:
    served = shutil.copytree(indexed, tmp_path / "served.store")  # LMDB opens no file twice in a process
    registry = Registry([served], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    app = make_app(registry)
    client = await aiohttp_client(app)
    (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
    store = open_run_store(indexed)
    path = f"/api/v1/runs/{run['id']}/builds/{run['build']}/stream"
    questions = Questions(registry)
    yield Stream(client, path, QueryReader(store), questions)
    await questions.close()
    store.close()


async def test_a_list_in_tiers_says_when_each_has_come(stream: Stream) -> None:
    pages = [key.to_json() for keys in stream.expected(stream.view(0, 1, [0, 1, 2], [3])).values() for key in keys]
    async with stream.open() as socket:
        await send(socket, type="want", id=1, tiers={"visible": pages[:2], "margin": pages[2:3], "prefetch": pages[3:]})
        heads = await receive_all(socket)
        assert [head.get("tier", head["type"]) for head in heads] == [
            *["page", "page", "visible", "page", "margin"],
            *["page"] * (len(pages) - 3),
            *["prefetch", "done"],
        ]


@pytest.mark.parametrize(("start", "end"), [(0, 1), (0.3, 0.31), (0.5, 0.5001), (-0.5, 0.1), (0.9, 2)])
async def test_a_view_is_answered_with_its_pages_tier_by_tier(stream: Stream, start: float, end: float) -> None:
    message = stream.view(start, end, [3, 1, 2], [0, 4])
    expected = stream.expected(message)
    async with stream.open() as socket:
        await send(socket, id=1, **message)
        first, *heads = await receive_all(socket)
    tiers = {name: [key.to_json() for key in keys] for name, keys in expected.items()}
    assert first == {"type": "resolved", "id": 1, "tiers": tiers}
    assert [head["tier"] for head in heads if "tier" in head] == TIER_NAMES
    assert keys_of(heads) == [key for keys in expected.values() for key in keys]
    for head in heads:
        if head["type"] == "page":
            assert head["payload"] == stored_page(stream.reader.store, PageKey(*head["key"]))


async def test_a_view_without_tracks_is_of_all_but_rollups(stream: Stream) -> None:
    every = [track.id for track in stream.reader.tree.tracks if track.kind != "rollup"]
    message = stream.view(0.2, 0.4, every)
    expected = [key for keys in stream.expected(message).values() for key in keys]
    del message["tracks"]
    async with stream.open() as socket:
        await send(socket, id=1, **message)
        assert keys_of(await receive_all(socket)) == expected


async def test_residuals_follow_their_pages_if_a_view_wants_them(stream: Stream) -> None:
    message = stream.view(0, 1, [3, 1, 2])
    pages = [key for keys in stream.expected(message).values() for key in keys]
    wanted = [part for key in pages for part in (key, key.residual) if not part.part or stream.reader.has_residual(key)]
    assert len(pages) < len(wanted)
    async with stream.open() as socket:
        await send(socket, id=1, residuals=True, **message)
        heads = await receive_all(socket)
    assert keys_of(heads) == wanted
    for head in heads:
        if head["type"] == "page":
            assert head["payload"] == stored_page(stream.reader.store, PageKey(*head["key"]))


async def test_a_view_of_a_rollup_brings_its_tracks_where_it_is_too_coarse(stream: Stream) -> None:
    store = stream.reader.store
    assert isinstance(store, RunStore)
    rollup = next(track for track, kind in kinds(store).items() if kind == "rollup")
    message = stream.view(0.5, 0.5001, [rollup])
    async with stream.open() as socket:
        await send(socket, id=1, **message)
        heads = await receive_all(socket)
    assert keys_of(heads) == [key for keys in stream.expected(message).values() for key in keys]


async def test_a_view_that_moves_brings_what_the_client_has_not(stream: Stream) -> None:
    async with stream.open() as socket:
        await send(socket, id=1, **stream.view(0.30, 0.34, [1, 2, 3]))
        held = keys_of(await receive_all(socket))
        there = stream.view(0.31, 0.35, [1, 2, 3])
        have = [key.to_json() for key in held]
        await send(socket, id=2, **there, have=have, received=len(held))
        heads = await receive_all(socket)
        assert not set(keys_of(heads)) & set(held)
        needed = {key for keys in stream.expected(there).values() for key in keys}
        assert set(keys_of(heads)) == needed - set(held)
        assert {PageKey(*key) for keys in heads[0]["tiers"].values() for key in keys} == needed
        assert [head["tier"] for head in heads if "tier" in head] == TIER_NAMES


async def test_a_view_replaces_a_list_and_the_other_way_round(stream: Stream) -> None:
    message = stream.view(0, 1, [1, 2, 3])
    page = list(stream.expected(message)["visible"][0])
    async with stream.open() as socket:
        await send(socket, id=1, **message)
        await send(socket, type="want", id=2, pages=[page])
        heads = await receive_all(socket)
        while heads[-1]["id"] == 1:
            heads = await receive_all(socket)
        assert [head["type"] for head in heads if head["id"] == 2] == ["page", "done"]


@pytest.mark.parametrize("resolves", [True, False], ids=["as a view", "as a list"])
async def test_a_client_that_was_cut_off_gets_the_rest_and_nothing_twice(stream: Stream, resolves: bool) -> None:
    message = stream.view(0, 1, list(range(1, 40)))
    wanted = [key for keys in stream.expected(message).values() for key in keys]
    held: list[PageKey] = []
    want_id = 0
    connections = 0
    while len(held) < len(wanted):
        connections += 1
        async with stream.open() as socket:
            want_id += 1
            if resolves:
                await send(socket, id=want_id, **message, have=[key.to_json() for key in held])
            else:
                await send(socket, type="want", id=want_id, pages=[key.to_json() for key in wanted if key not in held])
            for _ in range(len(wanted) // 3):
                head, _ = await receive(socket)
                if head == {"type": "done", "id": want_id}:
                    break
                if head["type"] == "page":
                    held.append(PageKey(*head["key"]))
                if len(held) == len(wanted):  # nothing more will come
                    break
            abort(socket)
    assert held == wanted
    assert connections > 2


def abort(socket: ClientWebSocketResponse) -> None:
    """As when a cable is pulled."""
    connection = socket._response.connection
    assert connection is not None
    assert connection.transport is not None
    connection.transport.abort()


async def test_a_view_of_tracks_that_are_not_there_closes_the_stream_with_the_reason(stream: Stream) -> None:
    async with stream.open() as socket:
        await send(socket, id=1, **stream.view(0, 1, [10_000]))
        head, _ = await receive(socket)
        assert (head["type"], head["code"]) == ("error", "bad_message")
        assert "10000" in head["message"]
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE
        assert socket.close_code == 1008


class HalfBuilt:
    """A store of which some blocks are not built yet."""

    def __init__(self, store: RunStore, built: set[int], *, is_growing: bool = True) -> None:
        self._store, self._built, self.is_growing = store, built, is_growing

    def get(self, record: Record, *numbers: int) -> bytes | None:
        is_missing = record is SHAPE and numbers[0] not in self._built
        return None if is_missing else self._store.get(record, *numbers)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_a_growing_build_shows_the_tracks_that_are_done(stream: Stream) -> None:
    store = stream.reader.store
    assert isinstance(store, RunStore)
    tracks = json.loads(gzip.decompress(need(store, TRACKS)))["tracks"]
    done = [
        track["id"] for track in tracks if track["events"] != "0" and track["id"] < 32 and track["kind"] != "rollup"
    ]
    everything = [track["id"] for track in tracks if track["kind"] != "rollup"]
    growing = HalfBuilt(store, {0})
    for end in (stream.reader.end, stream.reader.end // 1000):
        request = ViewRequest(0, end, 800, everything, everything)
        wants = pages_of_view(stream.questions, growing, request)
        assert wants == stream.reader.pages(request.view(), done, done)
        assert wants
        with pytest.raises(DamagedStore):
            pages_of_view(stream.questions, HalfBuilt(store, {0}, is_growing=False), request)


def test_a_growing_build_shows_no_rollup_of_which_a_part_is_missing(stream: Stream) -> None:
    store = stream.reader.store
    assert isinstance(store, RunStore)
    children = stream.reader.tree.children
    own, other, rollup = next(
        (track // 32, child // 32, track)
        for track, kind in kinds(store).items()
        if kind == "rollup"
        for child in children(track)
        if child // 32 != track // 32
    )
    sibling = next(track for track, kind in kinds(store).items() if kind == "slice" and track // 32 == own)
    request = ViewRequest(stream.reader.end // 2, stream.reader.end // 2 + 5000, 800, [rollup, sibling])
    whole = pages_of_view(stream.questions, HalfBuilt(store, {0, 1, 2}), request)
    assert {want.key.block for want in whole} >= {own, other}
    part = pages_of_view(stream.questions, HalfBuilt(store, {own}), request)
    assert part == stream.reader.pages(request.view(), [sibling])


def kinds(store: RunStore) -> dict[int, str]:
    tracks = json.loads(gzip.decompress(need(store, TRACKS)))["tracks"]
    return {track["id"]: track["kind"] for track in tracks}


async def test_others_have_their_turn_between_two_views(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = 0
    seen = []

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def resolve(*_arguments: object) -> list[PageWant]:
        seen.append(turns)
        return []

    monkeypatch.setattr("tilescope.server.routes.stream.pages_of_view", resolve)
    task = asyncio.create_task(other())
    async with stream.open() as socket:
        for want_id in range(20):  # as one piece: all of them are there at once
            await send(socket, id=want_id, **stream.view(0, 1, [0]))
        async with asyncio.timeout(5):
            while len(seen) < 20:
                await asyncio.sleep(0)
    task.cancel()
    assert len(set(seen)) == 20
