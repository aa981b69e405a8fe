"""The same questions by every way there is, no server, HTTP, gRPC and the WebSocket: all answers are equal."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import msgpack
import pytest
from msgspec import structs

from tests.client.conftest import GRPC_PORT, ServerFactory, serve
from tests.corpus import corpus_path
from tests.demo import DEMO_TRACE
from tilescope.client.errors import Refused
from tilescope.client.http import HttpSource
from tilescope.client.local import LocalSource
from tilescope.client.rpc import GrpcSource
from tilescope.client.source import Build, Source, Value, key_lists
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import PageKey, Shape, decompress
from tilescope.tiler.resolver import View
from tilescope.tiler.schema import LIMITS
from tilescope.tiler.store.attachments import CHUNK_BYTES
from tilescope.tiler.tools import answer_json
from tilescope.v1 import tiles_pb2 as pb

pytestmark = pytest.mark.slow

Question = Callable[[Source, Build], Awaitable[Any]]


def comparable(value: Any) -> Any:
    """Without members that are null: JSON leaves some out, protobuf cannot tell."""
    if isinstance(value, dict):
        return {name: comparable(item) for name, item in value.items() if item is not None}
    return [comparable(item) for item in value] if isinstance(value, list) else value


@pytest.fixture
async def sources(addresses: dict[str, str]) -> AsyncIterator[dict[str, Source]]:
    found: dict[str, Source] = {
        "local": LocalSource(Path(addresses["local"])),
        "http": HttpSource(addresses["http"]),
        "grpc": GrpcSource(addresses["grpc"]),
    }
    yield found
    for source in found.values():
        await source.close()


async def build_of(source: Source) -> Build:
    (run,) = await source.runs()
    return Build(run["id"], run["build"])


async def shape_of(source: Source, build: Build) -> Shape:
    return Shape.decode(decompress(await source.shape(build, 0)))


async def all_pages(source: Source, build: Build) -> dict[PageKey, bytes]:
    shape = await shape_of(source, build)
    pages = [key for key, _ in shape.pages()]
    keys = pages + [key.residual for key in pages if key in shape.pages_with_residual()]
    assert len(pages) < len(keys)
    found = {key: page async for key, page in source.pages(build, keys)}
    assert list(found) == keys
    return found


async def asked(source: Source, build: Build, tool: str, **values: Value) -> Any:
    return json.loads(answer_json.encode(await source.ask(build, tool, values)))


async def all_news(source: Source, run: str) -> list[dict[str, Any]]:
    return [message async for message in source.watch(run)]


async def all_of_attachments(source: Source, build: Build) -> list[bytes]:
    listed = await source.attachments(build)
    contents = [b"".join([piece async for piece in source.attachment(build, of["id"])]) for of in listed]
    assert [len(content) for content in contents] == [int(of["size_bytes"]) for of in listed]
    assert max(map(len, contents)) > CHUNK_BYTES
    return contents


async def read_attachment(source: Source, build: Build, number: int) -> bytes:
    return b"".join([piece async for piece in source.attachment(build, number)])


QUESTIONS: dict[str, Question] = {
    "watch": lambda source, build: all_news(source, build.run),
    "manifest": lambda source, build: source.manifest(build.run),
    "tracks": lambda source, build: source.tracks(build),
    "names": lambda source, build: source.names(build, 0),
    "shape": lambda source, build: source.shape(build, 0),
    "pages": all_pages,
    "event": lambda source, build: source.event(build, 2, 17),
    "attachments": lambda source, build: source.attachments(build),
    "tools": lambda source, build: source.tools(build),
    "attachment": all_of_attachments,
    "counter event": lambda source, build: source.event(build, 4, 3),
    "stats": lambda source, build: asked(source, build, "stats", start=0, end=10**9),
    "stats of a span": lambda source, build: asked(
        source, build, "stats", tracks=[0, 1, 3], start=5000, end=900_001, limit=3
    ),
    "stats of nothing": lambda source, build: asked(source, build, "stats", tracks=[], start=7, end=7, limit=0),
    "find": lambda source, build: asked(source, build, "find", text="op 1", limit=50),
    "find the next": lambda source, build: asked(
        source, build, "find", text="op 1", start=9000, end=800_000, tracks=[1, 3], limit=5, after="9900,1,3"
    ),
    "find the whole": lambda source, build: asked(source, build, "find", text="needle", match="exact"),
    "search": lambda source, build: asked(source, build, "search", query="op dur>3ns", limit=20, names=3),
    "search backward": lambda source, build: asked(
        source, build, "search", query="cat:cat", end=900_000, tracks=[1, 3], limit=5, after="99000,1,3", backward=True
    ),
    "search arguments": lambda source, build: asked(source, build, "search", query="arg:nothing>1", totals=False),
    "hit_bins": lambda source, build: asked(source, build, "hit_bins", query="op", px=60, tracks=[0, 2]),
    "hit_bins of lanes": lambda source, build: asked(
        source, build, "hit_bins", query="/op [12]/", start=5000, end=900_001, by="lane"
    ),
    "find nothing": lambda source, build: asked(source, build, "find", text="nothing of that name"),
}

REFUSED: dict[str, tuple[Question, str]] = {
    "no run": (lambda source, build: source.manifest("nobody"), "not_found"),
    "no run to watch": (lambda source, build: all_news(source, "nobody"), "not_found"),
    "no build": (lambda source, build: source.names(Build(build.run, "b0"), 0), "unknown_build"),
    "no names": (lambda source, build: source.names(build, 99), "not_found"),
    "no shape": (lambda source, build: source.shape(build, 99), "not_found"),
    "no attachment": (lambda source, build: read_attachment(source, build, 99), "not_found"),
    "no event": (lambda source, build: source.event(build, 2, 10**9), "not_found"),
    "no track": (lambda source, build: asked(source, build, "stats", tracks=[99]), ""),
    "no track to look on": (lambda source, build: asked(source, build, "find", text="a", tracks=[99]), ""),
    "no such query": (lambda source, build: asked(source, build, "search", query="dur>x"), ""),
    "a regex bomb": (lambda source, build: asked(source, build, "hit_bins", query="/((a{99}){99}){99}/"), ""),
    "no tool": (lambda source, build: asked(source, build, "nonsense"), "not_found"),
    "no field of that name": (lambda source, build: asked(source, build, "stats", spam=1), ""),
    "no span": (lambda source, build: asked(source, build, "stats", start=9, end=8), ""),
}


# Of what is not there, in words: no names of records.
WORDS = {
    "no names": "there is no page 99 of names in build ",
    "no shape": "there is no track from 3168 to 3199 in build ",
    "no event": "there is no event 1000000000 on track 2 in build ",
}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_every_way_gives_the_same_answer(sources: dict[str, Source], question: str) -> None:
    ask = QUESTIONS[question]
    answers = {}
    for name, source in sources.items():
        answer = await ask(source, await build_of(sources["http"] if name != "local" else source))
        if question == "manifest":  # the copy that is served has an id of its own
            answer = {**answer, "run": "", "store_bytes": ""}
        answers[name] = comparable(answer)
    assert answers["http"] == answers["local"]
    assert answers["grpc"] == answers["http"]


@pytest.mark.parametrize("question", REFUSED)
async def test_every_way_refuses_with_the_same_words(sources: dict[str, Source], question: str) -> None:
    ask, code = REFUSED[question]
    messages = set()
    for name, source in sources.items():
        with pytest.raises((Refused, UsageError)) as refused:
            await ask(source, await build_of(sources["http"] if name != "local" else source))
        assert getattr(refused.value, "code", "") == code
        messages.add(str(refused.value))
    assert len(messages) == 1
    assert WORDS.get(question, "") in messages.pop()


async def test_the_stream_and_single_pages_send_the_same_bytes(
    sources: dict[str, Source], addresses: dict[str, str]
) -> None:
    build = await build_of(sources["http"])
    pages = await all_pages(sources["grpc"], build)
    base = f"{addresses['http']}api/v1/runs/{build.run}/builds/{build.id}"
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        async with session.ws_connect(f"{base}/stream") as socket:
            wants = {"type": "want", "id": 1, "pages": [key.to_json() for key in pages]}
            await socket.send_bytes(msgpack.packb(wants))
            for key, page in pages.items():
                frame = await socket.receive_bytes(timeout=10)
                unpacker = msgpack.Unpacker()
                unpacker.feed(frame)
                assert unpacker.unpack() == {"type": "page", "id": 1, "key": key.to_json(), "bytes": len(page)}
                assert frame[unpacker.tell() :] == page
                await socket.send_bytes(msgpack.packb({"type": "credit", "bytes": len(page)}))
        for key in (*list(pages)[:5], *list(pages)[-5:]):
            kind = "residuals" if key.part else "pages"
            async with session.get(f"{base}/{kind}/{'/'.join(map(str, key[:4]))}") as answer:
                assert await answer.read() == pages[key]


async def test_pages_come_in_the_order_of_the_list_and_as_often_as_they_stand_in_it(sources: dict[str, Source]) -> None:
    for source in sources.values():
        build = await build_of(source)
        first, second, third = (key for key, _ in list((await shape_of(source, build)).pages())[:3])
        wanted = [first, second, first, first, third, second]
        assert [key async for key, _ in source.pages(build, wanted)] == wanted


async def test_a_view_is_resolved_alike_by_all(sources: dict[str, Source], addresses: dict[str, str]) -> None:
    """By the gRPC server, by the server behind the WebSocket, and here."""
    build = await build_of(sources["http"])
    grpc_source = sources["grpc"]
    assert isinstance(grpc_source, GrpcSource)
    local = sources["local"]
    assert isinstance(local, LocalSource)
    tracks = [0, 1, 2, 3, 4]
    request = pb.ViewRequest(run=build.run, build=build.id, start=10_000, end=700_000, px=1100, tracks=tracks)
    over_grpc = [
        PageKey(r.key.block, r.key.level, r.key.index, r.key.slot) async for r in grpc_source._tiles.View(request)
    ]
    base = f"{addresses['http']}api/v1/runs/{build.run}/builds/{build.id}"
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{base}/stream") as socket:
        view = {"type": "view", "id": 1, "start": 10_000, "end": 700_000, "px": 1100, "tracks": tracks}
        await socket.send_bytes(msgpack.packb(view))
        resolved = msgpack.unpackb(await socket.receive_bytes(timeout=10))
    over_stream = [PageKey(*key) for keys in resolved["tiers"].values() for key in keys]
    assert over_grpc == over_stream
    here = local._reader.pages(View.of_span(10_000, 700_000, 1100), tracks)
    assert [want.key for want in here] == over_grpc


@pytest.mark.parametrize(
    "name",
    [
        None,
        "kineto/nccl_data.json.gz",
        "chrome/nestable_async.json",
        "chrome/instance_counters.json",
        "ascend/msprof_1_0_6.json",
        pytest.param("xplane/tpu_v6e_4core.xplane.pb", marks=pytest.mark.deep),  # it is large
    ],
)
async def test_real_traces_with_their_arguments_and_flows(
    tmp_path: Path, aiohttp_server: ServerFactory, name: str | None
) -> None:
    build_store([DEMO_TRACE if name is None else corpus_path(name)], tmp_path / "real.store")
    served = shutil.copytree(tmp_path / "real.store", tmp_path / "served" / "real.store")
    server = await serve(served, tmp_path, aiohttp_server)
    local = LocalSource(tmp_path / "real.store")
    remote: dict[str, Source] = {
        "http": HttpSource(str(server.make_url("/"))),
        "grpc": GrpcSource(f"grpc://127.0.0.1:{server.app[GRPC_PORT]}"),
    }
    here, there = await build_of(local), await build_of(remote["http"])
    tree = comparable(await local.tracks(here))
    for source in remote.values():
        assert comparable(await source.tracks(there)) == tree
        manifest = await source.manifest(there.run)
        assert {**comparable(manifest), "run": here.run} == comparable(await local.manifest(here.run))
        assert await source.names(there, 0) == await local.names(here, 0)
        for track in tree["tracks"]:
            count = int(track["events"])
            for ordinal in {0, count // 2, count - 1} if count and track["kind"] != "rollup" else ():
                event = comparable(await source.event(there, track["id"], ordinal))
                assert event == comparable(await local.event(here, track["id"], ordinal))
            if count:
                expected = await asked(local, here, "stats", tracks=[track["id"]], limit=100)
                assert await asked(source, there, "stats", tracks=[track["id"]], limit=100) == expected
    every: list[Source] = [local, *remote.values()]
    for source in every:
        await source.close()


async def test_calls_and_pages_are_counted(sources: dict[str, Source], addresses: dict[str, str]) -> None:
    build = await build_of(sources["grpc"])
    pages = await all_pages(sources["grpc"], build)
    with pytest.raises(Refused):
        await sources["grpc"].manifest("nobody")
    size = sum(map(len, pages.values()))
    expected = {
        'tilescope_calls_total{call="ListRuns",status="ok"} 1.0',
        'tilescope_calls_total{call="Open",status="not_found"} 1.0',
        f'tilescope_pages_total{{transport="grpc"}} {float(len(pages))}',
        f'tilescope_page_bytes_total{{transport="grpc"}} {float(size)}',
    }
    lines: list[str] = []
    async with asyncio.timeout(10), aiohttp.ClientSession() as session:
        while not expected.issubset(lines):  # a call is counted when it has ended, which its client may hear before
            async with session.get(f"{addresses['http']}metrics") as answer:
                lines = (await answer.text()).splitlines()


@pytest.mark.parametrize("way", ["http", "grpc"])
async def test_lists_of_pages_are_as_long_as_the_server_says(
    sources: dict[str, Source], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilescope.tiler.schema.manifest.LIMITS", structs.replace(LIMITS, page_keys=2))
    lengths: list[int] = []

    def noting(keys: Sequence[PageKey], at_most: int) -> Iterator[list[PageKey]]:
        for some in key_lists(keys, at_most):
            lengths.append(len(some))
            yield some

    monkeypatch.setattr(f"tilescope.client.{'rpc' if way == 'grpc' else way}.key_lists", noting)
    source = sources[way]
    build = await build_of(source)
    assert (await source.manifest(build.run))["limits"]["page_keys"] == 2
    keys = [key for key, _ in list((await shape_of(source, build)).pages())[:5]]
    assert [key async for key, _ in source.pages(build, keys)] == keys
    assert lengths == [2, 2, 1]
