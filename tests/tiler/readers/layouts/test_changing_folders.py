"""Folders that cannot be read, or change while they are searched: the other runs are there all the same."""

from __future__ import annotations

import errno
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.tiler.readers.layouts.rank_traces import put, rank_trace
from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers import discover, folder_listing, logdir
from tilescope.tiler.readers.disk_folders import DiskFolder, FolderWalk
from tilescope.tiler.readers.layouts import Folder, PlannedRun
from tilescope.tiler.readers.layouts.registry import plan_runs

Change = Callable[[Path], None]


def files_of(path: Path) -> list[list[str]]:
    return sorted([file.name for file in run.files] for run in discover(path))


def put_folders(root: Path) -> None:
    for folder in ("a", "b", "c"):
        for rank in range(2):
            put(root / folder / f"{folder}_rank{rank}.json", rank_trace(rank))
        with zipfile.ZipFile(root / folder / f"{folder}.zip", "w") as archive:
            archive.writestr("trace.json", rank_trace(0))


OTHERS = [*([f"{folder}_rank{rank}.json" for rank in range(2)] for folder in "ac"), ["trace.json"], ["trace.json"]]


def refuse(monkeypatch: pytest.MonkeyPatch, name: str, error: type[OSError], number: int) -> None:
    """Has folders of this name refused by the system, which an administrator cannot otherwise see."""
    scan, state = os.scandir, folder_listing._state

    def refusing(path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        if Path(path).name == name:
            raise error(number, os.strerror(number), path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    monkeypatch.setattr(folder_listing, "_state", lambda path: None if Path(path).name == name else state(path))


@pytest.mark.parametrize(
    ("error", "number", "line"),
    [
        (PermissionError, errno.EACCES, "b is left out: it cannot be read: Permission denied"),
        (NotADirectoryError, errno.ENOTDIR, "b is left out: it cannot be read: Not a directory"),
        (OSError, errno.EIO, "b is left out: it cannot be read: Input/output error"),
        (FileNotFoundError, errno.ENOENT, ""),  # it is no folder any more
    ],
)
def test_a_folder_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[OSError], number: int, line: str
) -> None:
    put_folders(tmp_path)
    refuse(monkeypatch, "b", error, number)
    assert files_of(tmp_path) == OTHERS
    assert [note for run in discover(tmp_path) for note in run.notes] == ([line] if line else [])


def test_a_folder_that_cannot_be_read_and_has_all_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_folders(tmp_path)
    refuse(monkeypatch, "b", PermissionError, errno.EACCES)
    with pytest.raises(TraceError, match=r"b: has no trace that can be read: .* cannot be read: Permission denied"):
        discover(tmp_path / "b")


def test_an_archive_that_is_removed_when_it_is_opened_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_folders(tmp_path)
    archive = tmp_path / "b" / "b.zip"

    def removed(path: Path, _max_inflated: int | None) -> None:
        path.unlink()
        raise TraceError(path, "cannot be opened")

    monkeypatch.setattr(logdir, "list_archive", removed)
    with pytest.raises(TraceError, match="no such file or folder"):
        discover(archive)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: shutil.rmtree(folder),
        lambda folder: [file.unlink() for file in folder.glob("*rank1*")],
        lambda folder: [file.unlink() for file in folder.glob("*.zip")],
        lambda folder: [file.write_bytes(b"") for file in folder.iterdir()],
        lambda folder: [file.write_bytes(b"PK\3\4 no archive") for file in folder.iterdir()],
        lambda folder: [file.write_bytes(file.read_bytes()[:40]) for file in folder.iterdir()],
    ],
)
@pytest.mark.parametrize("moment", ["when it is listed", "when its files have been looked into"])
def test_a_folder_that_changes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Change, moment: str
) -> None:
    put_folders(tmp_path)
    walk, plan = FolderWalk.__iter__, plan_runs

    def walked(self: FolderWalk) -> Iterator[DiskFolder]:
        for folder in walk(self):
            if folder.parts == ("b",) and moment == "when it is listed":
                change(Path(folder.path))
            yield folder

    def planned(folder: Folder, *, separate: bool = False) -> Iterator[PlannedRun]:
        if folder.path == tmp_path / "b" and moment != "when it is listed":
            change(folder.path)
        yield from plan(folder, separate=separate)

    monkeypatch.setattr(FolderWalk, "__iter__", walked)
    monkeypatch.setattr(logdir, "plan_runs", planned)
    runs = files_of(tmp_path)
    assert [files for files in OTHERS if files not in runs] == []
