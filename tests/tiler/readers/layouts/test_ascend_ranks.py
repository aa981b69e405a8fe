"""Ranks of captures of Ascend devices, as small files in their folders say them."""

from __future__ import annotations

import json
import tarfile
import zipfile
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers import discover, find_run, join_runs
from tilescope.tiler.readers.layouts.ascend_ranks import CaptureRank, is_rank_file, read_rank
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, from_values, tool
from tilescope.tiler.tools.answer_json import encode

METADATA = "profiler_metadata.json"


def metadata(world_size: int, *, name: str = "default_group") -> dict[str, Any]:
    groups = {
        "10.0.0.1%eth_1": {"group_name": "tp", "group_rank": 0, "global_ranks": [0, 1]},
        "10.0.0.1%eth_0": {"group_name": name, "group_rank": 0, "global_ranks": list(range(world_size))},
    }
    return {"parallel_group_info": groups}


def put_rank(logs: Path, rank: int, *, world_size: int | None = 8, kind: str = "pt", seconds: int = 5) -> Path:
    """A capture of a rank, its trace as torch_npu writes it: device 0 in a process of its own."""
    capture = logs / f"node_{100 + rank}_202401020304{seconds:02}678_ascend_{kind}"
    (capture / "ASCEND_PROFILER_OUTPUT").mkdir(parents=True)
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "Ascend Hardware"}},
        {"ph": "M", "pid": 3, "tid": 7, "name": "thread_name", "args": {"name": "Stream 7"}},
        {"ph": "X", "pid": 3, "tid": 7, "name": "MatMul", "ts": f"1700000000000{rank:03}.5", "dur": 10 + rank},
    ]
    (capture / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").write_text(json.dumps(events))
    (capture / f"profiler_info_{rank}.json").write_text(json.dumps({"config": {}, "rank_id": rank}))
    if world_size is not None:
        (capture / METADATA).write_text(json.dumps(metadata(world_size)))
    return capture


def put_ranks(logs: Path, ranks: Collection[int] = (0, 1, 3, 4, 6, 7), *, world_size: int | None = 8) -> None:
    for rank in ranks:
        put_rank(logs, rank, world_size=world_size)


def indexed(files: Sequence[Path], store: Path) -> tuple[dict[str, Any], list[bytes]]:
    """The manifest, and the answers of some tools."""
    build_store(files, store)
    with closing(open_run_store(store)) as opened:
        reader = QueryReader(opened)
        answers = [
            encode(finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values))))
            for name, values in (("overview", {}), ("stats", {"by": "host"}), ("overlap", {}), ("gaps", {}))
        ]
        return opened.manifest(), answers


@pytest.mark.parametrize(
    ("texts", "rank"),
    [
        ({"profiler_info_3.json": ""}, CaptureRank(3)),
        ({"profiler_info.json": '{"rank_id": 2}'}, CaptureRank(2)),
        ({"profiler_info.json": '{"rank_id": -1}'}, CaptureRank()),
        ({"profiler_info.json": '{"rank_id": true}'}, CaptureRank()),
        ({"profiler_info.json": '{"rank_id": "2"}'}, CaptureRank()),
        ({"profiler_info.json": "[" * 99_999}, CaptureRank()),
        ({"profiler_info.json": '{"rank_id": 2'}, CaptureRank()),
        ({"profiler_info_3.json": "", "profiler_info_4.json": ""}, CaptureRank()),
        ({"profiler_info_3.json": "", METADATA: json.dumps(metadata(4))}, CaptureRank(3, 4)),
        ({"profiler_info_3.json": "", METADATA: json.dumps(metadata(4, name="hccl_world_group"))}, CaptureRank(3, 4)),
        ({"profiler_info_3.json": "", METADATA: json.dumps(metadata(4, name="dp"))}, CaptureRank(3)),
        ({"profiler_info_4.json": "", METADATA: json.dumps(metadata(4))}, CaptureRank(None, 4)),
        ({"profiler_info_3.json": "", METADATA: '{"parallel_group_info": [7]}'}, CaptureRank(3)),
        ({"profiler_info_3.json": "", METADATA: '{"parallel_group_info": {"a": 7}}'}, CaptureRank(3)),
        ({}, CaptureRank()),
    ],
)
def test_what_files_say(texts: dict[str, str], rank: CaptureRank) -> None:
    assert all(map(is_rank_file, texts))
    assert read_rank({name: text.encode() for name, text in texts.items()}) == rank


@pytest.mark.parametrize("name", ["profiler_info_x.json", "profiler_info_3.json.gz", "a_profiler_info_3.json"])
def test_other_files_say_none(name: str) -> None:
    assert not is_rank_file(name)


@pytest.mark.parametrize(("world_size", "line"), [(8, "6 of 8"), (9, "6 of 9"), (None, "6 of at least 8")])
def test_ranks_are_named_and_the_ones_missing_too(tmp_path: Path, world_size: int | None, line: str) -> None:
    put_ranks(tmp_path / "logs", world_size=world_size)
    run = find_run(tmp_path / "logs")
    names = [f"rank {rank}" for rank in (0, 1, 3, 4, 6, 7)]
    assert list(run.hosts) == names
    last = ", 5 and 8 are missing" if world_size == 9 else " and 5 are missing"
    assert run.notes[-1] == f"{line} ranks: 2{last}"
    manifest, _ = indexed(run.files, tmp_path / "store")
    assert manifest["hosts"] == names
    assert manifest["warnings"] == [run.notes[-1]]


@pytest.mark.parametrize("ending", ["zip", "tar", "tgz"])
def test_an_archive_and_arguments_give_the_same_labels_and_answers(tmp_path: Path, ending: str) -> None:
    logs, archive = tmp_path / "logs", tmp_path / f"logs.{ending}"
    put_ranks(logs)
    members = sorted(logs.rglob("*.json"), reverse=True)
    if ending == "zip":
        with zipfile.ZipFile(archive, "w") as zipped:
            for file in members:
                zipped.write(file, file.relative_to(tmp_path))
    else:
        with tarfile.open(archive, "w:gz" if ending == "tgz" else "w") as tape:
            for file in members:
                tape.add(file, file.relative_to(tmp_path))
    runs = find_run(logs), find_run(archive), join_runs([*discover(logs)[0].files][::-1])
    assert runs[1].hosts == runs[0].hosts
    assert runs[1].notes == runs[0].notes
    results = [indexed(run.files, tmp_path / f"store{number}") for number, run in enumerate(runs)]
    assert results[0][1] == results[1][1] == results[2][1]
    for manifest, _ in results[1:]:
        assert (manifest["hosts"], manifest["warnings"]) == (results[0][0]["hosts"], results[0][0]["warnings"])


def test_files_of_a_rank_are_one_host_and_counted_once(tmp_path: Path) -> None:
    for rank in range(2):
        capture = put_rank(tmp_path / "logs", rank, world_size=2)
        trace = capture / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
        for name in ("msprof", "task_time"):
            other = capture / "PROF_1_2_A" / f"device_{rank}" / "timeline" / f"{name}_{rank}_2_1.json"
            other.parent.mkdir(parents=True, exist_ok=True)
            other.write_bytes(trace.read_bytes())
        trace.unlink()
    run = find_run(tmp_path / "logs")
    assert run.hosts == ("rank 0", "rank 1") * 2
    manifest, _ = indexed(run.files, tmp_path / "store")
    assert manifest["hosts"] == ["rank 0", "rank 1"]
    assert not [line for line in manifest["warnings"] if "rank" in line]


def test_two_captures_of_a_rank_are_runs_of_their_own(tmp_path: Path) -> None:
    put_ranks(tmp_path / "logs", (0, 1), world_size=2)
    again = put_rank(tmp_path / "again", 1, world_size=2, seconds=9)
    again.rename(tmp_path / "logs" / again.name.replace("node", "restarted"))
    assert sorted(len(run.files) for run in discover(tmp_path / "logs")) == [1, 2]


def test_a_rank_that_a_trace_says_itself_counts(tmp_path: Path) -> None:
    for rank in range(2):
        trace = put_rank(tmp_path, rank, world_size=None) / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
        head = {"schemaVersion": 1, "distributedInfo": {"rank": rank + 4, "world_size": 6}}
        trace.write_text(json.dumps(head | {"traceEvents": json.loads(trace.read_text())}))
    manifest, _ = indexed(find_run(tmp_path).files, tmp_path / "store")
    assert manifest["hosts"] == ["rank 4", "rank 5"]


def test_links_and_what_cannot_be_read_say_none(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put_ranks(logs, (0, 1), world_size=2)
    first, second = sorted(logs.iterdir())
    (tmp_path / "elsewhere.json").write_text("{}")
    (first / "profiler_info_0.json").unlink()
    (first / "profiler_info_0.json").symlink_to(tmp_path / "elsewhere.json")
    (second / "profiler_info_1.json").unlink()
    (second / "profiler_info_1.json").mkdir()
    run = find_run(logs)
    assert run.hosts == (first.name, second.name)
    assert len(run.notes) == 1
