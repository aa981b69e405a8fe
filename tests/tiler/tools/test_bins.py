"""What is drawn of a track, without pages, against the events that were written."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.example import Example, PlainEvent
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.bins import MAX_PX


def asked(example: Example, **values: int) -> Answer:
    return asked_of(example.reader, **values)


def asked_of(reader: QueryReader, **values: int) -> Answer:
    bins = tool("bins")
    return finish(ask(bins, Scope(reader), from_values(bins.question, values)))


def rows(answer: Answer, table: str) -> list[dict[str, Any]]:
    columns = answer.table(table).columns
    return [dict(zip([c.id for c in columns], row, strict=True)) for row in zip(*map(values_of, columns), strict=True)]


def check_conservation(reader: QueryReader, track: int, px: int) -> None:
    """Every event of the track is drawn once and every tick is counted once."""
    answer = asked_of(reader, track=track, px=px)
    slices, bins = rows(answer, "slices"), rows(answer, "bins")
    facts = reader.tree.tracks[track]
    assert len(slices) + sum(row["count"] for row in bins) == facts.events
    drawn = sum(row["duration"] for row in slices) + sum(row["busy"] for row in bins)
    assert drawn == facts.busy


@pytest.mark.parametrize("name", ["resnet50_workers4.pt.trace.json.gz", "ns_resolution.pt.trace.json.gz"])
def test_every_event_of_real_traces_is_drawn_once(tmp_path: Path, name: str) -> None:
    build_store([corpus_path(f"kineto/{name}")], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        tracks = reader.tree.leaves(None)
        assert tracks
        for track in tracks:
            for px in (40, 300, 3000):
                check_conservation(reader, track, px)


@pytest.mark.parametrize("is_dense_first", [True, False])
def test_a_slice_in_a_leaf_and_in_the_bins_of_the_tile_beside_it_is_drawn_once(
    tmp_path: Path, is_dense_first: bool
) -> None:
    border = 2 * 256 * 4**5
    dense = [PlainEvent("main", "short", "", 100 * k, 60) for k in range(border // 100 - 2)]
    sparse = [PlainEvent("main", "short", "", border + 10_000 * k, 60) for k in range(1, 50)]
    events = [*dense, PlainEvent("main", "over the border", "", border - 88, 300), *sparse]
    if not is_dense_first:
        events = [replace(event, start=2 * border - event.start - event.duration) for event in events]
    example = Example(tmp_path, events)
    for px in (10, 100, 500, 1000, 3000):
        check_conservation(example.reader, example.track("main"), px)
    example.store.close()


@given(thread=st.integers(0, 3), px=st.integers(1, MAX_PX))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_event_is_drawn_once_at_any_width(example: Example, thread: int, px: int) -> None:
    check_conservation(example.reader, example.track(f"thread {thread}"), px)


@pytest.mark.parametrize("px", [10, 300, 4000])
@pytest.mark.parametrize("thread", range(4))
def test_every_event_is_drawn_once_and_every_tick_counted(example: Example, thread: int, px: int) -> None:
    track = example.track(f"thread {thread}")
    answer = asked(example, track=track, px=px)
    events = [event for event in example.events if event.track == f"thread {thread}"]
    slices, bins = rows(answer, "slices"), rows(answer, "bins")
    assert len(slices) + sum(row["count"] for row in bins) == len(events)
    drawn = sum(row["duration"] for row in slices) + sum(row["busy"] for row in bins)
    assert drawn == sum(event.duration for event in events)
    assert {row["duration"] for row in bins} <= {4**level for level in range(32)}
    assert answer.table("samples").columns[0].values == []
    if px == 10:
        assert bins


@pytest.mark.parametrize(("start", "end"), [(100_000, 300_000), (5000, 5100)])
def test_a_span_has_what_overlaps_it(example: Example, start: int, end: int) -> None:
    track = example.track("thread 1")
    answer = asked(example, track=track, start=start, end=end, px=500)
    assert [fact.value for fact in answer.facts[:2]] == [start, end]
    for table in ("slices", "bins"):
        for row in rows(answer, table):
            assert row["start"] < end
            assert row["start"] + max(row["duration"], 1) > start
    alone = {(row["start"], row["duration"]) for row in rows(answer, "slices")}
    covered = [(row["start"], row["start"] + row["duration"]) for row in rows(answer, "bins")]
    for event in example.events:
        if event.track == "thread 1" and event.overlaps(start, end):
            event_end = event.start + max(event.duration, 1)
            in_bin = any(first < event_end and event.start < last for first, last in covered)
            assert in_bin or (event.start, event.duration) in alone, event
    assert any((event.start, event.duration) in alone for event in example.events if event.track == "thread 1")


def test_counters_have_samples_and_bins(example: Example) -> None:
    track = example.track("memory · v")
    values = sorted(event.value for event in example.events if event.value is not None)
    for px in (2, 5000):
        answer = asked(example, track=track, px=px)
        bins, samples = rows(answer, "counter_bins"), rows(answer, "samples")
        assert sum(row["n"] for row in bins) + len(samples) == len(values)
        lowest = [row["min"] for row in bins if row["n"]] + [row["value"] for row in samples]
        assert min(lowest) == values[0]


def test_a_rollup_is_drawn_as_it_is(example: Example) -> None:
    rollup = next(track for track in example.reader.tree.tracks if track.kind == "rollup")
    answer = asked(example, track=rollup.id, px=100)
    assert sum(row["count"] for row in rows(answer, "bins")) == rollup.events


def test_what_is_too_much_is_refused(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.tools.bins.drawn.MAX_ROWS", 10)
    with pytest.raises(UsageError, match="more than 10 slices and bins of track 1 at this width"):
        asked(example, track=1, px=16_384)


def test_a_span_without_ticks_has_nothing(example: Example) -> None:
    for start, end in ((5, 5), (2**60, 2**61)):
        assert not any(len(table) for table in asked(example, track=1, start=start, end=end).tables)


def test_what_makes_no_sense_is_refused(example: Example) -> None:
    for values, message in (
        ({"track": 77}, "track 77 does not exist"),
        ({"track": -1}, "track: "),
        ({"track": 1, "px": 0}, "px: "),
        ({"track": 1, "px": 16_385}, "px: "),
        ({"track": 1, "start": 6, "end": 5}, "ticks 6 to 5 are not a span"),
        ({}, "track"),
    ):
        with pytest.raises(UsageError, match=message):
            asked(example, **values)
