"""An index is for those who may read its traces."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tilescope.tiler.indexing import build_store
from tilescope.tiler.store.generation import current
from tilescope.tiler.store.readership import folder_mode


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose trace everybody may read, as far as this folder tells."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "t.pb").write_bytes(DEMO_TRACE.read_bytes())
    (folder / "t.pb").chmod(0o644)
    passed = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:
        status = passed(path, **options)
        if path in tmp_path.parents or path == tmp_path:  # which pytest makes for us alone
            return os.stat_result((status.st_mode | 0o055, *tuple(status)[1:]))
        return status

    monkeypatch.setattr(Path, "stat", stat)
    return folder


@pytest.mark.parametrize(
    ("folder", "file", "mode"),
    [
        (0o755, 0o644, 0o755),
        (0o755, 0o640, 0o750),
        (0o755, 0o600, 0o700),
        (0o700, 0o644, 0o700),
        (0o750, 0o644, 0o750),
        (0o711, 0o604, 0o755),
    ],
)
def test_who_may_read_all_files_may_read_the_index(shared: Path, folder: int, file: int, mode: int) -> None:
    shared.chmod(folder)
    (shared / "t.pb").chmod(file)
    (shared / "open.pb").touch(0o644)
    assert folder_mode([shared / "open.pb", shared / "t.pb"], shared.parent / "not" / "there") == mode


def test_another_group_may_not_read_what_this_one_may(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shared / "t.pb").chmod(0o640)
    passed = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:
        status = passed(path, **options)
        group = status.st_gid + 1 if path == shared / "t.pb" else status.st_gid
        return os.stat_result((*tuple(status)[:5], group, *tuple(status)[6:]))

    monkeypatch.setattr(Path, "stat", stat)
    assert folder_mode([shared / "t.pb"], shared) == 0o700


@pytest.mark.parametrize(("file", "mode"), [(0o600, 0o700), (0o644, 0o755)])
def test_folders_of_an_index(shared: Path, file: int, mode: int) -> None:
    (shared / "t.pb").chmod(file)
    store = shared / "cache" / "run" / "store"
    before = os.umask(0o022)
    try:
        build_store([shared / "t.pb"], store)
        modes = [folder.stat().st_mode & 0o777 for folder in (shared / "cache", store.parent, store, current(store))]
        assert modes == [0o700, 0o700, mode, mode]
        store.chmod(0o711)  # somebody wants it so
        build_store([shared / "t.pb"], store, force=True)
        assert store.stat().st_mode & 0o777 == 0o711
    finally:
        os.umask(before)
