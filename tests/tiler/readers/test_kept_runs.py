"""Runs that are kept from one list to the next."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.tiler.readers.layouts.rank_traces import put, rank_trace
from tilescope.tiler.readers import logdir
from tilescope.tiler.readers.disk_folders import FolderWalk
from tilescope.tiler.readers.kept_runs import KeptRuns
from tilescope.tiler.readers.layouts import Folder, PlannedRun
from tilescope.tiler.readers.layouts.registry import plan_runs
from tilescope.tiler.readers.logdir import discover

EVENT = '{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 0, "tid": 0}'


def test_one_version_of_a_folder_is_kept_and_no_more_files_than_there_is_room_for(tmp_path: Path) -> None:
    kept = KeptRuns(most_files=5)
    for number in range(5):
        put(tmp_path / "a" / f"{number}.json", b"{}")
        put(tmp_path / "b" / f"{number}.json", b"{}")
        (folder,) = FolderWalk(tmp_path / "a")
        kept.keep("a", folder, ())
        assert kept.get("a", folder) == ()
    (other,) = FolderWalk(tmp_path / "b")
    assert kept.get("a", other) is None
    kept.keep("b", other, ())
    assert (kept.get("a", folder), kept.get("b", other)) == (None, ())


def test_runs_of_an_archive_are_planned_again_when_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[Path] = []
    original = plan_runs

    def counted(folder: Folder, separate: bool = False) -> list[PlannedRun]:
        planned.append(folder.path)
        return list(original(folder, separate=separate))

    monkeypatch.setattr(logdir, "plan_runs", counted)
    archive = tmp_path / "ranks.zip"

    def write(names: list[str]) -> None:
        with zipfile.ZipFile(archive, "w") as zipped:
            for rank, name in enumerate(names):
                zipped.writestr(name, rank_trace(rank % 2))

    write(["rank0.json", "rank1.json"])
    (first,) = discover(archive)
    assert (len(first.files), len(planned)) == (2, 1)
    assert discover(archive) == [first]
    assert len(planned) == 1
    assert len(discover(archive, separate=True)) == 2  # another question
    write(["rank0.json", "rank1.json", "other.json"])
    runs = discover(archive)
    assert sorted(file.name for run in runs for file in run.files) == ["other.json", "rank0.json", "rank1.json"]
    assert discover(archive) == runs
    assert len(planned) == 3


@pytest.mark.parametrize("ending", [".zip", ".tar"])
def test_an_archive_with_the_same_members_and_other_content_has_its_new_size_and_time(
    tmp_path: Path, ending: str
) -> None:
    archive = tmp_path / f"ranks{ending}"
    for count in (1, 20):
        content = tmp_path / f"{count}.json"
        content.write_text('{"traceEvents": [' + ",".join([EVENT] * count) + "]}" + " " * 20_000 * count)
        if ending == ".zip":
            with zipfile.ZipFile(archive, "w") as zipped:
                zipped.write(content, "rank0.json")
        else:
            with tarfile.open(archive, "w") as tape:
                tape.add(content, "rank0.json")
        stat = archive.stat()
        (run,) = discover(archive)
        assert (run.size_bytes, run.modified_ns) == (stat.st_size, stat.st_mtime_ns)
