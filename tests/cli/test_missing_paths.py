"""What does not exist is said in the same words, with the same exit code, by every command that reads."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import tilescope
from tilescope.cli import main
from tilescope.tiler.errors import NOTHING_THERE, NoStore

READING = [
    ["view", "--no-browser"],
    ["serve"],
    ["index", "-o", "x.store"],
    ["info"],
    ["attachments"],
    ["export"],
    ["verify"],
    ["gc"],
]


@pytest.mark.parametrize("options", READING, ids=lambda options: options[0])
def test_a_path_that_does_not_exist(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, *rest = options
    missing = str(tmp_path / "nosuch")
    assert main([command, missing, *rest]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"tilescope: {missing}: {NOTHING_THERE}")
    assert err.count("\n") == 1


def test_a_store_that_does_not_exist_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "nosuch")
    assert main(["ask", missing, "stats"]) == 1
    assert capsys.readouterr().err.startswith(f"tilescope: {missing}: {NOTHING_THERE}")
    with pytest.raises(NoStore, match=NOTHING_THERE):
        tilescope.connect(missing)


@pytest.mark.parametrize("name", ["host0.xplane.pb", "t.json", "t.json.gz"])
def test_a_file_of_no_bytes_is_no_trace(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).touch()
    empty = str(tmp_path / name)
    assert main(["index", empty, "-o", str(tmp_path / "x.store")]) == 1
    assert main(["view", empty, "--no-browser", "--port", "0", "--cache-dir", str(tmp_path / "cache")]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first == second == f"tilescope: {empty}: is empty (nothing was written to it: record it again)"
    assert not (tmp_path / "x.store").exists()


def test_a_compressed_file_of_which_nothing_is_left_is_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not empty: something was written to it."""
    cut = tmp_path / "t.json.gz"
    cut.write_bytes(gzip.compress(b"[]")[:5])
    assert main(["index", str(cut), "-o", str(tmp_path / "x.store")]) == 1
    assert main(["view", str(cut), "--no-browser", "--port", "0", "--cache-dir", str(tmp_path / "cache")]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first == second
    assert "gzip stream is cut short" in first
