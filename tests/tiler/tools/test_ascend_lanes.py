"""Derived rows of Ascend devices: equal to those that the profiler writes, and parts that add up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.lanes import ASCEND_ROWS, FREE_CAUSES, device_states
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope
from tilescope.tiler.tools.overlap.lanes import LANES

Spans = list[tuple[int, int]]

ROWS: Final = {row.view.key: row for row in ASCEND_ROWS}


def opened(path: Path, folder: Path) -> QueryReader:
    build_store([path], folder / "ascend.store")
    return QueryReader(open_run_store(folder / "ascend.store"))


def derived(reader: QueryReader, key: str) -> Spans:
    """All slices of a row of the only device."""
    (device,) = finish(devices_of(reader))
    states = finish(device_states(reader, device, ROWS[key].view))
    pieces = [piece for piece in states.slices(reader, 0, reader.end + 1) if piece is not None]
    return sorted(
        (start, stop) for piece in pieces for start, stop in zip(piece.start.tolist(), piece.stop.tolist(), strict=True)
    )


def written(reader: QueryReader, key: str) -> Spans:
    """The same of the row that the file has."""
    names = [track for track in reader.tree.tracks if reader.tree.groups[track.group].name == "Overlap Analysis"]
    (track,) = (track.id for track in names if track.name.lower() in ROWS[key].written)
    events = rows(answer(reader, "events", tracks=[track], limit=1000), "events")
    return sorted((event["start"], event["start"] + event["duration"]) for event in events)


# Slices of each row, and the nanoseconds of them all.
SUMS: Final = {
    "msprof_0_2_10.json": {
        "computation": (132, 5_942_800),
        "communication": (1, 10_238_590),
        "pure": (1, 10_238_590),
        "free": (132, 126_070),
    },
    "msprof_1_0_6.json": {
        "computation": (131, 5_935_240),
        "communication": (1, 9_938_380),
        "pure": (1, 9_938_380),
        "free": (131, 109_710),
    },
}


@pytest.mark.parametrize("name", SUMS)
def test_rows_are_those_of_the_file(name: str, tmp_path: Path) -> None:
    reader = opened(corpus_path(f"ascend/{name}"), tmp_path)
    assert set(SUMS[name]) == set(ROWS)
    for key, (count, nanoseconds) in SUMS[name].items():
        assert derived(reader, key) == written(reader, key), key
        ticks = sum(stop - start for start, stop in derived(reader, key))
        assert (len(derived(reader, key)), ticks) == (count, nanoseconds * 1000 // reader.tick_ps), key
    assert [lane.key for lane in finish(LANES.lanes(Scope(reader)))] == ["2", "scopes-2"]  # no row is drawn twice


def test_rows_of_a_trace_of_pytorch(tmp_path: Path) -> None:
    """Its profiler rounds times in these rows, where the numbers of its epoch have no more digits: to a ns and less."""
    reader = opened(corpus_path("ascend/msprof_trace_view_string_ts.json"), tmp_path)
    for key in ("computation", "free"):
        mine, theirs = derived(reader, key), written(reader, key)
        nanoseconds = {"computation": 1_788_250.5, "free": 9_481_667}[key]  # the rows of the file, uncut
        assert sum(stop - start for start, stop in theirs) == pytest.approx(nanoseconds * 1000 / reader.tick_ps, abs=1)
        assert len(theirs) == {"computation": 274, "free": 273}[key]
        assert len(mine) >= len(theirs) - 2
        within = 1000 // reader.tick_ps  # a ns
        assert [
            span
            for span in theirs
            if not any(abs(span[0] - a) <= within and abs(span[1] - b) <= within for a, b in mine)
        ] == []
    titles = [lane.title for lane in finish(LANES.lanes(Scope(reader)))]
    assert titles == ["What Ascend Hardware does", "Causes of free time", "Steps"]
    (step,) = rows(answer(reader, "lane_bins", lane="overlap.steps-3", bins=50), "slices")
    (listed,) = rows(answer(reader, "pod"), "cells")
    assert (step["name"], step["start"], step["duration"]) == ("Step 1", listed["start"], listed["duration"])
    (mark,) = rows(answer(reader, "lane_events", lane="overlap.steps-3", tick=step["start"] + 1), "events")
    assert mark["name"] == "ProfilerStep#1"


def test_rows_of_a_first_timeline(tmp_path: Path) -> None:
    reader = opened(corpus_path("ascend/timeline_display_1.json"), tmp_path)
    sums = {
        key: (len(spans), sum(stop - start for start, stop in spans))
        for key in ROWS
        for spans in [derived(reader, key)]
    }
    assert sums == {
        "computation": (2_817, 1_771_382_850),
        "communication": (2_254, 30_353_311_330),
        "pure": (2_726, 30_111_974_270),
        "free": (4_494, 34_290_530_550),
    }
    assert sum(sums[key][1] for key in ("computation", "pure", "free")) == 66_173_887_670, "the span"
    assert [lane.title for lane in finish(LANES.lanes(Scope(reader)))][1:-1] == [row.title for row in ASCEND_ROWS]
    lane = "overlap.pure-1"
    (event,) = rows(answer(reader, "lane_events", lane=lane, tick=derived(reader, "pure")[0][0]), "events")[:1]
    assert event["name"] == "stream_520_parallel_0"


TASKS: Final = st.lists(
    st.tuples(
        st.integers(0, 60),
        st.integers(1, 12),
        st.sampled_from(["AI_CORE", "AI_CPU", "MEMCPY_ASYNC", "HCCL", "EVENT_WAIT"]),
    ),
    min_size=1,
    max_size=25,
)


def plain(tasks: Sequence[tuple[int, int, str]], types: Sequence[str]) -> set[int]:
    """Ticks of 1 µs in which a task of these types runs."""
    return {
        tick for start, duration, task_type in tasks if task_type in types for tick in range(start, start + duration)
    }


@settings(max_examples=12, deadline=None)
@given(tasks=TASKS, cut=st.integers(0, 75))
def test_parts_add_up(tasks: list[tuple[int, int, str]], cut: int) -> None:
    """Computation, pure communication and free time are the span; those of halves are those of the whole."""
    events: list[dict[str, Any]] = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "Ascend Hardware"}}]
    for stream, (start, duration, task_type) in enumerate(tasks):
        place = {"pid": 1, "tid": stream}
        events.append({"ph": "M", "name": "thread_name", "args": {"name": f"Stream {stream}"}, **place})
        task = {"ph": "X", "name": "op", "ts": start, "dur": duration, "args": {"Task Type": task_type}}
        events.append({**task, **place})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "msprof.json"
        path.write_text(json.dumps(events))
        reader = opened(path, Path(folder))
        us = 1_000_000 // reader.tick_ps
        computing, communicating = plain(tasks, ["AI_CORE", "AI_CPU"]), plain(tasks, ["HCCL"])
        busy = computing | communicating | plain(tasks, ["MEMCPY_ASYNC"])
        span = set(range(min(busy), max(busy) + 1)) if busy else set()
        wanted = {
            "computation": computing,
            "communication": communicating,
            "pure": communicating - computing,
            "free": span - computing - communicating,
        }
        first = min(start for start, _, _ in tasks)
        for key, ticks in wanted.items():
            spans = derived(reader, key)
            assert {
                tick for start, stop in spans for tick in range(start // us + first, stop // us + first)
            } == ticks, key
            assert all(before[1] < after[0] for before, after in pairwise(spans))
        if not busy:
            return
        lanes = [f"overlap.{row.view.key}-1" for row in ASCEND_ROWS if computing and communicating]
        for lane, key in zip(lanes, wanted, strict=False):
            end = min(max(cut, 1), reader.end // us - 1) * us
            if 0 < end < reader.end:
                parts = [
                    sum(
                        row["duration"]
                        for row in rows(answer(reader, "lane_bins", lane=lane, start=start, end=stop, bins=1), "slices")
                    )
                    + sum(
                        row["busy"]
                        for row in rows(answer(reader, "lane_bins", lane=lane, start=start, end=stop, bins=1), "bins")
                    )
                    for start, stop in ((0, end), (end, reader.end + 1))
                ]
                assert sum(parts) == len(wanted[key]) * us


def test_causes_divide_the_free_time(tmp_path: Path) -> None:
    """Two tasks that the host launched: the first while the device was free, the second before it was."""
    named = (("Ascend Hardware", 1, "Stream 1"), ("CANN", 2, "Thread 1"))
    events: list[dict[str, Any]] = []
    for process, pid, thread in named:
        events.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": process}})
        events.append({"ph": "M", "pid": pid, "tid": 1, "name": "thread_name", "args": {"name": thread}})
    for number, (launched, start) in enumerate([(0, 5), (30, 40), (42, 60)]):
        flow = {"cat": "HostToDevice", "id": str(number), "name": f"HostToDevice{number}"}
        events += [
            {"ph": "X", "pid": 2, "tid": 1, "name": "launch", "ts": launched, "dur": 2},
            {"ph": "s", "pid": 2, "tid": 1, "ts": launched, **flow},
            {
                "ph": "X",
                "pid": 1,
                "tid": 1,
                "name": f"op{number}",
                "ts": start,
                "dur": 10,
                "args": {"Task Type": "AI_CORE"},
            },
            {"ph": "f", "bp": "e", "pid": 1, "tid": 1, "ts": start, **flow},
        ]
    events.append(
        {"ph": "X", "pid": 1, "tid": 1, "name": "copy", "ts": 52, "dur": 3, "args": {"Task Type": "MEMCPY_ASYNC"}}
    )
    path = tmp_path / "msprof.json"
    path.write_text(json.dumps(events))
    reader = opened(path, tmp_path)
    (device,) = finish(devices_of(reader))
    states = finish(device_states(reader, device, FREE_CAUSES))
    us = 1_000_000 // reader.tick_ps
    slices = [
        (piece.names[name], start // us, stop // us)
        for piece in states.slices(reader, 0, reader.end + 1)
        if piece is not None
        for name, start, stop in zip(piece.name.tolist(), piece.start.tolist(), piece.stop.tolist(), strict=True)
    ]
    assert slices == [
        ("Host did not dispatch", 15, 30),
        ("Launch took long", 30, 40),
        ("Launch not recorded", 50, 52),
        ("Copies", 52, 55),
        ("Launch took long", 55, 60),
    ]
    assert [lane.title for lane in finish(LANES.lanes(Scope(reader)))][-1] == "Causes of free time"


def test_a_device_has_the_rows_of_its_own_work(tmp_path: Path) -> None:
    """One of two devices of a run communicates."""
    events: list[dict[str, Any]] = []
    for number, types in enumerate((["AI_CORE", "HCCL"], ["AI_CORE", "AI_CPU"])):
        place = {"pid": number, "tid": 1}
        events += [
            {"ph": "M", "name": "process_name", "args": {"name": f"Device {number}"}, **place},
            {"ph": "M", "name": "thread_name", "args": {"name": "Stream 1"}, **place},
        ]
        for ts, task_type in enumerate(types):
            task = {"ph": "X", "name": f"op {task_type}", "ts": 20 * ts, "dur": 10, "args": {"Task Type": task_type}}
            events.append({**task, **place})
    path = tmp_path / "timeline_display_0.json"
    path.write_text(json.dumps(events))
    reader = opened(path, tmp_path)
    lanes = finish(LANES.lanes(Scope(reader)))
    assert [
        [key for key in ROWS if f"{key}-{device.group}" in {lane.key for lane in lanes}]
        for device in finish(devices_of(reader))
    ] == [["computation", "communication", "pure", "free"], ["computation", "free"]]
