"""Folders on disk: what is gone through, and how often a file is looked into."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.readers.layouts.rank_traces import put, rank_trace
from tilescope.tiler.errors import TooMany
from tilescope.tiler.readers import disk_folders, logdir
from tilescope.tiler.readers.disk_folders import FolderWalk
from tilescope.tiler.readers.logdir import discover
from tilescope.tiler.readers.source import ByteSource


def test_a_file_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for rank in range(2):
        put(tmp_path / f"rank{rank}.json", rank_trace(rank))
    opened: list[Path] = []
    original = ByteSource.open

    def counted(path: Path, max_inflated: int | None = None) -> ByteSource:
        opened.append(path)
        return original(path, max_inflated)

    monkeypatch.setattr(ByteSource, "open", counted)
    first = discover(tmp_path)
    assert len(opened) == 2
    assert discover(tmp_path) == first
    assert len(opened) == 2
    put(tmp_path / "rank1.json", rank_trace(0, 5))
    assert len(discover(tmp_path)) == 2
    assert len(opened) == 3


def test_more_files_than_there_may_be_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_folders, "MAX_FILES", 3)
    monkeypatch.setattr(logdir, "MAX_FILES", 3)
    for number in range(5):
        put(tmp_path / "a" / f"{number}.json", rank_trace(None, None), age_s=number)
        put(tmp_path / "b" / f"{number}.json", rank_trace(None, None))
    runs = discover(tmp_path)
    assert [run.name for run in runs] == ["a/0.json", "a/1.json", "a/2.json"]
    assert runs[0].notes == (f"7 files beyond the first 3 are left out: serve folders below {tmp_path.name}",)
    assert not runs[1].notes


def test_the_bound_is_said_on_a_folder_that_is_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_folders, "MAX_FILES", 3)
    monkeypatch.setattr(logdir, "MAX_FILES", 3)
    folder = tmp_path / "plugins" / "profile" / "r"
    for number in range(5):
        put(folder / f"h{number}.xplane.pb", b"\n\x06\x12\x04abcd")
    (run,) = discover(folder)
    assert (len(run.files), run.notes) == (
        3,
        ("2 files beyond the first 3 are left out: serve folders below r",),
    )


def test_the_bound_is_said_without_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_folders, "MAX_FILES", 3)
    monkeypatch.setattr(logdir, "MAX_FILES", 3)
    for number in range(5):
        put(tmp_path / f"{number}.json", b"{}")
    put(tmp_path / "later" / "a.json", rank_trace(0))
    line = r"has no trace among the first 3 files: 3 more are left out \(name folders below it\)"
    with pytest.raises(TooMany, match=line):
        discover(tmp_path)
    with pytest.raises(TooMany, match="2 more are left out"):
        discover(tmp_path / "rank*.json")
    assert len(discover(tmp_path / "later")) == 1


def test_folders_come_in_order_without_hidden_ones_and_stores(tmp_path: Path) -> None:
    for folder in ("b", "a/c", ".git", "store", "d"):
        put(tmp_path / folder / "x.json", b"{}")
    put(tmp_path / "store" / "CURRENT", b"1")
    (tmp_path / "d" / "CURRENT").mkdir()
    assert ["/".join(folder.parts) for folder in FolderWalk(tmp_path)] == ["", "a", "a/c", "b", "d", "d/CURRENT"]


def test_a_large_head_is_read_to_its_end(tmp_path: Path) -> None:
    for rank in range(2):
        text = rank_trace(rank).replace(b'"schemaVersion": 1', b'"schemaVersion": 1, "padding": "%s"' % (b"x" * 40_000))
        put(tmp_path / f"rank{rank}.json", text)
    (run,) = discover(tmp_path)
    assert run.hosts == ("rank 0", "rank 1")
