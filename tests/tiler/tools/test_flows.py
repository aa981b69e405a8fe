"""Chains of events and flows between tracks, against what was written into a trace."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.device_trace import HOST, DeviceTrace
from tests.examples import examples
from tests.tiler.tools.test_gaps import references
from tests.tiler.tools.test_overlap import SPANS
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of


def flows(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("flows"), Scope(reader), from_values(tool("flows").question, asked)))


def rows(answer: Answer, table: str, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(values_of(answer.table(table).column(name)) for name in names), strict=True))


def ends_in(devices: DeviceTrace, start: int, end: int) -> dict[tuple[int, int], tuple[int, int]]:
    """By source and target track: how many leave in a span, how many arrive."""
    leaving, arriving = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    tracks = {(t.process, t.thread): devices.track(t.process, t.thread) for t in devices.tasks[:2]}
    tracks |= {(t.process, t.thread): devices.track(t.process, t.thread) for t in devices.tasks if t.process != HOST}
    for task in devices.tasks:
        if task.launched_by is not None:
            launch = devices.tasks[task.launched_by]
            pair = tracks[launch.process, launch.thread], tracks[task.process, task.thread]
            leaving[pair] += start <= launch.start < end
            arriving[pair] += start <= task.start < end
    return {pair: (leaving[pair], arriving[pair]) for pair in arriving if leaving[pair] or arriving[pair]}


@given(span=SPANS, middle=st.integers(0, 620_000))
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_flows_between_tracks_are_conserved(devices: DeviceTrace, span: tuple[int, int], middle: int) -> None:
    start, end = span
    middle = min(max(middle, start), end)
    whole, *halves = (flows(devices.reader, start=a, end=b) for a, b in ((start, end), (start, middle), (middle, end)))
    found = {(a, b): ends for a, b, *ends in rows(whole, "edges", "source", "target", "leaving", "arriving")}
    summed = Counter[tuple[int, int, str]]()
    for half in halves:
        for a, b, leaving, arriving in rows(half, "edges", "source", "target", "leaving", "arriving"):
            summed[a, b, "leaving"] += leaving
            summed[a, b, "arriving"] += arriving
    assert found == {(a, b): [summed[a, b, "leaving"], summed[a, b, "arriving"]] for a, b, _ in summed}
    assert (whole.table("edges").totals or {})["leaving"] == sum(leaving for leaving, _ in found.values())


def test_flows_of_the_whole_run(devices: DeviceTrace) -> None:
    answer = flows(devices.reader, limit=3)
    edges = devices.store.manifest()["flows"]["edges"]
    assert (str(answer.fact("leaving").value), str(answer.fact("arriving").value)) == (edges, edges)
    table = answer.table("edges")
    assert len(table) == 3
    assert (table.rest or {})["leaving"] == int(edges) - sum(n for (n,) in rows(answer, "edges", "leaving"))
    pairs = {(a, b): n for a, b, *n in rows(flows(devices.reader), "edges", "source", "target", "leaving", "arriving")}
    assert pairs == {pair: list(ends) for pair, ends in ends_in(devices, 0, 1 << 40).items()}
    delays = [
        task.start - devices.tasks[task.launched_by].start
        for task in devices.tasks
        if task.launched_by is not None and task.process == 1 and task.thread == 9
    ]
    (track,) = {devices.track(1, 9)}
    of_stream = [
        row for row in rows(flows(devices.reader), "edges", "target", "shortest", "longest") if row[0] == track
    ]
    assert min(row[1] for row in of_stream) >= min(delays)
    assert max(row[2] for row in of_stream) <= max(delays)


def test_from_a_launch_to_its_work_and_back(devices: DeviceTrace) -> None:
    events = references(devices)
    by_task = {id(task): reference for reference, task in events.items()}
    starts = Counter((task.track, task.start) for task in devices.tasks)  # a flow arrives at one of those that start
    launched = [t for t in devices.tasks if t.launched_by is not None and starts[t.track, t.start] == 1][::200]
    assert len(launched) > 10
    for task in launched:
        launch = devices.tasks[task.launched_by or 0]
        answer = flows(devices.reader, event=by_task[id(task)], direction="back")
        names = ("event", "name", "start", "duration", "depth", "parent")
        own, other = rows(answer, "chain", *names)
        assert own == (by_task[id(task)], task.name, task.start, task.stop - task.start, 0, -1)
        assert other == (by_task[id(launch)], launch.name, launch.start, 15, -1, 0)
        forward = rows(flows(devices.reader, event=other[0], direction="forward"), "chain", "event", "depth")
        assert (own[0], 1) in forward
        whole = flows(devices.reader, event=own[0], depth=1)
        assert (whole.fact("incoming").value, whole.fact("outgoing").value) == (1, 0)


def chain_trace(folder: Path, links: list[tuple[int, int]], n: int) -> QueryReader:
    """Slices 0 to n-1, each on its own thread, and flows between some of them."""
    made: list[dict[str, Any]] = [
        {"ph": "X", "pid": 1, "tid": k, "name": f"s{k}", "ts": 10 * k, "dur": 5} for k in range(n)
    ]
    for number, (source, target) in enumerate(links):
        flow = {"cat": "f", "name": "f", "id": number, "pid": 1}
        made.append({**flow, "ph": "s", "tid": source, "ts": 10 * source + 1})
        made.append({**flow, "ph": "f", "bp": "e", "tid": target, "ts": 10 * target + 1})
    (folder / "chain.json").write_text(json.dumps(made))
    build_store([folder / "chain.json"], folder / "chain.store")
    return QueryReader(open_run_store(folder / "chain.store"))


def test_chains_go_both_ways_within_bounds_and_say_so(tmp_path: Path) -> None:
    links = [(k, k + 1) for k in range(9)] + [(4, 7), (4, 11), (11, 12), (2, 12)]
    reader = chain_trace(tmp_path, links, 13)

    def found(**asked: Any) -> list[tuple[str, int, int]]:
        return rows(flows(reader, **asked), "chain", "name", "depth", "parent")

    assert found(event="4.0") == [
        ("s4", 0, -1),
        ("s3", -1, 0), ("s2", -2, 1), ("s1", -3, 2), ("s0", -4, 3),
        ("s5", 1, 0), ("s6", 2, 5),
        ("s7", 1, 0), ("s8", 2, 7), ("s9", 3, 8),
        ("s11", 1, 0), ("s12", 2, 10),
    ]  # fmt: skip
    cut = flows(reader, event="4.0", depth=2)
    assert {abs(depth) for _, depth in rows(cut, "chain", "name", "depth")} == {0, 1, 2}
    assert "The chain goes on" in cut.notes[0].text
    assert not flows(reader, event="4.0", depth=4).notes
    few = flows(reader, event="4.0", limit=3)
    assert len(few.table("chain")) == 4
    assert "The chain goes on" in few.notes[0].text
    assert flows(reader, event="10.0").notes[0].text == "No flow arrives at this event or leaves it."


def test_what_is_refused(devices: DeviceTrace) -> None:
    track = devices.track(0, 7)
    with pytest.raises(UsageError, match=f"track {track} has no event 99999"):
        flows(devices.reader, event=f"{track}.99999")
    with pytest.raises(UsageError, match="track 99 does not exist"):
        flows(devices.reader, event="99.0")
    rollup = next(track.id for track in devices.reader.tree.tracks if track.kind == "rollup")
    with pytest.raises(UsageError, match="flows go from slice to slice"):
        flows(devices.reader, event=f"{rollup}.0")
    with pytest.raises(UsageError, match="event"):
        flows(devices.reader, event="4-0")
