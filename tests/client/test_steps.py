"""Questions about steps by every way: a store on this machine, HTTP, gRPC and the command line."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from aiohttp import ClientSession

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tests.client.conftest import serve
from tests.corpus import corpus_path
from tests.example import Example, PlainEvent
from tests.step_files import CORPUS, files_of, steps_of
from tilescope.cli.dispatch import main
from tilescope.client import AsyncRun, connect_async
from tilescope.client.question_fields import StepsLike
from tilescope.client.sync import Client
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.v1 import tiles_pb2 as pb

pytestmark = pytest.mark.slow

STEPS: list[StepsLike] = [(4, 6), "4-6", "4..6", range(4, 7)]


def windows(example: Example, first: int, last: int) -> list[tuple[int, int]]:
    """Those of the example: all tracks are of one process, whose thread 1 marks steps."""
    found = [e for e in example.events if e.name in {f"Iteration {k}" for k in range(first, last + 1)}]
    return [(e.start, e.start + e.duration) for e in found if e.duration]


def overlapping(example: Example, first: int, last: int) -> list[PlainEvent]:
    spans = windows(example, first, last)
    return [e for e in example.events if e.value is None and any(e.overlaps(*span) for span in spans)]


def starting(example: Example, first: int, last: int) -> list[PlainEvent]:
    spans = windows(example, first, last)
    return [e for e in overlapping(example, first, last) if any(a <= e.start < b for a, b in spans)]


@pytest.mark.parametrize("steps", STEPS)
async def test_steps_by_every_way(run: AsyncRun, example: Example, steps: StepsLike) -> None:
    stats = await run.stats(steps=steps, limit=10_000)
    assert stats.total.count == len(starting(example, 4, 6)) > 3
    found = await run.find("inner", steps=steps)
    assert found.count == sum("inner" in e.name.lower() for e in starting(example, 4, 6))
    slices = [track for track in await run.tracks() if track.kind == "slice"]
    events = await run.events(steps=steps, tracks=slices)
    rows = zip(events["start"].tolist(), events["duration"].tolist(), strict=True)
    assert sorted(rows) == sorted((e.start, e.duration) for e in overlapping(example, 4, 6))
    batches = [batch async for batch in run.event_batches(steps=steps, tracks=slices)]
    assert sum(len(batch) for batch in batches) == len(events)
    answer = await run.ask("steps", steps=steps)
    assert answer.table("steps")["step"].tolist() == [4, 5, 6]


async def test_one_step_named_steps_and_mistakes(run: AsyncRun, example: Example) -> None:
    assert (await run.stats(steps=4)).total.count == len(starting(example, 4, 4))
    named = await run.stats(steps=0, step_name="everything", tracks=[0])
    assert named.total.count > 1000
    with pytest.raises(UsageError, match="there are no steps 13-20: the run has steps 3 to 12"):
        await run.stats(steps=(13, 20))
    for wrong in ("4-", (6, 4), "x"):
        with pytest.raises(UsageError, match="steps"):
            await run.events(steps=wrong)
    assert len(await run.events(step_name="everything")) == len(await run.events()), "a name alone leaves out nothing"


@pytest.mark.parametrize(
    "ask",
    [
        lambda run: run.events(step_name="nobody"),
        lambda run: run.events(step_name="nobody", name="outer"),
        lambda run: anext(run.event_batches(step_name="nobody")),
        lambda run: run.stats(step_name="nobody"),
        lambda run: run.find("inner", step_name="nobody"),
        lambda run: run.search("inner", step_name="nobody"),
        lambda run: anext(run.hit_batches("inner", step_name="nobody")),
    ],
)
async def test_a_name_of_no_slice_is_refused_by_every_call(
    run: AsyncRun, ask: Callable[[AsyncRun], Awaitable[object]]
) -> None:
    with pytest.raises(UsageError, match="no slice is called 'nobody'"):
        await ask(run)


async def test_steps_in_the_manifest(run: AsyncRun) -> None:
    expected = {"count": "10", "first": "3", "last": "12", "slices": "10", "tracks": 1, "all": True}
    assert run.manifest["steps"] == expected


async def test_events_of_steps_over_http_and_grpc(addresses: dict[str, str], run: AsyncRun, example: Example) -> None:
    expected = sorted((e.start, e.duration) for e in overlapping(example, 4, 6))
    tracks = [t.id for t in await run.tracks() if t.kind == "slice"]
    async with connect_async(addresses["http"]) as client:
        served = await client.run()
    base = f"{addresses['http']}api/v1/runs/{served.id}/builds/{served.build}"
    columns: dict[str, list[Any]] = {"start": [], "duration": []}
    query = {"steps": "4-6", "limit": "7", "tracks": ",".join(map(str, tracks))}
    async with ClientSession() as session:
        while True:
            async with session.get(f"{base}/events", params=query) as answer:
                page = await answer.json()
            for name, values in columns.items():
                values += map(int, page["columns"][name])
            if page["after"] is None:
                break
            query["after"] = page["after"]
        assert sorted(zip(*columns.values(), strict=True)) == expected
        async with session.get(f"{base}/tools/stats", params={"steps": "77"}) as answer:
            assert answer.status == 400
            assert "there is no step 77" in (await answer.json())["error"]["message"]
    request = pb.EventsRequest(run=served.id, build=served.build, steps="4..6", tracks=pb.TrackSet(tracks=tracks))
    async with grpc.aio.insecure_channel(addresses["grpc"].removeprefix("grpc://")) as channel:
        batches = [batch async for batch in tiles_pb2_grpc.TilesStub(channel).Events(request)]
    assert sorted(row for batch in batches for row in zip(batch.start, batch.duration, strict=True)) == expected


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.deep if "bert" in name else ())  # it is large
        for name in CORPUS
        if "mi250" not in name
    ],
)
async def test_steps_of_real_files_by_every_way(
    name: str, tmp_path: Path, aiohttp_server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = corpus_path(name)
    build_store(files_of(path), tmp_path / "run.store")
    server = await serve(tmp_path / "run.store", tmp_path, aiohttp_server)
    from tests.client.conftest import GRPC_PORT

    numbers = list(CORPUS[name])
    for address in (str(server.make_url("/")), f"grpc://127.0.0.1:{server.app[GRPC_PORT]}"):
        async with connect_async(address) as client:
            answer = await (await client.run()).ask("steps")
            assert answer.table("steps")["step"].tolist() == numbers
            assert sum(answer.table("series")["count"].tolist()) == len(steps_of(path))
    assert main(["ask", str(tmp_path / "run.store"), "steps", "--format", "json", "--table", "steps"]) == 0
    table = json.loads(capsys.readouterr().out)
    (column,) = [column for column in table["columns"] if column["id"] == "step"]
    assert column["values"] == [str(number) for number in numbers]


def test_the_client_without_await(example: Example) -> None:
    import tilescope

    client = tilescope.connect(str(example.path))
    assert isinstance(client, Client)
    with client:
        run = client.run()
        assert run.stats(steps=(3, 12)).total.count == len(starting(example, 3, 12))
        assert len(run.events(steps=3, tracks=run.tracks(kind="slice"))) == len(overlapping(example, 3, 3))
        assert sum(len(batch) for batch in run.event_batches(steps=(3, 12), tracks=run.tracks(kind="slice"))) > 0


def test_the_command_line(example: Example, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(example.path), "stats", "--steps", "4-6", "--limit", "0", "--format", "json"]) == 0
    totals = json.loads(capsys.readouterr().out)["tables"][0]["totals"]
    assert totals["count"] == str(len(starting(example, 4, 6)))
    assert main(["ask", str(example.path), "find", "--text", "op", "--steps", "90"]) == 2
    assert capsys.readouterr().err == "tilescope: there is no step 90: the run has steps 3 to 12\n"
    assert main(["ask", str(example.path), "steps", "--steps", "11-20", "--step-name", "Iteration"]) == 0
    out = capsys.readouterr().out
    assert "Iteration 12" in out
    assert "Not all of steps 11-20 are in the trace: it has steps 3 to 12" in " ".join(out.split())
