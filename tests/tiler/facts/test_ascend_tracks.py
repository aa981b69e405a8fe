"""Work of Ascend devices by the types of their tasks, in small traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tests.reports.traces import answer, rows
from tilescope.tiler.facts import Work, devices_of
from tilescope.tiler.facts.work import works_of
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.work_rules import WorkRule, WorkRules

HARDWARE: Final = {"pid": 1, "process": "Ascend Hardware"}
ANALYSIS: Final = {"pid": 2, "process": "Overlap Analysis"}


def task(name: str, start: int, duration: int, task_type: str | None, stream: int = 1) -> dict[str, Any]:
    """A task of a stream, in µs."""
    arguments = {} if task_type is None else {"args": {"Task Type": task_type}}
    return {
        **HARDWARE,
        "tid": stream,
        "thread": f"Stream {stream}",
        "name": name,
        "ts": start,
        "dur": duration,
        **arguments,
    }


def row(name: str, start: int, duration: int) -> dict[str, Any]:
    """A slice of the analysis."""
    return {**ANALYSIS, "tid": name, "thread": name, "name": name, "ts": start, "dur": duration}


def opened(folder: Path, *events: dict[str, Any], rules: WorkRules | None = None) -> QueryReader:
    """The trace, indexed."""
    written = []
    for event in events:
        names = (("process_name", event["process"]), ("thread_name", event["thread"]))
        place = {"pid": event["pid"], "tid": event["tid"]}
        written += [{"ph": "M", "name": name, "args": {"name": text}, **place} for name, text in names]
        written.append({"ph": "X", **{key: value for key, value in event.items() if key not in ("process", "thread")}})
    path = folder / "msprof.json"
    path.write_text(json.dumps(written))
    build_store([path], folder / "store")
    store = open_run_store(folder / "store")
    return QueryReader(store) if rules is None else QueryReader(store, work_rules=rules)


def kinds(reader: QueryReader) -> dict[tuple[str, str, str], Work]:
    """The kinds of work by stream, name and type."""
    (device,) = finish(devices_of(reader))
    names = [reader.names[name] for name in range(reader.names.count)]
    return {
        (reader.tree.tracks[work.track].name, name.text, name.category): Work(int(works_of(work.kinds)[number + 1]))
        for work in device.tracks
        for number, name in enumerate(names)
    }


def test_one_name_may_be_of_several_types(tmp_path: Path) -> None:
    reader = opened(tmp_path, task("op", 0, 10, "AI_CORE"), task("op", 20, 5, "SDMA_SQE"), task("op", 30, 1, None))
    by_name = kinds(reader)
    assert [by_name["Stream 1", "op", task_type] for task_type in ("AI_CORE", "SDMA_SQE", "")] == [
        *(Work.COMPUTATION, Work.COPY, Work.COMPUTATION),
    ]


def test_others_are_what_the_rows_of_the_file_say(tmp_path: Path) -> None:
    reader = opened(
        tmp_path,
        task("computes", 0, 10, "Other"),
        task("communicates", 20, 10, "Other"),
        task("waits", 40, 10, "Other"),
        task("sometimes", 0, 5, "Other", 2),
        task("sometimes", 40, 5, "Other", 2),
        task("MEMCPY_ASYNC", 60, 5, "Other"),
        row("Computing", 0, 12),
        row("COMMUNICATION", 20, 10),
    )
    by_name = kinds(reader)
    assert {name: by_name["Stream 1", name, "Other"] for name in ("computes", "communicates", "waits")} == {
        "computes": Work.COMPUTATION,
        "communicates": Work.COMMUNICATION,
        "waits": Work.NONE,
    }
    assert by_name["Stream 2", "sometimes", "Other"] is Work.NONE
    assert by_name["Stream 1", "MEMCPY_ASYNC", "Other"] is Work.COPY


def test_others_compute_where_no_rows_say_more(tmp_path: Path) -> None:
    by_name = kinds(opened(tmp_path, task("a", 0, 10, "Other"), task("NOTIFY_WAIT", 20, 10, "Other", 2)))
    assert by_name["Stream 1", "a", "Other"] is Work.COMPUTATION
    assert by_name["Stream 2", "NOTIFY_WAIT", "Other"] is Work.NONE


def test_copies_on_a_stream_with_notices_are_parts_of_communication(tmp_path: Path) -> None:
    reader = opened(
        tmp_path,
        task("MEMCPY_ASYNC", 0, 10, "MEMCPY_ASYNC", 1),
        task("MEMCPY_ASYNC", 100, 7, "MEMCPY_ASYNC", 2),
        task("NOTIFY_WAIT", 110, 5, "NOTIFY_WAIT", 2),
    )
    by_name = kinds(reader)
    assert by_name["Stream 1", "MEMCPY_ASYNC", "MEMCPY_ASYNC"] is Work.COPY
    assert by_name["Stream 2", "MEMCPY_ASYNC", "MEMCPY_ASYNC"] is Work.NONE
    (device,) = rows(answer(reader, "overlap"), "devices")
    assert device["copies"] == 10_000_000 // reader.tick_ps


def test_rules_of_a_user_come_first(tmp_path: Path) -> None:
    rules = WorkRules((WorkRule("communication", "^mine"), WorkRule("copy", "", "^MEMCPY")))
    events = (
        *(task("mine", 0, 10, "Other"), task("x", 20, 5, "MEMCPY_ASYNC"), task("NOTIFY_WAIT", 30, 1, "NOTIFY_WAIT")),
        row("Computing", 0, 12),
    )
    by_name = kinds(opened(tmp_path, *events, rules=rules))
    assert by_name["Stream 1", "mine", "Other"] is Work.COMMUNICATION
    assert by_name["Stream 1", "x", "MEMCPY_ASYNC"] is Work.COPY


def test_a_first_timeline_has_steps_and_ai_cpus(tmp_path: Path) -> None:
    """Numbers alone say what is what: pid 0 is a device, 9000 AI CPUs, 10000 communication, tid 100000 steps."""
    slices = (
        *(
            (0, 5, "Default/Conv2D-op1", 100, 10),
            (9000, 1, "InitData", 105, 10),
            (10000, 6, "stream_6_parallel_0", 110, 10),
        ),
        *((0, 100000, "1", 100, 15), (0, 100000, "2", 115, 10)),
    )
    path = tmp_path / "ascend_timeline_display_0.json"
    path.write_text(
        json.dumps(
            [
                {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": start, "dur": duration}
                for pid, tid, name, start, duration in slices
            ]
        )
    )
    build_store([path], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    (device,) = rows(answer(reader, "overlap"), "devices")
    us = 1_000_000 // reader.tick_ps
    assert (device["computation"], device["communication"], device["exposed_communication"]) == (
        15 * us,
        10 * us,
        5 * us,
    )
    steps = rows(answer(reader, "overlap"), "steps")
    assert [(step["step"], step["computation"], step["exposed_communication"]) for step in steps] == [
        *((1, 15 * us, 0), (2, 0, 5 * us)),
    ]
    assert [cell["device_compute"] for cell in rows(answer(reader, "pod"), "cells")] == [15 * us, 0]
