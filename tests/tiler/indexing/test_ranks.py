"""Files of the ranks of a job as one store: what they are called, what is missing, what does not fit."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.tiler.readers.layouts.rank_traces import default_group, put, rank_trace
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import decompress
from tilescope.tiler.readers import discover, find_run, join_runs
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.store import need


def manifest_of(files: Sequence[Path], store: Path) -> dict[str, Any]:
    build_store(files, store)
    opened = open_run_store(store)
    try:
        return opened.manifest()
    finally:
        opened.close()


def test_ranks_are_groups_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for rank in (10, 2, 0):
        name = f"node{rank // 8}_4711.{1_795_750_840_553_542_000 + rank}.pt.trace.json"
        put(tmp_path / "logs" / name, rank_trace(rank, 12, groups=[default_group(12)]))
    manifest = manifest_of(find_run(tmp_path / "logs").files, tmp_path / "store")
    assert manifest["hosts"] == ["rank 0 · node0 · GPU 3", "rank 2 · node0 · GPU 3", "rank 10 · node1 · GPU 3"]
    assert manifest["warnings"] == ["3 of 12 ranks: 1, 3 to 9 and 11 are missing"]
    opened = open_run_store(tmp_path / "store")
    try:
        groups = json.loads(decompress(need(opened, TRACKS)))["groups"]
    finally:
        opened.close()
    assert (groups[0]["kind"], groups[0]["name"]) == ("run", "3 ranks")


def test_one_rank_alone_is_called_as_before(tmp_path: Path) -> None:
    file = put(tmp_path / "rank0.json", rank_trace(0, 2))
    manifest = manifest_of([file], tmp_path / "store")
    assert (manifest["hosts"], manifest["warnings"]) == (["host"], [])


def test_a_rank_that_only_the_name_says(tmp_path: Path) -> None:
    files = [put(tmp_path / f"rank{rank}.json", rank_trace(None, None)) for rank in range(2)]
    manifest = manifest_of(files, tmp_path / "store")
    assert (manifest["hosts"], manifest["warnings"]) == (["rank 0 · GPU 3", "rank 1 · GPU 3"], [])


@pytest.mark.parametrize(
    ("second", "hosts", "warnings"),
    [
        (
            rank_trace(0),
            ["rank 0 · GPU 3", "rank 0 · GPU 3 (2)"],
            ["rank 0 has 2 files: figures of ranks count it 2 times", "1 of 2 ranks: 1 is missing"],
        ),
        (rank_trace(1, 4), ["rank 0 · GPU 3", "rank 1 · GPU 3"], ["the files are of jobs of 2 and 4 ranks"]),
        (
            rank_trace(1, at_s=5),
            ["rank 0 · GPU 3", "rank 1 · GPU 3"],
            [
                f"{name}.json overlaps no other rank in time: it is of another job or cycle (--separate shows it)"
                for name in "ab"
            ],
        ),
        (rank_trace(None, 2), ["host"], []),
        (rank_trace(None, distributed="broken"), ["host"], []),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, second: bytes, hosts: list[str], warnings: list[str]) -> None:
    files = [put(tmp_path / "a.json", rank_trace(0)), put(tmp_path / "b.json", second)]
    manifest = manifest_of(files, tmp_path / "store")
    assert (manifest["hosts"], manifest["warnings"]) == (hosts, warnings)


def test_a_rank_that_overlaps_with_none_is_named_and_the_others_are_not(tmp_path: Path) -> None:
    for rank, at_s in enumerate((0, 0.0005, 0.0015, 7)):
        put(tmp_path / f"rank{rank}.json", rank_trace(rank, 4, at_s=at_s))
    manifest = manifest_of(find_run(tmp_path).files, tmp_path / "store")
    assert [line.split()[0] for line in manifest["warnings"]] == ["rank3.json"]


def test_a_folder_two_arguments_and_a_zip_are_the_same_run(tmp_path: Path) -> None:
    folder = corpus_path("kineto/h100_two_ranks")
    run = find_run(folder)
    archive = tmp_path / "two.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        for file in run.files:
            writer.write(file, f"some/{file.name}")
    manifests = [
        manifest_of(files, tmp_path / name)
        for name, files in (
            ("folder", run.files),
            ("named", join_runs(reversed(run.files)).files),
            ("zip", discover(archive)[0].files),
        )
    ]
    kept = [{key: value for key, value in manifest.items() if key not in _OF_A_BUILD} for manifest in manifests]
    assert kept[0] == kept[1] == kept[2]
    assert kept[0]["hosts"] == ["rank 0 · GPU 0", "rank 1 · GPU 0"]
    assert kept[0]["warnings"] == []


_OF_A_BUILD = {"build", "created_ns", "source_bytes", "store_bytes"}
