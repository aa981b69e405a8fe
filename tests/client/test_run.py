"""Answers of the client, with a server and without, against the events that were written."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields
from datetime import timedelta
from typing import Any

import numpy as np
import pandas
import pytest

from tests.example import Example
from tilescope.client import AsyncClient, AsyncRun, Refused, Table, Time, Track, TrackList
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import tool, tools

pytestmark = pytest.mark.slow


async def test_the_run_is_found_by_name_by_id_and_as_the_newest(client: AsyncClient, example: Example) -> None:
    (listed,) = await client.runs()
    for name in (None, listed.id, listed.name):
        run = await client.run(name)
        assert (run.name, run.build, run.tick_ps) == (example.path.name, listed.build, 1000)
        assert run.end == max(event.start + event.duration for event in example.events)
    with pytest.raises(Refused, match="no run 'nobody'") as refused:
        await client.run("nobody")
    assert refused.value.code == "not_found"


async def test_tracks_have_their_place(run: AsyncRun) -> None:
    tracks = await run.tracks()
    assert [track.id for track in tracks] == list(range(len(tracks)))
    (thread,) = await run.tracks(containing="READ 2")
    assert (thread.kind, thread.name, thread.path[-1]) == ("slice", "thread 2", "Process 1")
    assert [track.name for track in await run.tracks(kind="counter")] == ["memory · v"]


async def test_a_name_is_exact_and_a_part_of_one_is_not(run: AsyncRun) -> None:
    (thread,) = await run.tracks(name="thread 2")
    assert list(await run.tracks(kind="slice", name="thread 2")) == [thread]
    for name in ("THREAD 2", "thread", "2", ""):
        assert not await run.tracks(name=name)
    assert len(await run.tracks(kind="slice", containing="THREAD")) == 4
    assert list(await run.tracks(containing="thread", name="thread 2")) == [thread]


async def test_events_of_a_span(run: AsyncRun, example: Example) -> None:
    (track,) = await run.tracks(name="thread 1")
    table = await run.events(50_000, 90_000, track)
    wanted = [e for e in example.events if e.track == "thread 1" and e.overlaps(50_000, 90_000)]
    rows = zip(*(table[c].tolist() for c in ("name", "category", "start", "duration")), strict=True)
    assert sorted(rows) == sorted((e.name, e.category, e.start, e.duration) for e in wanted)
    assert set(table["track"]) == {track.id}
    assert len(await run.events(50_000, 90_000, track, limit=7)) == 7
    for columns in (None, ["args.x"]):
        with pytest.raises(UsageError, match="limit"):
            await run.events(50_000, 90_000, track, limit=-1, columns=columns)
    assert len(await run.events(10, 10, track)) == 0


async def test_all_events_of_a_run_each_once(run: AsyncRun, example: Example) -> None:
    table = await run.events()
    assert len(table) == len(example.events)
    places = list(zip(table["track"].tolist(), table["ordinal"].tolist(), strict=True))
    assert places == sorted(set(places))
    values = table["value"][~np.isnan(table["value"])]
    assert values.tolist() == [e.value for e in example.events if e.value is not None]


async def test_batches_are_the_same_events(run: AsyncRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.client.aio.BATCH_ROWS", 1000)
    whole = await run.events(tracks=await run.tracks(kind="slice"))
    parts = [part async for part in run.event_batches(tracks=await run.tracks(kind="slice"))]
    assert len(parts) > 4
    assert min(map(len, parts[:-1])) >= 1000
    assert [row for part in parts for row in part] == whole.rows()
    assert np.concatenate([part["start"] for part in parts]).tolist() == whole["start"].tolist()


async def test_a_rollup_stands_for_its_tracks(run: AsyncRun) -> None:
    (rollup,) = await run.tracks(kind="rollup")
    slices = await run.tracks(kind="slice")
    assert len(await run.events(tracks=rollup)) == sum(track.events for track in slices)
    assert (await run.stats(tracks=[rollup, slices[0]])).total == (await run.stats(tracks=slices)).total


async def test_statistics_of_a_span(run: AsyncRun, example: Example) -> None:
    answer = await run.stats(100_000, 400_000)
    count, busy = Counter[str](), Counter[str]()
    for event in example.events:
        if event.value is None and event.overlaps(100_000, 400_000):
            count[event.name] += event.start >= 100_000
            busy[event.name] += min(event.start + event.duration, 400_000) - max(event.start, 100_000)
    rows = {row["name"]: (row["count"], row["busy"]) for row in answer.table.rows()}
    assert rows == {name: (count[name], busy[name]) for name in busy}
    assert (answer.total.count, answer.total.busy, answer.rest) == (count.total(), busy.total(), None)
    least = await run.stats(100_000, 400_000, limit=1)
    assert least.rest is not None
    assert (len(least.table), least.rest.count) == (1, count.total() - least.table["count"][0])


async def test_where_a_name_occurs(run: AsyncRun, example: Example) -> None:
    answer = await run.find("INNER", limit=None)
    wanted = sorted((e.start, e.track) for e in example.events if e.name == "Inner")
    names = {track.id: track.name for track in await run.tracks()}
    tracks = [names[track] for track in answer.table["track"].tolist()]
    assert list(zip(answer.table["start"].tolist(), tracks, strict=True)) == wanted
    assert answer.count == sum(answer.per_track.values()) == len(wanted)
    assert (await run.find("inner", match="exact")).count == 0
    needles = await run.find("needle", limit=1)
    assert (needles.count, len(needles.table), needles.table["name"].tolist()) == (2, 1, ["needle"])
    event = await run.event(int(needles.table["track"][0]), int(needles.table["ordinal"][0]))
    assert (event.name, event.start) == ("needle", needles.table["start"][0])


async def test_what_a_query_selects(run: AsyncRun, example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {track.id: track.name for track in await run.tracks()}
    chosen = [e for e in example.events if e.value is None and "op" in e.name and e.duration >= 40 and e.start >= 9000]
    wanted = sorted((e.start, e.track, e.name, e.duration) for e in chosen)

    def told(table: Table) -> list[tuple[int, str, str, int]]:
        return [(row["start"], names[row["track"]], row["name"], row["duration"]) for row in table]

    query = "op dur>=40ns"
    found = await run.search(query, "9 us", limit=None, names=3)
    assert told(found.table) == wanted
    assert (found.count, found.busy, found.more) == (len(wanted), sum(e.duration for e in chosen), None)
    assert (found.by_name.columns[0], len(found.by_name)) == ("name", 3)
    busiest = found.by_name.rows()[0]
    assert busiest["count"] == sum(e.name == busiest["name"] for e in chosen)
    assert found.to_pandas()["duration"].sum() == sum(e.duration for e in chosen)

    first = await run.search(query, "9 us", limit=30)
    then = await run.search(query, "9 us", limit=30, after=first.more)
    assert told(first.table) + told(then.table) == wanted[:60]
    back = await run.search(query, "9 us", limit=30, after=then.more, backward=True)
    assert told(back.table) == wanted[58:28:-1]
    monkeypatch.setattr("tilescope.client.aio._HITS_AT_ONCE", 400)
    for backward in (False, True):
        parts = [part async for part in run.hit_batches(query, "9 us", backward=backward)]
        assert [len(part) for part in parts[:-1]] == [400] * (len(parts) - 1)
        assert [row for part in parts for row in told(part)] == (wanted[::-1] if backward else wanted)
    assert [part async for part in run.hit_batches("nothing of that name")] == []
    assert not (await run.search("nothing of that name")).count
    in_step = await run.search("op", steps=5)
    assert 0 < in_step.count < (await run.search("op")).count


@pytest.mark.parametrize(
    ("start", "end", "px"), [(None, None, 300), (None, None, 5000), (100_000, 900_000, 1000), (5000, 5400, 800)]
)
async def test_a_view_shows_every_event_once(
    run: AsyncRun, example: Example, start: int | None, end: int | None, px: int
) -> None:
    view = await run.view(start, end, px)
    assert view.bin_ticks <= max(1, 2 * (view.end - view.start) / px)
    starts = view.slices["start"]
    bins_start, bins_end = view.bins["start"], view.bins["start"] + view.bins["duration"]
    for thread in range(4):
        (track,) = await run.tracks(name=f"thread {thread}")
        own, in_bins = view.slices["track"] == track.id, view.bins["track"] == track.id
        for event in example.events:
            if event.track == track.name and view.start <= event.start < view.end:
                alone = ((starts == event.start) & own & (view.slices["duration"] == event.duration)).any()
                assert alone or ((bins_start <= event.start) & (event.start < bins_end) & in_bins).any(), event
    if start is None:
        assert view.events == len(example.events)
        assert (
            view.bins["count"].sum() + len(view.slices) + view.counter_bins["n"].sum() + len(view.samples)
            == view.events
        )
    assert view.pages > 0
    assert view.page_bytes > 0


async def test_what_makes_no_sense_is_refused_alike(run: AsyncRun) -> None:
    for question in (
        run.stats(tracks=4711),
        run.events(tracks=[4711]),
        run.find("op", tracks=4711),
        run.find(""),
        run.find("op", match="regex"),  # type: ignore[arg-type]
        run.view(tracks=4711),
        run.view(10, 10),
        run.stats(10, 9),
        run.events(tracks=["thread 1"]),  # type: ignore[list-item]
    ):
        with pytest.raises(UsageError):
            await question
    with pytest.raises(Refused) as refused:
        await run.event(1, 10**9)
    assert refused.value.code == "not_found"


SPELLINGS: list[tuple[Time, int]] = [
    (np.int64(50_000), 50_000),
    ("50000", 50_000),
    ("50 us", 50_000),
    ("0.00005 s", 50_000),
    (timedelta(microseconds=50), 50_000),
    (np.timedelta64(50, "us"), 50_000),
    (pandas.Timedelta(50_001, "ns"), 50_001),
]


@pytest.mark.parametrize(("time", "ticks"), SPELLINGS)
async def test_a_time_may_be_spelt_in_many_ways(run: AsyncRun, time: Time, ticks: int) -> None:
    assert (await run.stats(time, 90_000)).start == ticks
    assert (await run.ask("stats", start=time, end=90_000)).fact("start").value == ticks
    assert (await run.events(time, 90_000)).rows() == (await run.events(ticks, 90_000)).rows()
    assert (await run.view(time, 90_000)).start == ticks
    assert (await run.find("op", time)).count == (await run.find("op", ticks)).count


@pytest.mark.parametrize("time", [0.5, 5e4, float("nan"), np.float64(50_000), np.float32(2)])
async def test_a_float_is_no_time_anywhere(run: AsyncRun, time: Any) -> None:
    async def batches(end: Any) -> None:
        async for _ in run.event_batches(0, end):
            pass

    questions = [run.stats(0, time), run.events(0, time), run.view(0, time), run.find("a", 0, time), batches(time)]
    messages = set()
    for question in (*questions, run.ask("stats", end=time)):
        with pytest.raises(UsageError) as refused:
            await question
        messages.add(str(refused.value))
    assert messages == {f"end: {time} is a float, which cannot represent every tick: give an integer"}


async def test_numbers_of_numpy_are_numbers(run: AsyncRun) -> None:
    events = await run.events(limit=5)
    track, ordinal = events["track"][0], events["ordinal"][0]
    assert (await run.event(track, ordinal)).start == events["start"][0]
    assert len(await run.events(tracks=track)) == len(await run.events(tracks=int(track)))
    assert len(await run.events(tracks=events["track"])) == len(await run.events(tracks=int(track)))
    assert (await run.ask("stats", tracks=track)).fact("tracks").value == 1


async def test_an_event_has_numbers_as_tables_have(run: AsyncRun) -> None:
    table = await run.events(tracks=2, limit=20)
    for row in table:
        event = await run.event(row["track"], row["ordinal"])
        told = {name: getattr(event, name) for name in row if name not in ("flags", "open", "value")}
        assert told == {name: value for name, value in row.items() if name in told}
        assert " ".join(event.flags) == row["flags"]


async def test_tracks_are_a_table_too(run: AsyncRun) -> None:
    tracks = await run.tracks()
    frame = tracks.to_pandas()
    assert list(frame.columns) == tracks.columns == [field.name for field in fields(Track)]
    assert frame["name"].tolist() == [track.name for track in tracks]
    assert frame["events"].tolist() == [track.events for track in tracks]
    assert frame["path"].tolist() == [" / ".join(track.path) for track in tracks]
    assert frame["max"].isna().tolist() == [track.max is None for track in tracks]
    assert tracks[1:3] == TrackList(list(tracks)[1:3])
    assert len(TrackList([]).to_pandas()) == 0


async def test_answers_are_tables(run: AsyncRun) -> None:
    asked = await run.ask("stats", limit=3)
    for answer in (await run.stats(limit=3), await run.find("op", limit=3), asked.table("names")):
        assert answer.columns == answer.table.columns
        assert [row["name"] for row in answer] == answer["name"].tolist() == answer.to_pandas()["name"].tolist()
        assert answer.to_arrow().num_rows == len(answer) == len(answer.rows()) == 3
        assert answer.to_arrow()["name"].to_pylist()[0] in repr(answer)
        assert "</table>" in answer._repr_html_()
        with pytest.raises(UsageError, match="there is no column 'nope': there are "):
            answer["nope"]


async def test_sums_are_named_as_columns(run: AsyncRun) -> None:
    answer = await run.stats()
    assert {name: getattr(answer.total, name) for name in ("count", "busy", "self")} == {
        name: int(answer[name].sum()) for name in ("count", "busy", "self")
    }


async def test_time_in_ticks_and_back(run: AsyncRun) -> None:
    assert run.ticks(us=3) == 3000
    assert run.ticks(s=1, ns=1) == 1_000_000_001
    assert run.ticks(s=0.1) == run.ticks("0.1 s") == run.ticks(timedelta(seconds=0.1)) == 100_000_000
    assert run.ticks("1 ms", us=0.001) == 1_000_001
    with pytest.raises(UsageError, match="not a whole number of ticks: a tick of this run is 1 ns"):
        run.ticks(ns=0.5)
    assert run.time_text(1_250_000) == "1.25 ms"
    assert run.timedelta(1_250_000) == np.timedelta64(1_250_000, "ns")
    starts = (await run.events(limit=9))["start"]
    assert (run.timedelta(starts) / np.timedelta64(1, "ns")).tolist() == starts.tolist()


async def test_tools_are_listed_with_their_fields_and_why_some_have_no_answer(run: AsyncRun) -> None:
    entries = {entry.id: entry for entry in await run.tools()}
    assert list(entries) == list(tools())
    stats, memory = entries["stats"], entries["memory_profile"]
    assert (stats.title, stats.available, stats.reason) == (tool("stats").title, True, "")
    assert {"start", "end", "tracks", "by", "limit"} <= set(stats.fields)
    assert not memory.available
    assert memory.reason


async def test_attachments_by_name_and_by_entry(run: AsyncRun) -> None:
    first, second = await run.attachments()
    assert (first.name, second.name) == ("json/displayTimeUnit", "json/otherData")
    assert await run.attachment("json/displayTimeUnit") == b'"ns"'
    content = await run.attachment(second)
    assert json.loads(content) == {"text": "a" * 600_000}
    assert b"".join([piece async for piece in run.attachment_pieces("json/otherData", host=second.host)]) == content
    with pytest.raises(UsageError, match="there is no attachment 'x'"):
        await run.attachment("x")
