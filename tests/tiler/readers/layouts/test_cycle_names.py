"""Names of runs of ranks: which stay when files come, go, or are called as runs are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.readers.layouts.rank_traces import default_group, group, put, rank_trace
from tilescope.tiler.readers import DiscoveredRun, discover
from tilescope.tiler.readers.layouts.cycle_names import NamedFile, cycle_names
from tilescope.tiler.readers.layouts.pytorch_head import Distributed
from tilescope.tiler.readers.layouts.rank_names import rank_name

STAMP_NS = 1_795_750_840_553_542_999


def joined(path: Path) -> list[DiscoveredRun]:
    return sorted((run for run in discover(path) if len(run.files) > 1), key=lambda run: run.files)


@pytest.mark.parametrize(
    "name", ["rank{0}.json", "worker{0}.{1}.pt.trace.json", "node{0}_7.{1}.pt.trace.json", "{0}.json"]
)
def test_a_run_keeps_its_id_when_a_lower_rank_comes(tmp_path: Path, name: str) -> None:
    for rank in (1, 2):
        put(tmp_path / name.format(rank, STAMP_NS + rank), rank_trace(rank, 4, at_s=1))
    (before,) = joined(tmp_path)
    put(tmp_path / name.format(0, STAMP_NS), rank_trace(0, 4, at_s=0.9))
    (after,) = joined(tmp_path)
    assert (after.id, after.path, len(after.files)) == (before.id, before.path, 3)


def test_a_compressed_rank_changes_no_name(tmp_path: Path) -> None:
    for ending, ranks in ((".json.gz", (1, 2)), (".json", (0,))):
        for rank in ranks:
            put(tmp_path / f"rank{rank}{ending}", rank_trace(rank, 3))
    (run,) = joined(tmp_path)
    assert run.name == "rank*.json"


def test_cycles_keep_their_ids_when_the_first_goes(tmp_path: Path) -> None:
    for cycle in range(3):
        for rank in range(2):
            put(tmp_path / f"worker{rank}.{STAMP_NS + cycle}.json", rank_trace(rank, at_s=20 * cycle))
    before = joined(tmp_path)
    assert len({run.path for run in before}) == 3
    for file in before[0].files:
        file.unlink()
    assert {run.id for run in joined(tmp_path)} == {run.id for run in before[1:]}


@pytest.mark.parametrize("is_of_another_job", [False, True])
def test_a_run_takes_the_id_of_none_that_is_gone(tmp_path: Path, is_of_another_job: bool) -> None:
    for rank in range(4):
        world_size = 5 if is_of_another_job and rank > 1 else 4
        at_s = 0 if is_of_another_job else 1000 * (rank // 2)
        put(tmp_path / f"rank{rank}.json", rank_trace(rank, world_size, at_s=at_s, groups=[default_group(world_size)]))
    first, second = joined(tmp_path)
    assert first.id != second.id
    for file in first.files:
        file.unlink()
    (left,) = joined(tmp_path)
    assert left.files == second.files
    assert left.id != first.id


def test_jobs_that_contradict_each_other_in_one_moment_have_names_of_their_own(tmp_path: Path) -> None:
    for rank in range(4):
        own = [default_group(9), group("tp", 0, 1, 2, 3, 4 + rank // 2)]
        put(tmp_path / f"rank{rank}.json", rank_trace(rank, 9, groups=own))
    assert len({run.path for run in joined(tmp_path)}) == 2


@pytest.mark.parametrize("name", ["latest", "a_rank1", "rank1_link", "rank01"])
def test_a_link_takes_the_place_of_no_file(tmp_path: Path, name: str) -> None:
    for rank in range(2):
        put(tmp_path / f"rank{rank}.json", rank_trace(rank))
    (before,) = discover(tmp_path)
    (tmp_path / f"{name}.json").symlink_to("rank1.json")
    (after,) = joined(tmp_path)
    assert (after.id, after.files) == (before.id, before.files)


def test_a_link_to_a_compressed_rank_takes_not_its_place(tmp_path: Path) -> None:
    for rank in range(2):
        put(tmp_path / f"rank{rank}.json.gz", rank_trace(rank))
    (tmp_path / "rank1.json").symlink_to("rank1.json.gz")
    (run,) = discover(tmp_path)
    assert [file.name for file in run.files] == ["rank0.json.gz", "rank1.json.gz"]


def test_links_alone_are_files_of_a_run(tmp_path: Path) -> None:
    for rank in range(2):
        file = put(tmp_path / "real" / f"{rank}" / "trace.json", rank_trace(rank))
        put(tmp_path / "links" / "x", b"")
        (tmp_path / "links" / f"rank{rank}.json").symlink_to(file)
    assert len(joined(tmp_path / "links")) == 1


def test_a_file_that_is_called_as_a_run_has_another_id(tmp_path: Path) -> None:
    for rank in range(2):
        put(tmp_path / f"rank{rank}.json", rank_trace(rank))
    put(tmp_path / "rank*.json", rank_trace(None, None))
    runs = discover(tmp_path)
    assert [len(run.files) for run in runs] in ([1, 2], [2, 1])
    assert len({run.id for run in runs}) == len({run.path for run in runs}) == 2


def test_names_that_are_taken_however_they_are_made() -> None:
    file = NamedFile("rank0.json", rank_name("rank0.json"), Distributed(0, 2), 10**19)
    (first,) = cycle_names([[file]], set())
    names = {first}
    for _ in range(8):
        (name,) = cycle_names([[file]], names)
        assert name not in names
        names.add(name)
