"""Answers of the client, with a server and without, against the events that were written."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.example import Example
from tilescope.client import AsyncClient, AsyncRun, Refused
from tilescope.tiler.errors import UsageError


async def test_the_run_is_found_by_name_by_id_and_as_the_newest(client: AsyncClient, example: Example) -> None:
    (listed,) = await client.runs()
    for name in (None, listed["id"], listed["name"]):
        run = await client.run(name)
        assert (run.name, run.build, run.tick_ps) == (example.path.name, listed["build"], 1000)
        assert run.end == max(event.start + event.duration for event in example.events)
    with pytest.raises(Refused, match="no run 'nobody'") as refused:
        await client.run("nobody")
    assert refused.value.code == "not_found"


async def test_tracks_have_their_place(run: AsyncRun) -> None:
    tracks = await run.tracks()
    assert [track.id for track in tracks] == list(range(len(tracks)))
    (thread,) = await run.tracks(name="THREAD 2")
    assert (thread.kind, thread.name, thread.path[-1]) == ("slice", "thread 2", "pid 1")
    assert [track.name for track in await run.tracks(kind="counter")] == ["memory · v"]


async def test_events_of_a_span(run: AsyncRun, example: Example) -> None:
    (track,) = await run.tracks(name="thread 1")
    table = await run.events(50_000, 90_000, track)
    wanted = [e for e in example.events if e.track == "thread 1" and e.overlaps(50_000, 90_000)]
    rows = zip(*(table[c].tolist() for c in ("name", "category", "start", "duration")), strict=True)
    assert sorted(rows) == sorted((e.name, e.category, e.start, e.duration) for e in wanted)
    assert set(table["track"]) == {track.id}
    assert len(await run.events(50_000, 90_000, track, limit=7)) == 7
    assert len(await run.events(10, 10, track)) == 0


async def test_all_events_of_a_run_each_once(run: AsyncRun, example: Example) -> None:
    table = await run.events()
    assert len(table) == len(example.events)
    places = list(zip(table["track"].tolist(), table["ordinal"].tolist(), strict=True))
    assert places == sorted(set(places))
    values = table["value"][~np.isnan(table["value"])]
    assert values.tolist() == [e.value for e in example.events if e.value is not None]


async def test_batches_are_the_same_events(run: AsyncRun) -> None:
    whole = await run.events(tracks=await run.tracks(kind="slice"))
    parts = [part async for part in run.event_batches(tracks=await run.tracks(kind="slice"))]
    assert len(parts) > 4
    assert np.concatenate([part.start for part in parts]).tolist() == whole["start"].tolist()


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
    assert (event["name"], event["start"]) == ("needle", str(needles.table["start"][0]))


@pytest.mark.parametrize(("start", "end", "px"), [(None, None, 300), (100_000, 900_000, 1000), (5000, 5400, 800)])
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
        run.find("op", match="regex"),
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


async def test_time_in_ticks(run: AsyncRun) -> None:
    assert run.ticks(us=3) == 3000
    assert run.ticks(s=1, ns=1) == 1_000_000_001
