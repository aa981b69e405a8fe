"""Files of the ranks of a job as one store: what they are called, what is missing, what does not fit."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.tiler.readers import wire_writer as w
from tests.tiler.readers.layouts.rank_traces import BASE_NS, default_group, put, rank_trace
from tilescope.tiler.columns import JobRank, Process, TraceSummary
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.reading.ranks import rank_labels
from tilescope.tiler.lookup.sources import separated_sources, sources
from tilescope.tiler.pages import decompress
from tilescope.tiler.readers import DiscoveredRun, discover, find_run, join_runs
from tilescope.tiler.readers.fingerprint import take_fingerprints
from tilescope.tiler.readers.logdir import separated_runs
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


def test_each_rank_is_asked_once_for_what_it_used() -> None:
    processes = [Process(f"GPU {number}") for number in range(3)]
    summaries = [TraceSummary(format="x", processes=processes, rank=JobRank(rank, 2, "")) for rank in range(2)]
    questions = []

    def used_processes(file: int) -> set[int]:
        questions.append(file)
        return {file + 1}

    assert rank_labels(summaries, used_processes) == ["rank 0 · GPU 1", "rank 1 · GPU 2"]
    assert questions == [0, 1]


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


def put_ranks(folder: Path, *starts_s: float, **options: Any) -> DiscoveredRun:
    for rank, at_s in enumerate(starts_s):
        put(folder / f"rank{rank}.json", rank_trace(rank, len(starts_s), at_s=at_s, **options))
    return find_run(folder)


def separated(run: DiscoveredRun, store: Path) -> tuple[list[str], list[str]]:
    """The files of the run's index, and its warnings, when files of other times are left out."""
    assert run.is_unconfirmed
    build_store(run.files, store, is_unconfirmed=True)
    opened = open_run_store(store)
    try:
        manifest = opened.manifest()
        assert sources(opened) == take_fingerprints(run.files)  # so that the index is one of this run
        alone = separated_runs(run, separated_sources(opened))
    finally:
        opened.close()
    assert [*manifest["files"], *(run.files[0].name for run in alone)] == sorted(file.name for file in run.files)
    assert [(entry.id, entry.name, entry.path) for entry in alone] == [
        (entry.id, entry.name, entry.path)
        for entry in sorted(discover(run.path.parent, separate=True), key=lambda entry: entry.name)
        if entry.files[0].name not in manifest["files"]
    ]
    return manifest["files"], manifest["warnings"]


LINE = "is left out: it overlaps none of the files that are shown, and is a run of its own"


def test_a_rank_of_another_time_is_a_run_of_its_own(tmp_path: Path) -> None:
    run = put_ranks(tmp_path / "logs", 0, 0.0005, 0.0014, 7)  # the first and the third overlap through the second
    files, warnings = separated(run, tmp_path / "store")
    assert files == ["rank0.json", "rank1.json", "rank2.json"]
    assert warnings == [f"rank3.json {LINE}", "3 of 4 ranks: 3 is missing"]


def test_of_as_many_ranks_the_first_ones_stay(tmp_path: Path) -> None:
    files, warnings = separated(put_ranks(tmp_path / "logs", 0, 0.0005, 7, 7.0005), tmp_path / "store")
    assert files == ["rank0.json", "rank1.json"]
    assert warnings == [f"rank2.json {LINE}", f"rank3.json {LINE}", "2 of 4 ranks: 2 to 3 are missing"]


def test_the_most_ranks_stay_and_many_others_are_counted(tmp_path: Path) -> None:
    run = put_ranks(tmp_path / "logs", *range(0, 46, 2), 50, 50)
    build_store(run.files, tmp_path / "store", is_unconfirmed=True)
    opened = open_run_store(tmp_path / "store")
    try:
        manifest = opened.manifest()
    finally:
        opened.close()
    assert manifest["files"] == ["rank23.json", "rank24.json"]
    assert manifest["warnings"][0] == f"rank0.json {LINE}"
    assert manifest["warnings"][20:] == [
        "3 more files are left out: they overlap none of the files that are shown",
        "2 of 25 ranks: 0 to 22 are missing",
    ]


@pytest.mark.parametrize("duration_us", [0, 1000])
def test_ranks_that_touch_stay_together(tmp_path: Path, duration_us: int) -> None:
    run = put_ranks(tmp_path / "logs", 0, duration_us / 1e6, duration_us=duration_us)
    files, warnings = separated(run, tmp_path / "store")
    assert (files, warnings) == (["rank0.json", "rank1.json"], [])


def test_times_from_an_unknown_base_separate_nothing(tmp_path: Path) -> None:
    for rank, at_us in enumerate((0, 5_000_000)):
        event = {"ph": "X", "name": "k", "pid": 3, "tid": 7, "ts": at_us, "dur": 9}
        info = {"rank": rank, "world_size": 2}
        put(
            tmp_path / "logs" / f"rank{rank}.json",
            json.dumps({"schemaVersion": 1, "distributedInfo": info, "traceEvents": [event]}).encode(),
        )
    run = find_run(tmp_path / "logs")
    build_store(run.files, tmp_path / "store", is_unconfirmed=True)
    opened = open_run_store(tmp_path / "store")
    try:
        assert separated_sources(opened) == ()
    finally:
        opened.close()


def test_what_is_named_together_stays_together(tmp_path: Path) -> None:
    planned = put_ranks(tmp_path / "logs", 0, 7)
    run = join_runs(planned.files)
    assert not run.is_unconfirmed
    store = tmp_path / "store"
    for _ in range(2):  # whatever the store was before
        assert separated(planned, store)[0] == ["rank0.json"]
        build_store(run.files, store)
        opened = open_run_store(store)
        try:
            assert opened.manifest()["files"] == ["rank0.json", "rank1.json"]
        finally:
            opened.close()


def put_captures(profile: Path, *starts_s: float) -> None:
    """A folder for each host, all within ten seconds; what their profilers recorded begins at these times."""
    for number, at_s in enumerate(starts_s):
        line = w.message(3, w.number(3, BASE_NS + int(at_s * 1e9)), w.message(4, w.number(3, 10**9)))
        space = w.message(1, w.data(2, "/host:CPU"), line)
        put(profile / f"2026_01_31_04_47_3{number}" / f"host{number}.xplane.pb", space)


def test_folders_of_another_time_are_runs_of_their_own(tmp_path: Path) -> None:
    profile = tmp_path / "logs" / "train" / "plugins" / "profile"
    put_captures(profile, 0, 0.0005, 9)
    (run,) = discover(tmp_path / "logs")
    build_store(run.files, tmp_path / "store", is_unconfirmed=run.is_unconfirmed)
    opened = open_run_store(tmp_path / "store")
    try:
        manifest, (alone,) = opened.manifest(), separated_runs(run, separated_sources(opened))
    finally:
        opened.close()
    assert manifest["files"] == ["host0.xplane.pb", "host1.xplane.pb"]
    assert manifest["warnings"][0] == f"host2.xplane.pb {LINE}"
    assert (alone.name, alone.path) == ("train/2026_01_31_04_47_32", profile / "2026_01_31_04_47_32")
    assert alone.id == next(
        entry.id for entry in discover(tmp_path / "logs", separate=True) if entry.name == alone.name
    )


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
