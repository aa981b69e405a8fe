"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tilescope.cli.whole_file import whole_file


def test_a_file_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("before")
    path.chmod(0o640)
    with pytest.raises(TypeError), whole_file(path) as file:
        file.writelines([b"half", "no bytes"])  # type: ignore[list-item]
    assert path.read_text() == "before"
    with whole_file(path) as file:
        file.write(b"all")
        assert path.read_text() == "before"
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("all", 0o640)
    assert [found.name for found in tmp_path.iterdir()] == ["t.csv"]


def test_a_new_file_is_as_readable_as_any(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    with whole_file(tmp_path / "new"):
        pass
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_pipe_is_written_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with whole_file(pipe) as file:
        file.write(b"through")
    reader.join()
    assert read == [b"through"]
    assert pipe.is_fifo()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error, whole_file(tmp_path / "gone" / "t.csv"):
        pass
    assert error.value.filename == str(tmp_path / "gone" / "t.csv")
