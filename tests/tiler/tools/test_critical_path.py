"""Critical paths: planted ones, figures of real runs, and identities of all of them."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.device_trace import DeviceTrace
from tests.examples import examples
from tests.planted_path import HOST, MAIN, planted_path
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.facts.critical_path import critical_path, lane_links, lane_work, path_processes
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of
from tilescope.tiler.tools.critical_path import path_lanes

US = 1_000_000  # ps


def opened(path: Path, folder: Path) -> QueryReader:
    build_store([path], folder / "run.store")
    return QueryReader(open_run_store(folder / "run.store"))


def answer_of(reader: QueryReader, name: str = "critical_path", **values: Any) -> Answer:
    return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))


def facts(answer: Answer) -> dict[str, Any]:
    return {fact.id: fact.value for fact in answer.facts}


def rows(answer: Answer, table: str, *ids: str) -> list[tuple[Any, ...]]:
    return list(zip(*(values_of(answer.table(table).column(name)) for name in ids), strict=True))


def microseconds(reader: QueryReader, answer: Answer) -> dict[str, float]:
    return {kind: time * reader.tick_ps / US for kind, time in rows(answer, "kinds", "kind", "time")}


@given(st.integers(0, 2**32), st.integers(0, 30))
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_planted_path(tmp_path_factory: pytest.TempPathFactory, seed: int, steps: int) -> None:
    folder = tmp_path_factory.mktemp("planted")
    planted = planted_path(random.Random(seed), steps)
    planted.write(folder / "planted.json")
    reader = opened(folder / "planted.json", folder)
    ticks = US // reader.tick_ps
    answer = answer_of(reader, limit=10_000)
    path = [
        (start // ticks, (start + duration) // ticks, kind, name)
        for start, duration, kind, name in rows(answer, "path", "start", "duration", "kind", "name")
    ]
    assert path == planted.pieces
    slack = {
        name: value // ticks
        for name, kind, value in rows(answer, "beside", "name", "kind", "slack")
        if kind == "Computation"
    }
    assert slack == {name: value for name, value in planted.beside.items() if value}
    assert sum(stop - start for start, stop, _, _ in path) == planted.now
    start, stop = sorted(random.Random(seed).choices(range(reader.end + 1), k=2))
    part = answer_of(reader, start=start, end=stop, limit=10_000)
    by_track: dict[int, int] = {}
    for track, ticks in rows(part, "path", "track", "duration"):
        if track is not None:
            by_track[track] = by_track.get(track, 0) + ticks
    assert {track: ticks for track, ticks in rows(part, "tracks", "track", "on_path") if ticks} == by_track


def test_a_span_without_a_tick_has_no_path(devices: DeviceTrace) -> None:
    answer = answer_of(devices.reader, start=5, end=5)
    assert (facts(answer)["span"], facts(answer)["pieces"]) == (0, 0)


def test_pieces_add_up_to_any_span(devices: DeviceTrace) -> None:
    rng = random.Random(5)
    reader = devices.reader
    process = finish(path_processes(reader))[0]
    for _ in range(40):
        start, stop = sorted(rng.choices(range(reader.end + 1), k=2))
        pieces = finish(critical_path(reader, process, start, stop)).pieces
        assert pieces.start.tolist() == [start, *pieces.stop.tolist()[:-1]][: len(pieces)]
        assert int(pieces.ticks.sum()) == stop - start
        answer = answer_of(reader, start=start, end=stop, limit=10_000)
        assert facts(answer)["span"] == stop - start
        for table in ("kinds", "names"):
            assert sum(time for (time,) in rows(answer, table, "time")) == stop - start


def test_a_lane_shows_the_path(tmp_path: Path) -> None:
    planted = planted_path(random.Random(3), 20)
    planted.write(tmp_path / "planted.json")
    reader = opened(tmp_path / "planted.json", tmp_path)
    ((lane, title, track),) = [
        row for row in rows(answer_of(reader, "lanes"), "lanes", "lane", "title", "track") if "critical" in row[0]
    ]
    assert title == "Critical path"
    bins = answer_of(reader, "lane_bins", lane=lane, bins=1)
    answer = answer_of(reader, limit=10_000)
    drawn = rows(bins, "slices", "name", "duration") + rows(bins, "bins", "name", "busy")
    by_kind: dict[str, int] = {}
    for name, ticks in drawn:
        by_kind[name] = by_kind.get(name, 0) + ticks
    assert by_kind == dict(rows(answer, "kinds", "kind", "time"))
    events = rows(answer_of(reader, "lane_events", lane=lane, tick=0, limit=1000), "events", "event", "launch_event")
    assert events[0] == (f"{track}.0", None)
    arrows = [(source, event) for event, source in events if source is not None]
    assert arrows, "the path changes tracks"
    assert all(source.split(".")[0] != event.split(".")[0] for source, event in arrows)


def test_a_lane_shows_the_paths_of_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = planted_path(random.Random(4), 20)
    planted.write(tmp_path / "planted.json")
    borders = [0, planted.now // 3, planted.now // 2, planted.now]
    trace = json.loads((tmp_path / "planted.json").read_text())
    for number, (start, stop) in enumerate(pairwise(borders)):
        step = {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "ts": start, "dur": stop - start}
        trace["traceEvents"].append(step | {"pid": HOST, "tid": MAIN})
    (tmp_path / "planted.json").write_text(json.dumps(trace))
    reader = opened(tmp_path / "planted.json", tmp_path)
    (lane,) = [name for (name,) in rows(answer_of(reader, "lanes"), "lanes", "lane") if "critical" in name]
    by_kind: Counter[str] = Counter()
    for number in range(3):
        by_kind.update(dict(rows(answer_of(reader, steps=str(number)), "kinds", "kind", "time")))
    for _ in range(2):  # anew, and as it was kept
        bins = answer_of(reader, "lane_bins", lane=lane, bins=7)
        drawn: Counter[str] = Counter()
        for name, ticks in rows(bins, "slices", "name", "duration") + rows(bins, "bins", "name", "busy"):
            drawn[name] += ticks
        assert drawn == by_kind
    monkeypatch.setattr(path_lanes, "MOST_STEPS", 2)
    with pytest.raises(UsageError, match=r"the critical paths of 3 steps, of some \d+ events, are too many .* zoom in"):
        answer_of(reader, "lane_bins", lane=lane)
    end = borders[2] * (US // reader.tick_ps)
    assert rows(answer_of(reader, "lane_bins", lane=lane, end=end, bins=1), "bins", "busy")
    monkeypatch.setattr(path_lanes, "MOST_EVENTS", 1)
    with pytest.raises(UsageError, match="critical paths of 2 steps"):
        answer_of(reader, "lane_bins", lane=lane, end=end)


def test_threads_that_launch_nothing_are_counted(tmp_path: Path) -> None:
    planted = planted_path(random.Random(5), 20)
    loader = {"ph": "X", "cat": "cpu_op", "name": "aten::stack", "ts": 1, "dur": 1, "pid": HOST, "tid": 500}
    planted.events.append(loader)
    planted.write(tmp_path / "planted.json")
    notes = [note.text for note in answer_of(opened(tmp_path / "planted.json", tmp_path)).notes]
    assert any("1 thread with operators launches nothing and is left out" in note for note in notes)


def test_too_many_links_are_refused(devices: DeviceTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_links, "MOST_LINKS", 2)
    with pytest.raises(UsageError, match="at most 2 waits"):
        answer_of(QueryReader(devices.store))


def test_too_many_slices_are_refused(devices: DeviceTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_work, "MOST_SLICES", 3)
    with pytest.raises(UsageError, match="choose steps or a span"):
        answer_of(QueryReader(devices.store))


def test_what_a_trace_without_launches_lacks(tmp_path: Path) -> None:
    (tmp_path / "plain.json").write_text(json.dumps([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 5}]))
    with pytest.raises(NotAvailable, match="record the activities of the CPU"):
        answer_of(opened(tmp_path / "plain.json", tmp_path))


# -- real runs ---------------------------------------------------------------------------------------------------------

FORWARD = "[param|pytorch.model.alex_net|0|0|0|measure|forward]"


def test_the_path_of_alexnet(tmp_path: Path) -> None:
    """As HTA has it: 35,834 µs with 89.418 % on the CPU, 10.359 % computation, 30 µs of launch delay.

    Beside these are gaps, which HTA weighs as nothing, and the time after the last operator.
    """
    reader = opened(corpus_path("kineto/critical_path/alexnet.json.gz"), tmp_path)
    start, duration = instance(reader, FORWARD, 1)
    times = microseconds(reader, answer_of(reader, start=start, end=start + duration))
    assert (times["Operators and calls"], times["Computation"], times["Launch delay"]) == (32_042, 3_712, 30)
    assert times["Between kernels"] == 51
    assert round(100 * 32_042 / 35_834, 3) == 89.418
    assert sum(times.values()) == 36_356


def test_the_path_of_simple_add(tmp_path: Path) -> None:
    """HTA's has 241,724 µs, 534 of them on the device: its last work ends before the call that waits for it begins."""
    reader = opened(corpus_path("kineto/critical_path/simple_add.json.gz"), tmp_path)
    start, duration = instance(reader, FORWARD, 1)
    times = microseconds(reader, answer_of(reader, start=start, end=start + duration))
    assert times["Operators and calls"] == 241_697
    assert sum(times.values()) == 243_351


def test_the_path_of_a_step_with_events(tmp_path: Path) -> None:
    """HTA: of 2,411 µs 36 are computation, 10 launch delay. A call that waits for an event is bound by its kernel."""
    reader = opened(corpus_path("kineto/critical_path/cuda_event_sync.json.gz"), tmp_path)
    answer = answer_of(reader, steps="100")
    times = microseconds(reader, answer)
    assert (times["Computation"], times["Launch delay"]) == (36, 10)
    names = rows(answer, "path", "kind", "name", "wait")
    assert ("Synchronisation", "cudaEventSynchronize", "call waits for a device") in names


def instance(reader: QueryReader, name: str, number: int) -> tuple[int, int]:
    """Start and duration of the slice of a name, by its place among them."""
    answer = answer_of(reader, "search", query=f'"{name}" cat:user_annotation', limit=100)
    places = sorted(rows(answer, "events", "start", "duration"))
    start, duration = places[number]
    return start, duration


def test_a_chart_has_the_path_by_kind_over_time(tmp_path: Path) -> None:
    planted = planted_path(random.Random(3), 20)
    planted.write(tmp_path / "planted.json")
    reader = opened(tmp_path / "planted.json", tmp_path)
    answer = answer_of(reader, limit=10_000)
    (chart,) = answer.series
    sums = {column.title: sum(values_of(column)) for column in chart.ys}  # type: ignore[arg-type]
    assert sums == dict(rows(answer, "kinds", "kind", "time"))
    assert chart.labels is not None
    spans = [tuple(map(int, str(span).split("-"))) for span in values_of(chart.labels)]
    assert [start for start, _ in spans] == values_of(chart.x)
    assert all(before[1] == after[0] for before, after in pairwise(spans))
    plain = Counter[tuple[str, int]]()
    for start, duration, kind in rows(answer, "path", "start", "duration", "kind"):
        for number, (first, stop) in enumerate(spans):
            plain[kind, number] += max(0, min(stop, start + duration) - max(first, start))
    assert {(column.title, number): value for column in chart.ys for number, value in enumerate(values_of(column))} == {
        (title, number): plain[title, number] for title in sums for number in range(len(spans))
    }


def test_a_path_without_time_has_no_chart(tmp_path: Path) -> None:
    planted = planted_path(random.Random(3), 5)
    planted.write(tmp_path / "planted.json")
    reader = opened(tmp_path / "planted.json", tmp_path)
    assert list(answer_of(reader, start=5, end=5).series) == []
