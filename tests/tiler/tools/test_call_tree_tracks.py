"""Tracks of one name in a call tree have the names of the groups around them, as far as these are needed."""

from __future__ import annotations

import json
from pathlib import Path

import tilescope
from tilescope.tiler.indexing import build_store


def trace(folder: Path, name: str, threads: dict[tuple[int, int], str]) -> Path:
    """A file of a job's rank with a slice on each of some threads, named by pid and tid."""
    events = [
        event
        for (pid, tid), thread in threads.items()
        for event in (
            {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": f"program {pid}"}},
            {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": thread}},
            {"ph": "X", "pid": pid, "tid": tid, "name": "work", "ts": 1, "dur": 5},
        )
    ]
    (folder / name).write_text(json.dumps({"host_name": name, "traceEvents": events}))
    return folder / name


def track_nodes(folder: Path, *files: Path) -> list[str]:
    build_store(list(files), folder / "run.store")
    with tilescope.connect(folder / "run.store") as client:
        table = client.run().ask("call_tree", by="track").table("nodes")
        return sorted(name for name, track in zip(table["name"], table["track"], strict=True) if track is not None)


def test_a_name_of_several_tracks_stands_behind_the_process(tmp_path: Path) -> None:
    file = trace(tmp_path, "one.json", {(1, 1): "stream 7", (2, 1): "stream 7", (2, 3): "main"})
    assert track_nodes(tmp_path, file) == ["main", "program 1 › stream 7", "program 2 › stream 7"]


def test_and_behind_the_host_where_processes_have_one_name(tmp_path: Path) -> None:
    files = [trace(tmp_path, f"host{number}.json", {(1, 1): "main"}) for number in (0, 1)]
    names = track_nodes(tmp_path, *files)
    assert len(set(names)) == 2
    assert all(name.endswith(" › program 1 › main") for name in names)
