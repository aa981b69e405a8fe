"""Traces of ranks that are broken, contradict each other or change meanwhile: the others are still one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tiler.readers.layouts.rank_traces import default_group, group, put, rank_trace
from tilescope.tiler.errors import TraceError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers import discover, find_run
from tilescope.tiler.store import open_run_store


def files_of(path: Path) -> list[list[str]]:
    return sorted([file.name for file in run.files] for run in discover(path))


def put_pair(folder: Path, *, world_size: int = 3) -> None:
    for rank in range(2):
        put(folder / f"rank{rank}.json", rank_trace(rank, world_size))


def manifest_of(path: Path, store: Path) -> dict[str, Any]:
    run = find_run(path)
    build_store(run.files, store, is_unconfirmed=run.is_unconfirmed)
    opened = open_run_store(store)
    try:
        return opened.manifest()
    finally:
        opened.close()


def test_what_a_rank_says_of_its_job_as_text_counts(tmp_path: Path) -> None:
    put_pair(tmp_path)
    text = json.dumps({"backend": "nccl", "rank": 2, "world_size": 3})
    put(tmp_path / "rank2.json", rank_trace(None, distributed=text))
    assert files_of(tmp_path) == [["rank0.json", "rank1.json", "rank2.json"]]
    manifest = manifest_of(tmp_path, tmp_path / "store")
    assert manifest["hosts"] == ["rank 0 · GPU 3", "rank 1 · GPU 3", "rank 2 · GPU 3"]
    assert manifest["warnings"] == []


@pytest.mark.parametrize(
    "broken",
    [
        "nothing",
        "",
        7,
        [],
        {"rank": 2},
        {"rank": [2], "world_size": {}},
        {"rank": "2x", "world_size": 3},
        {"rank": 3e9},
    ],
)
def test_a_rank_that_says_nothing_is_alone_and_the_ones_missing_are_named(tmp_path: Path, broken: object) -> None:
    put_pair(tmp_path)
    put(tmp_path / "rank2.json", rank_trace(None, distributed=broken))
    assert files_of(tmp_path) == [["rank0.json", "rank1.json"], ["rank2.json"]]
    joined = next(run for run in discover(tmp_path) if len(run.files) == 2)
    assert joined.notes == ("2 of 3 ranks: 2 is missing",)


def test_lists_of_ranks_that_are_cut_contradict_nothing(tmp_path: Path) -> None:
    for rank in range(3):
        own = [{**default_group(3), "ranks": "[0, 1, ...]"}, {**group("tp", 0), "ranks": f"[{rank}, ...]"}]
        put(tmp_path / f"rank{rank}.json", rank_trace(rank, 3, groups=own))
    assert files_of(tmp_path) == [["rank0.json", "rank1.json", "rank2.json"]]


def test_a_rank_of_another_world_size_is_alone_and_both_jobs_name_what_is_missing(tmp_path: Path) -> None:
    put_pair(tmp_path, world_size=2)
    for rank in (1, 3):
        put(tmp_path / f"b_rank{rank}.json", rank_trace(rank, 4))
    notes = {run.files[0].name: run.notes for run in discover(tmp_path)}
    assert notes == {"rank0.json": (), "b_rank1.json": ("2 of 4 ranks: 0 and 2 are missing",)}


def test_a_rank_that_is_written_anew_for_another_job_leaves_the_run(tmp_path: Path) -> None:
    put_pair(tmp_path, world_size=2)
    (before,) = discover(tmp_path)
    put(tmp_path / "rank1.json", rank_trace(1, 64))
    assert files_of(tmp_path) == [["rank0.json"], ["rank1.json"]]
    put(tmp_path / "rank1.json", rank_trace(1, 2))
    (after,) = discover(tmp_path)
    assert (after.id, after.files) == (before.id, before.files)


def test_a_rank_that_is_removed_before_it_is_indexed_is_named(tmp_path: Path) -> None:
    put_pair(tmp_path)
    run = find_run(tmp_path)
    run.files[1].unlink()
    with pytest.raises(TraceError, match=r"rank1\.json: cannot be opened"):
        build_store(run.files, tmp_path / "store", is_unconfirmed=True)
    assert not (tmp_path / "store" / "CURRENT").exists()


def test_a_rank_that_is_no_trace_any_more_when_it_is_indexed_is_left_out_and_named(tmp_path: Path) -> None:
    put_pair(tmp_path)
    file = put(tmp_path / "rank2.json", rank_trace(2, 3))
    run = find_run(tmp_path)
    assert len(run.files) == 3
    put(file, b'{"a": 1}')
    build_store(run.files, tmp_path / "store", is_unconfirmed=True)
    opened = open_run_store(tmp_path / "store")
    try:
        manifest = opened.manifest()
    finally:
        opened.close()
    assert manifest["files"] == ["rank0.json", "rank1.json"]
    assert manifest["warnings"][0].startswith("rank2.json is left out: ")
