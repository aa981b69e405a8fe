"""Where captures go, among what is served."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.server.fakes import publish
from tilescope.server.captures.log_directory import find_log_directory
from tilescope.server.errors import CannotCapture
from tilescope.tiler.shards.folder import RUN


def test_the_first_log_directory(tmp_path: Path) -> None:
    file, store, run, logs = (tmp_path / name for name in ("a.json", "a.store", "x/plugins/profile/run", "logs"))
    file.write_text("{}")
    publish(store)
    for folder in (run, logs):
        folder.mkdir(parents=True)
    (run / "host.xplane.pb").write_bytes(b"")
    assert find_log_directory([file, store, run, logs]) == logs
    assert find_log_directory([run.parent]) == find_log_directory([run.parent.parent]) == tmp_path / "x"
    shards = tmp_path / "pod.run"
    shards.mkdir()
    (shards / RUN).write_text("{}")
    for served in ([file], [store], [run], [shards], []):
        with pytest.raises(CannotCapture, match="nowhere to save captures"):
            find_log_directory(served)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked, other = tmp_path / "locked", tmp_path / "other"
    locked.mkdir()
    other.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: path != locked)  # root may write everywhere
    assert find_log_directory([locked, other]) == other
    with pytest.raises(CannotCapture, match=r"may not write into locked$"):
        find_log_directory([locked])
