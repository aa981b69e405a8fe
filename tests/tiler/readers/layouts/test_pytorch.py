"""Traces of the ranks of a PyTorch job: which are one run."""

from __future__ import annotations

import gzip
import random
import zipfile
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.tiler.readers.layouts.rank_traces import default_group, group, put, rank_trace
from tilescope.tiler.errors import UsageError
from tilescope.tiler.readers import discover, find_run, join_runs
from tilescope.tiler.readers.layouts import pytorch

STAMP = 1_795_750_840_553_542_999


def files_of(path: Path, *, separate: bool = False) -> list[list[str]]:
    return sorted([file.name for file in run.files] for run in discover(path, separate=separate))


def test_the_two_ranks_of_the_corpus_are_one_run() -> None:
    folder = corpus_path("kineto/h100_two_ranks")
    (run,) = discover(folder)
    assert [file.name for file in run.files] == [
        "worker0.1795750840553542999.pt.trace.json.gz",
        "worker1.1795750840553516575.pt.trace.json.gz",
    ]
    assert (run.hosts, run.notes) == (("rank 0", "rank 1"), ())
    assert run.name == "worker*.pt.trace.json 20261127T034040Z"
    assert [len(run.files) for run in discover(folder, separate=True)] == [1, 1]


def test_the_corpus_is_single_traces_and_two_pairs() -> None:
    folder = corpus_path("kineto")
    runs = discover(folder)
    pairs = {run.name: run.notes for run in runs if len(run.files) > 1}
    assert pairs == {
        "sampled_rank-*.json": ("2 of 128 ranks: 2 to 127 are missing",),
        "h100_two_ranks/worker*.pt.trace.json 20261127T034040Z": (),
    }
    assert len(runs) == len(list(folder.rglob("*.json*"))) - 2


def test_a_run_of_ranks_is_found_by_its_path_and_keeps_its_id(tmp_path: Path) -> None:
    for rank in range(2):
        put(tmp_path / "logs" / f"rank{rank}.json", rank_trace(rank))
    (run,) = discover(tmp_path)
    (again,) = discover(run.path)
    assert run.path == tmp_path / "logs" / "rank*.json"
    assert (again.id, again.files) == (run.id.replace("logs-", ""), run.files)
    put(tmp_path / "logs" / "other.json", rank_trace(None, None))
    assert run.id in [other.id for other in discover(tmp_path)]


def test_a_zip_has_the_runs_of_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "ranks.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for rank in range(2):
            archive.writestr(f"a/rank{rank}.json", rank_trace(rank))
            archive.writestr(f"b/worker{rank}.json", rank_trace(rank, at_s=1000))
    runs = sorted(discover(path), key=lambda run: run.name)
    assert [run.name for run in runs] == ["ranks.zip/a/rank*.json", "ranks.zip/b/worker*.json"]
    assert [run.hosts for run in runs] == [("rank 0", "rank 1")] * 2
    (named,) = discover(runs[1].path)
    assert named.files == runs[1].files


def test_a_zip_of_one_job_is_one_run(tmp_path: Path) -> None:
    path = tmp_path / "ranks.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for rank in range(2):
            archive.writestr(f"rank{rank}.json", rank_trace(rank))
    run = find_run(path)
    assert (run.path, run.hosts) == (path, ("rank 0", "rank 1"))


def test_a_zip_of_the_corpus_has_its_runs_and_not_one_of_years(tmp_path: Path) -> None:
    folder = corpus_path("kineto")
    path = tmp_path / "kineto.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*.json*")):
            archive.write(file, file.relative_to(folder.parent))
    in_folder = {tuple(file.relative_to(folder.parent) for file in run.files) for run in discover(folder)}
    runs = discover(path)
    assert {tuple(file.relative_to(path) for file in run.files) for run in runs} == in_folder
    assert len({run.id for run in runs}) == len(runs)


def test_traces_that_no_layout_knows_are_one_run_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "mixed.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("a.json", "b.json"):
            archive.writestr(name, b'{"traceEvents": [{"ph": "X", "ts": 1, "dur": 1}]}')
            archive.writestr(f"torch/{name}", rank_trace(0))
    assert files_of(path) == [["a.json"], ["a.json", "b.json"], ["b.json"]]
    assert files_of(path, separate=True) == files_of(path)


def test_cycles_of_the_profiler_are_runs(tmp_path: Path) -> None:
    for cycle in range(3):
        for rank in range(4):
            if (cycle, rank) != (1, 2):  # its trace was lost
                name = f"worker{rank}.{STAMP + (60 * cycle + rank) * 10**9}.pt.trace.json"
                put(tmp_path / name, rank_trace(rank, 4, at_s=60 * cycle + rank / 10), age_s=100 - cycle)
    runs = discover(tmp_path)
    assert [run.hosts for run in runs] == [
        ("rank 0", "rank 1", "rank 2", "rank 3"),
        ("rank 0", "rank 1", "rank 3"),
        ("rank 0", "rank 1", "rank 2", "rank 3"),
    ]
    assert [run.notes for run in runs] == [(), ("3 of 4 ranks: 2 is missing",), ()]
    assert len({run.id for run in runs}) == len({run.path for run in runs}) == 3


def test_cycles_of_ten_ranks_come_apart_in_whatever_order(tmp_path: Path) -> None:
    chance = random.Random(5)
    truth: dict[int, list[str]] = {}
    for cycle in range(6):
        for rank in range(10):
            if rank == 0 or chance.random() < 0.8:
                name = f"r{rank}_{cycle}.json"
                put(tmp_path / name, rank_trace(rank, 10, at_s=40 * cycle + chance.uniform(0, 15)))
                truth.setdefault(cycle, []).append(name)
    assert files_of(tmp_path) == sorted(truth.values())


def test_traces_far_apart_are_no_run(tmp_path: Path) -> None:
    put(tmp_path / "rank0.json", rank_trace(0))
    put(tmp_path / "rank1.json", rank_trace(1, at_s=61))
    assert files_of(tmp_path) == [["rank0.json"], ["rank1.json"]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (rank_trace(0, 2), rank_trace(1, 4)),  # of another world size
        (rank_trace(0, 2), rank_trace(1, None)),  # that says none
        (rank_trace(0, 2), rank_trace(1, 2, groups=[default_group(2)])),  # another default group
        (rank_trace(0, 2), rank_trace(0, 2)),  # the same rank
        (rank_trace(0, 2), rank_trace(None, 2)),
        (
            rank_trace(0, 4, groups=[default_group(4), group("1", 0, 1)]),
            rank_trace(1, 4, groups=[default_group(4), group("1", 1, 2)]),
        ),
        (rank_trace(0, 2), b'{"traceEvents": [{"ph": "X", "ts": 1, "dur": 1}]}'),  # not of PyTorch
    ],
)
def test_what_does_not_belong_together(tmp_path: Path, first: bytes, second: bytes) -> None:
    put(tmp_path / "rank0.json", first)
    put(tmp_path / "rank1.json", second)
    assert files_of(tmp_path) == [["rank0.json"], ["rank1.json"]]


def test_groups_that_each_rank_lists_by_itself(tmp_path: Path) -> None:
    for rank in range(4):
        own = group("mesh", *((0, 1) if rank < 2 else (2, 3)))
        put(tmp_path / f"node_{rank}.json", rank_trace(rank, 4, groups=[default_group(4), own]))
    assert files_of(tmp_path) == [[f"node_{rank}.json" for rank in range(4)]]


def test_jobs_that_contradict_each_other_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytorch, "_MOST_JOBS", 2)
    for job in range(3):
        for rank in range(2):
            put(tmp_path / f"j{job}_rank{rank}.json", rank_trace(rank, 9, groups=[group("tp", 0, 1, 2 + job)]))
    assert [len(files) for files in files_of(tmp_path)] == [2, 2, 1, 1]


@pytest.mark.parametrize("name", ["rank{}", "x_rank-{}", "worker{}", "a.r{}.b", "device_{}"])
def test_names_tell_ranks_where_traces_do_not(tmp_path: Path, name: str) -> None:
    for rank in (10, 2, 1):
        put(tmp_path / f"{name.format(rank)}.json", rank_trace(None, None))
    (run,) = discover(tmp_path)
    assert run.hosts == ("rank 1", "rank 2", "rank 10")
    assert run.path == tmp_path / f"{name.format('*')}.json"


@pytest.mark.parametrize("name", ["run{}", "workers{}", "step{}", "bar{}x", "rank{}x"])
def test_other_numbers_are_no_ranks(tmp_path: Path, name: str) -> None:
    for number in range(2):
        put(tmp_path / f"{name.format(number)}.json", rank_trace(None, None))
    assert len(discover(tmp_path)) == 2


def test_hosts_stand_in_names(tmp_path: Path) -> None:
    for rank in range(2):
        put(tmp_path / f"node{7 + rank}_4711.{STAMP + rank}.pt.trace.json", rank_trace(rank))
    (run,) = discover(tmp_path)
    assert run.hosts == ("rank 0 · node7", "rank 1 · node8")
    assert run.name == "rank*-of-2 20261127T034040Z"
    assert find_run(run.path).files == run.files


def test_a_copy_is_left_out_and_named(tmp_path: Path) -> None:
    for rank in range(2):
        put(tmp_path / f"rank{rank}.json", rank_trace(rank))
    put(tmp_path / "rank1.json.gz", gzip.compress(rank_trace(1)))
    (run,) = discover(tmp_path)
    assert [file.name for file in run.files] == ["rank0.json", "rank1.json"]
    assert run.notes == ("rank1.json.gz is left out: it is a copy of rank1.json",)


def test_two_files_of_a_rank_are_no_reason_to_lose_the_others(tmp_path: Path) -> None:
    for name, rank in (("rank0", 0), ("rank0_again", 0), ("rank1", 1), ("rank2", 2)):
        put(tmp_path / f"{name}.json", rank_trace(rank, 3))
    assert files_of(tmp_path) == [["rank0.json", "rank1.json", "rank2.json"], ["rank0_again.json"]]


def test_what_is_named_together_is_one_run(tmp_path: Path) -> None:
    files = [put(tmp_path / f"rank{rank}.json", rank_trace(rank, at_s=9999 * rank)) for rank in range(2)]
    run = join_runs(reversed(files))
    assert run.files == tuple(files)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="there is no trace here"):
        join_runs([*files, tmp_path / "empty"])


def test_a_hundred_cycles(tmp_path: Path) -> None:
    for cycle in range(100):
        for rank in range(8):
            put(tmp_path / f"worker{rank}.{STAMP + cycle}.json", rank_trace(rank, 8, at_s=20 * cycle))
    runs = discover(tmp_path)
    assert [len(run.files) for run in runs] == [8] * 100


def test_links_in_circles_end(tmp_path: Path) -> None:
    for rank in range(2):
        put(tmp_path / "a" / f"rank{rank}.json", rank_trace(rank))
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "loop.json").symlink_to(tmp_path / "a" / "loop.json")
    assert files_of(tmp_path) == [["rank0.json", "rank1.json"]]
