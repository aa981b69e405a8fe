"""Every call of the service, against the store that it serves."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import MessageToDict

from tests.demo import LACKING
from tests.server.rpc.conftest import Site
from tests.server.rpc.refusals import refusal
from tilescope.server.rpc import failures
from tilescope.server.stream.wants import WantQueue
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey, Shape, decompress
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.resolver import View
from tilescope.tiler.store.store import need
from tilescope.tiler.tools import Scope, answer_json, ask, from_values, tool, tools, values_of
from tilescope.v1 import tiles_pb2 as pb


def as_json(message: Any) -> dict[str, Any]:
    found: dict[str, Any] = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return found


async def test_runs_and_what_they_hold(site: Site) -> None:
    (run,) = (await site.tiles.ListRuns(pb.ListRunsRequest())).runs
    assert (run.id, run.build, run.state, run.HasField("error")) == (site.run, site.build, "ready", False)
    opened = await site.tiles.Open(pb.OpenRequest(run=site.run))
    manifest = site.store.manifest()
    about = as_json(opened.manifest)
    assert {name: about.get(name) for name in manifest} == manifest  # null is a field that is not set
    assert (run.steps if run.HasField("steps") else None, list(run.contents)) == (
        manifest["steps"] and int(manifest["steps"]["count"]),
        [],
    )
    tree = json.loads(decompress(need(site.store, TRACKS)))
    assert [track.name for track in opened.tracks] == [track["name"] for track in tree["tracks"]]
    assert [int(track.busy) for track in opened.tracks] == [int(track["busy"]) for track in tree["tracks"]]
    assert [group.parent if group.HasField("parent") else None for group in opened.groups] == [
        group["parent"] for group in tree["groups"]
    ]


async def test_names_and_shapes(site: Site) -> None:
    names = (await site.tiles.Names(pb.NamesRequest(run=site.run, build=site.build, page=0))).names
    stored = site.store.get(NAMES, 0)
    assert stored is not None
    assert [[name.name, name.category] for name in names] == json.loads(decompress(stored))
    shape = await site.tiles.Shape(pb.ShapeRequest(run=site.run, build=site.build, block=0))
    assert shape.record == site.store.get(SHAPE, 0)


def keys_of(site: Site) -> list[PageKey]:
    record = site.store.get(SHAPE, 0)
    assert record is not None
    shape = Shape.decode(decompress(record))
    pages = [key for key, _ in shape.pages()]
    return pages + [key.residual for key in pages if key in shape.pages_with_residual()]


def proto_key(key: PageKey) -> pb.PageKey:
    return pb.PageKey(**key._asdict())


def page_key(key: pb.PageKey) -> PageKey:
    return PageKey(key.block, key.level, key.index, key.slot, key.part)


async def test_pages_come_as_wanted_within_the_credit(site: Site) -> None:
    keys = keys_of(site)
    call = site.tiles.Pages()
    await call.write(pb.PagesRequest(start=pb.PagesStart(run=site.run, build=site.build)))
    missing = PageKey(0, 9, 12345, 3)
    wanted = [*keys[:5], missing, *keys[5:]]
    await call.write(pb.PagesRequest(want=pb.Want(id=1, pages=map(proto_key, wanted))))
    pages: dict[PageKey, bytes] = {}
    gone: list[PageKey] = []
    while True:
        response = await call.read()
        pages |= {page_key(page.key): page.data for page in response.pages}
        gone += [page_key(answer.key) for answer in response.missing]
        assert {answer.id for answer in (*response.pages, *response.missing)} <= {1}
        if response.HasField("done"):
            assert (response.done.id, response.done.HasField("tier")) == (1, False)
            break
        await call.write(pb.PagesRequest(credit=pb.Credit(bytes=sum(len(page.data) for page in response.pages))))
    assert pages == {key: stored_page(site.store, key) for key in keys}
    assert (list(pages), gone) == (keys, [missing])
    await call.done_writing()
    assert await call.read() == grpc.aio.EOF


async def test_tiers_are_done_one_by_one(site: Site) -> None:
    keys = [proto_key(key) for key in keys_of(site)[:3]]
    tiers = pb.WantTiers(visible=keys[:1], margin=keys[1:2], prefetch=keys[2:])

    async def requests() -> AsyncIterator[pb.PagesRequest]:
        yield pb.PagesRequest(start=pb.PagesStart(run=site.run, build=site.build))
        yield pb.PagesRequest(want=pb.Want(id=1, tiers=tiers))

    responses = [response async for response in site.tiles.Pages(requests())]
    told = [([page.key for page in r.pages], r.done.tier) for r in responses]
    assert told == [(keys[:1], "visible"), (keys[1:2], "margin"), (keys[2:], "prefetch"), ([], "")]


async def test_pages_share_messages_up_to_a_size(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.server.rpc.pages.MESSAGE_BYTES", 50_000)
    keys = keys_of(site)

    async def requests() -> AsyncIterator[pb.PagesRequest]:
        yield pb.PagesRequest(start=pb.PagesStart(run=site.run, build=site.build))
        yield pb.PagesRequest(want=pb.Want(id=1, pages=map(proto_key, keys)))

    sizes = [[len(page.data) for page in response.pages] async for response in site.tiles.Pages(requests())]
    assert sum(map(len, sizes)) == len(keys) > 2 * len(sizes)
    assert all(sum(message[:-1]) < 50_000 <= sum(message) for message in sizes[:-1])


@pytest.mark.parametrize(
    "requests",
    [
        [],
        [pb.PagesRequest(credit=pb.Credit(bytes=1))],
        [pb.PagesRequest(want=pb.Want(id=1))],
        ["start", "start"],
        ["start", pb.PagesRequest(want=pb.Want(id=3)), pb.PagesRequest(want=pb.Want(id=2))],
        ["start", pb.PagesRequest(want=pb.Want(id=1, pages=[pb.PageKey(level=32)]))],
        ["start", pb.PagesRequest(want=pb.Want(id=1, pages=[pb.PageKey()] * 4097))],
        ["start", pb.PagesRequest(want=pb.Want(id=1, pages=[pb.PageKey()], tiers=pb.WantTiers()))],
    ],
)
async def test_messages_that_make_no_sense_end_the_stream(site: Site, requests: list[Any]) -> None:
    start = pb.PagesRequest(start=pb.PagesStart(run=site.run, build=site.build))

    async def stream() -> AsyncIterator[pb.PagesRequest]:
        for request in requests:
            yield start if request == "start" else request

    async def read() -> None:
        async for _ in site.tiles.Pages(stream()):
            pass

    assert (await refusal(read()))[:2] == (grpc.StatusCode.INVALID_ARGUMENT, "bad_message")


async def test_a_client_that_gives_no_credit_costs_its_credit_at_most(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WantQueue.__init__, "__defaults__", (10_000,))
    call = site.tiles.Pages()
    await call.write(pb.PagesRequest(start=pb.PagesStart(run=site.run, build=site.build)))
    await call.write(pb.PagesRequest(want=pb.Want(id=1, pages=map(proto_key, keys_of(site)))))
    received = 0
    with suppress(TimeoutError):
        while True:
            async with asyncio.timeout(0.3):
                received += sum(len(page.data) for page in (await call.read()).pages)
    assert 0 < received <= 10_000 + 49_132
    call.cancel()


async def test_a_view_is_resolved_by_the_server(site: Site) -> None:
    reader = QueryReader(site.store)
    tracks = [track.id for track in reader.tree.tracks]
    request = pb.ViewRequest(
        run=site.run,
        build=site.build,
        start=0,
        end=reader.end + 1,
        px=1200,
        tracks=tracks[:6],
        nearby=tracks[6:8],
    )
    got = [(r.tier, page_key(r.key), r.data) async for r in site.tiles.View(request)]
    resolved = reader.pages(View.of_span(0, reader.end + 1, 1200), tracks[:6], tracks[6:8])
    tiers = {"coarse": "visible", "sharp": "visible", "margin": "margin", "root": "prefetch"}
    wanted = [(tiers[want.tier], want.key) for want in resolved]
    assert [(tier, key) for tier, key, _ in got] == wanted
    assert all(data == stored_page(site.store, key) for _, key, data in got)
    request.residuals = True
    with_residuals = [(r.tier, page_key(r.key)) async for r in site.tiles.View(request)]
    assert [(tier, key) for tier, key in with_residuals if not key.part] == wanted
    residuals = [key.residual for _, key in wanted if reader.has_residual(key)]
    assert [key for _, key in with_residuals if key.part] == residuals != []


async def test_a_view_without_tracks_is_of_all_but_rollups(site: Site) -> None:
    reader = QueryReader(site.store)
    request = pb.ViewRequest(run=site.run, build=site.build, end=reader.end + 1, px=700)
    got = [(r.tier, page_key(r.key)) async for r in site.tiles.View(request)]
    request.tracks.extend(track.id for track in reader.tree.tracks if track.kind != "rollup")
    assert got == [(r.tier, page_key(r.key)) async for r in site.tiles.View(request)] != []


async def test_a_view_that_is_cancelled_ends(site: Site) -> None:
    reader = QueryReader(site.store)
    call = site.tiles.View(pb.ViewRequest(run=site.run, build=site.build, end=reader.end + 1, px=1000, tracks=range(5)))
    assert (await call.read()).data
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call.read()


async def test_details_of_an_event(site: Site) -> None:
    track = next(t.id for t in QueryReader(site.store).tree.tracks if t.kind == "slice" and t.events != 0)
    event = await site.tiles.Details(pb.DetailsRequest(run=site.run, build=site.build, track=track, ordinal=0))
    wanted = event_details(site.store, track, 0)
    assert wanted is not None
    assert (event.name, str(event.start), str(event.duration)) == (wanted["name"], wanted["start"], wanted["duration"])
    assert as_json(event)["args"] == wanted["args"]
    assert event.HasField("value") == (wanted["value"] is not None)


async def test_all_events_in_batches(site: Site) -> None:
    request = pb.EventsRequest(run=site.run, build=site.build)
    batches = [batch async for batch in site.tiles.Events(request)]
    total = sum(len(batch.ordinal) for batch in batches)
    assert str(total) == site.store.manifest()["events"]["total"]
    names: dict[int, str] = {}
    for batch in batches:
        assert not set(batch.names) & set(names), "a name was sent twice"
        names |= {name: about.name for name, about in batch.names.items()}
        assert len(batch.start) == len(batch.name_id) == len(batch.duration) == len(batch.row) == len(batch.ordinal)
        event = event_details(site.store, batch.track, batch.ordinal[-1])
        assert event is not None
        assert (names[batch.name_id[-1]], str(batch.start[-1])) == (event["name"], event["start"])
    some = [b async for b in site.tiles.Events(pb.EventsRequest(run=site.run, build=site.build, limit=7))]
    assert sum(len(batch.ordinal) for batch in some) == 7


async def parts_of(call: Any) -> bytes:
    return b"".join([part.data async for part in call])


async def test_tools_answer_in_json_and_as_arrow(site: Site) -> None:
    import pyarrow

    listed = await site.tiles.ListTools(pb.ListToolsRequest(run=site.run, build=site.build))
    assert [(one.id, one.available) for one in listed.tools] == [(name, name not in LACKING) for name in tools()]
    asked = pb.AskRequest(run=site.run, build=site.build, tool="stats", question=b'{"limit": 3, "start": "5"}')
    answer = answer_json.decode(await parts_of(site.tiles.Ask(asked)))
    here = tool("stats")
    expected = finish(ask(here, Scope(QueryReader(site.store)), from_values(here.question, {"limit": 3, "start": 5})))
    assert answer_json.encode(answer) == answer_json.encode(expected)
    asked.format, asked.table = "arrow", "names"
    arrow = pyarrow.ipc.open_stream(await parts_of(site.tiles.Ask(asked))).read_all()
    assert arrow["busy"].to_pylist() == values_of(expected.table("names").column("busy"))


async def test_a_long_answer_comes_in_parts(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.server.rpc.tools.PART_BYTES", 100)
    asked = pb.AskRequest(run=site.run, build=site.build, tool="stats")
    parts = [part.data async for part in site.tiles.Ask(asked)]
    assert {len(part) for part in parts[:-1]} == {100}
    assert len(answer_json.decode(b"".join(parts)).table("names")) > 100


async def test_errors_are_those_of_http(site: Site) -> None:
    tiles, run, build = site.tiles, site.run, site.build
    assert await refusal(tiles.Open(pb.OpenRequest(run="nobody"))) == (
        grpc.StatusCode.NOT_FOUND,
        "not_found",
        "there is no run 'nobody'",
    )
    stale = await refusal(parts_of(tiles.Ask(pb.AskRequest(run=run, build="b0", tool="stats"))))
    assert stale[:2] == (grpc.StatusCode.NOT_FOUND, "unknown_build")
    for call in (
        pb.AskRequest(tool="find"),
        pb.AskRequest(tool="find", question=b'{"text": "a", "match": "regex"}'),
        pb.AskRequest(tool="find", question=b'{"text": "a", "after": "x"}'),
        pb.AskRequest(tool="find", question=b'{"text": "a"}', table="none"),
        pb.AskRequest(tool="stats", question=b'{"start": 9, "end": 8}'),
        pb.AskRequest(tool="stats", question=b'{"tracks": [9999]}'),
        pb.AskRequest(tool="stats", question=b'{"limit": 70000}'),
        pb.AskRequest(tool="stats", question=b'{"start": 0.5}'),
        pb.AskRequest(tool="stats", question=b"[]"),
        pb.AskRequest(tool="stats", format="xml"),
    ):
        call.run, call.build = run, build
        assert (await refusal(parts_of(tiles.Ask(call))))[:2] == (grpc.StatusCode.INVALID_ARGUMENT, "bad_request")
    nothing = await refusal(parts_of(tiles.Ask(pb.AskRequest(run=run, build=build, tool="nonsense"))))
    assert nothing[:2] == (grpc.StatusCode.NOT_FOUND, "not_found")
    none = await refusal(tiles.Details(pb.DetailsRequest(run=run, build=build, track=0, ordinal=10**9)))
    assert none[:2] == (grpc.StatusCode.NOT_FOUND, "not_found")
    assert (await refusal(tiles.Shape(pb.ShapeRequest(run=run, build=build, block=99))))[0] is grpc.StatusCode.NOT_FOUND
    assert (await refusal(tiles.Names(pb.NamesRequest(run=run, build=build, page=99))))[0] is grpc.StatusCode.NOT_FOUND


@dataclass(frozen=True)
class Endless:
    """Never finds anything, and says so in a file."""

    folder: Path

    def __call__(self, _reader: QueryReader) -> Interruptible[Any]:
        try:
            (self.folder / "begun").touch()
            while True:
                yield
        finally:
            (self.folder / "stopped").touch()


async def test_a_deadline_stops_the_work(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tilescope.server.rpc.tools.ToolTask", lambda *_arguments: Endless(tmp_path))
    request = pb.AskRequest(run=site.run, build=site.build, tool="stats")
    call = asyncio.ensure_future(parts_of(site.tiles.Ask(request, timeout=5)))
    async with asyncio.timeout(30):
        while not (tmp_path / "begun").exists():
            await asyncio.sleep(0.01)
        assert (await refusal(call))[0] is grpc.StatusCode.DEADLINE_EXCEEDED
        while not (tmp_path / "stopped").exists():
            await asyncio.sleep(0.01)


async def test_a_run_that_is_ready_is_watched_in_one_message(site: Site) -> None:
    updates = [update async for update in site.tiles.Watch(pb.WatchRequest(run=site.run))]
    assert [(u.WhichOneof("update"), u.ready.build) for u in updates] == [("ready", site.build)]


async def test_bytes_are_gzip_members(site: Site) -> None:
    shape = await site.tiles.Shape(pb.ShapeRequest(run=site.run, build=site.build, block=0))
    assert gzip.decompress(shape.record)[:4] == b"TSSH"


def system_buffers() -> int:
    """What a connection may hold on both of its sides, where the system says so: more where there is much load."""
    limits = [Path(f"/proc/sys/net/ipv4/tcp_{side}") for side in ("rmem", "wmem")]
    return sum(int(path.read_text().split()[2]) for path in limits if path.exists())


async def test_a_client_that_does_not_read_holds_little(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """gRPC's own windows and buffers and the system's of a connection, whatever the size of the answer."""
    taken = 0
    page = bytes(40_000)

    async def endless(*_arguments: object) -> AsyncGenerator[pb.ViewResponse, None]:
        nonlocal taken
        for _ in range(4000):
            taken += len(page)
            yield pb.ViewResponse(data=page)

    monkeypatch.setattr("tilescope.server.rpc.view.responses", endless)
    call = site.tiles.View(pb.ViewRequest(run=site.run, build=site.build))
    assert (await call.read()).data == page
    before = -1
    while before != taken:  # until no more is taken, however often the server has its turn
        before = taken
        for _ in range(20):
            await site.tiles.ListRuns(pb.ListRunsRequest())
    call.cancel()
    held = 8 * 1024 * 1024 + system_buffers()
    assert taken <= held < 4000 * len(page), f"{taken:,} bytes are on their way to somebody who does not read"


async def test_a_client_that_takes_nothing_is_cut_off(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = asyncio.Event()

    async def endless(*_arguments: object) -> AsyncGenerator[pb.ViewResponse, None]:
        try:
            while True:
                yield pb.ViewResponse(data=bytes(40_000))
        finally:
            closed.set()

    monkeypatch.setattr("tilescope.server.rpc.view.responses", endless)
    monkeypatch.setattr(failures, "SEND_TIMEOUT_S", 0.2)
    monkeypatch.setattr(failures, "CLOSE_TIMEOUT_S", 0.1)
    call = site.tiles.View(pb.ViewRequest(run=site.run, build=site.build))
    async with asyncio.timeout(10):
        await closed.wait()  # what it held, it has given back
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        async for _ in call:
            pass
    assert ended.value.code() is grpc.StatusCode.ABORTED
    assert "took nothing" in ended.value.details()
