"""`tilescope info`: one JSON object for scripts, tables for people."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from bench.ascend_run import AscendShape, Training, write_ascend, write_profiler
from tests.demo import DEMO_TRACE
from tests.tiler.readers.layouts.rank_traces import put, rank_trace
from tilescope.cli import main
from tilescope.cli.info import SHOWN_PROCESSES
from tilescope.cli.run_list import print_runs
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers import discover
from tilescope.tiler.readers.discovered_run import DiscoveredRun
from tilescope.tiler.store.cache_place import cached_store, default_cache_dir

SECOND_PARTS = "timeline, step trace, operators, data preparation, communication, memory, caches"
KINDS = ["total", "slices", "instants", "counter_samples", "async_slices", "flow_ends", "other"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("info") / "demo.store"
    build_store([DEMO_TRACE], path)
    return str(path)


def test_json(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", store, "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["format"] == "xspace"
    assert info["tick_ps"] == 1_000
    assert info["start"] == "0"
    assert info["end"] == "44163179"
    assert info["processes"] == 2
    assert info["tracks"] == 8
    assert info["events"] == {**dict.fromkeys(KINDS, 0), "total": 5_673, "slices": 5_673}
    assert info["ignored"] == {}
    assert info["source_bytes"] == DEMO_TRACE.stat().st_size
    assert 0 < info["store_bytes"] < info["source_bytes"]


def test_a_folder_of_traces_is_a_list_of_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in (0, 1, 3):
        put(tmp_path / f"rank{rank}.json", rank_trace(rank, 4))
    assert main(["info", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{tmp_path}: 1 run of traces (")
    assert re.fullmatch(rf"  {tmp_path}/rank\*\.json  3 files, [\d.]+ kB", lines[1])
    assert lines[2:] == [
        *(f"    rank {rank}      rank{rank}.json" for rank in (0, 1, 3)),
        "    note: 3 of 4 ranks: 2 is missing",
    ]
    assert main(["info", str(tmp_path), "--separate", "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert sorted(file["path"] for run in runs for file in run["files"]) == [
        str(tmp_path / f"rank{rank}.json") for rank in (0, 1, 3)
    ]
    assert [len(run["files"]) for run in runs] == [1, 1, 1]


def test_trainings_say_what_is_in_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = AscendShape(ranks=2, stages=1, steps=1, layers=1)
    write_profiler(tmp_path / "a" / "profiler", Training(shape))
    write_ascend(tmp_path / "b", Training(shape), "ms")
    stamp = 1_767_225_600
    for path in tmp_path.rglob("*.*"):
        if path.is_file():
            os.utime(path, (stamp, stamp))
    assert main(["info", str(tmp_path)]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "UTC" in line]
    first = "timeline, step trace, operators, FLOPs, data preparation, communication, cluster, memory"
    assert sorted(lines) == [
        f"    2 ranks, newest file 2026-01-01 00:00 UTC: {first}, dynamic shapes, parallel strategy",
        f"    2 ranks, newest file 2026-01-01 00:00 UTC: {SECOND_PARTS}",
    ]
    assert main(["info", str(tmp_path), "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert {run["modified_ns"] for run in runs} == {str(stamp * 10**9)}
    assert SECOND_PARTS.split(", ") in [run["contents"] for run in runs]


def test_steps_are_listed_once_they_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_profiler(tmp_path / "logs" / "a" / "profiler", Training(AscendShape(ranks=1, stages=1, steps=3)))
    (run,) = discover(tmp_path / "logs")

    def listed() -> tuple[object, bool]:
        assert main(["info", str(tmp_path / "logs"), "--json"]) == 0
        (training,) = json.loads(capsys.readouterr().out)["runs"]
        assert main(["info", str(tmp_path / "logs")]) == 0
        return training["steps"], "    1 rank, 3 steps, newest file" in capsys.readouterr().out

    assert listed() == (None, False)
    build_store(run.files, cached_store(default_cache_dir(), run.id, run.files))
    assert listed() == (3, True)
    os.utime(run.files[0], (1, 1))  # an index of other files says nothing
    assert listed() == (None, False)


def test_a_training_of_a_single_host_at_any_time(capsys: pytest.CaptureFixture[str]) -> None:
    files = tuple(Path("a_ascend_pt") / name for name in ("x.csv", "y.csv"))
    host = "a_ascend_pt of a long name"
    print_runs(Path(), [DiscoveredRun("a", "a", Path("a"), files, (host, host), 7, 10**22)])
    lines = capsys.readouterr().out.splitlines()
    assert "    1 host, newest file 318857-05-20 17:46 UTC: tables of other kinds" in lines
    assert f"    {host} x.csv" in lines


def test_a_folder_without_traces_is_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_tables(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", store]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    rows = [line.split() for line in out.splitlines()]
    assert ["Host", "threads", "7", "5,673", "211.517", "ms"] in rows
    assert ["events", "5,673", "slices"] in rows
    assert max(map(len, out.splitlines())) <= 120


def test_many_processes_and_a_long_name_are_shown_in_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "x" * 100_000}}
    events = [{"ph": "X", "pid": pid, "tid": 1, "ts": pid, "dur": 1, "name": "a"} for pid in range(SHOWN_PROCESSES + 7)]
    (tmp_path / "t.json").write_text(json.dumps([named, *events]))
    build_store([tmp_path / "t.json"], tmp_path / "t.store")
    assert main(["info", str(tmp_path / "t.store")]) == 0
    out = capsys.readouterr().out
    assert "and 7 more processes" in out
    assert out.count("x" * 50) < 20
    assert len(out.splitlines()) < SHOWN_PROCESSES + 30


def test_a_trace_is_indexed_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["info", str(DEMO_TRACE)]) == 0
    out, err = capsys.readouterr()
    assert "events" in out
    assert f"{DEMO_TRACE.name}: indexed in " in err


def test_a_folder_without_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(
        f"tilescope: {tmp_path}: this folder is not a store (make one with: tilescope index TRACE -o "
    )
    assert error.count("\n") == 1
