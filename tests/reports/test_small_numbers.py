"""Pids and tids that are small numbers are not taken for what they are not."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.reports.traces import FOLDER, Open, answer, rows
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store


def tracks(reader: QueryReader) -> list[tuple[str, str, int]]:
    """Process, name and number of events of each track, from the top of the screen."""
    groups = reader.tree.groups
    shown = (track for track in reader.tree.tracks if track.kind != "rollup")
    return [(groups[track.group].name, track.name, track.events) for track in shown]


def test_a_program_that_is_pid_1_is_not_gpu_1(open_by_name: Open) -> None:
    reader = open_by_name("container_pid_1.json")
    assert tracks(reader) == [("python", "python", 2), ("GPU 0", "stream 7", 1), ("GPU 1", "stream 7", 1)]
    assert [group.detail for group in reader.tree.groups if group.name == "python"] == ["pid 1 · CPU"]
    lanes = {row["lane"]: (row["busy"], row["idle"]) for row in rows(answer(reader, "gaps"), "lanes")}
    assert lanes == {"GPU 0": (30_000, 0), "GPU 1": (40_000, 0)}
    facts = {fact.id: fact.value for fact in answer(reader, "overview").facts}
    assert (facts["devices"], facts["device_type"]) == (2, "GPU")


def test_tid_and_pid_are_the_same_by_accident(open_by_name: Open) -> None:
    of_both = [("th1", 1), ("th2", 1)]
    names = [(name, events) for _, name, events in tracks(open_by_name("thread_order_small_pids.json"))]
    assert names == of_both * 2


def test_a_stream_may_have_pid_and_tid_of_a_thread(tmp_path: Path) -> None:
    """As in a container whose program is pid 7, and started no thread yet, with eight GPUs."""
    events: list[dict[str, Any]] = json.loads((FOLDER / "container_pid_1.json").read_text())["traceEvents"]
    events += [
        {"ph": ph, "name": "ac2g", "cat": "ac2g", "id": 3, "ts": ts, "pid": 1, "tid": tid, "bp": "e"}
        for ph, ts, tid in (("s", 10, 1), ("f", 20, 7))
    ]
    for event in events:
        event["pid"] = 7 * event["pid"]
        if event.get("tid") == 1:
            event["tid"] = 7
        if event["name"] == "process_labels":
            event["args"]["labels"] = event["args"]["labels"].replace("GPU 1", "GPU 7")
        elif event.get("cat") == "kernel":
            event["args"]["device"] *= 7
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events))
    build_store([path], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        streams = [("GPU 0", "stream 7", 1), ("GPU 7", "stream 7", 1)]
        assert tracks(reader) == [("python", "thread 1 (python)", 2), *streams]
        gaps = rows(answer(reader, "gaps"), "lanes")
        assert {row["lane"]: row["busy"] for row in gaps} == {"GPU 0": 30_000, "GPU 7": 40_000}
        assert reader.store.manifest()["flows"]["edges"] == "1"


def test_devices_are_known_by_any_label_and_file_by_file(tmp_path: Path) -> None:
    """One file of a run labels its XPU, the other has lost its metadata."""
    folder = tmp_path / "run"
    folder.mkdir()
    labelled = [
        {"ph": "M", "name": "process_labels", "pid": pid, "args": {"labels": label}}
        for pid, label in ((100, "CPU"), (0, "XPU 0"))
    ]
    for name, metadata in (("a.trace.json", labelled), ("b.trace.json", [])):
        events = [
            {"ph": "X", "name": "op", "cat": "cpu_op", "ts": 0, "dur": 5, "pid": 100, "tid": 100},
            {"ph": "X", "name": f"kernel {name}", "cat": "kernel", "ts": 5, "dur": 5, "pid": 0, "tid": 7},
        ]
        (folder / name).write_text(json.dumps([*metadata, *events]))
    build_store(sorted(folder.iterdir()), tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        lanes = rows(answer(QueryReader(store), "gaps"), "lanes")
        assert [(row["lane"], row["busy"]) for row in lanes] == [("XPU 0", 5_000), ("Process 0", 5_000)]
