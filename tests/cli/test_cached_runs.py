"""Commands that want a store take traces, too: they are indexed into the cache, as `tilescope view` does."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tilescope.cli import main
from tilescope.tiler.indexing import build_store

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tilescope" / "stores"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "t.json", busy_events(5))


def stats(path: Path, capsys: Captured) -> tuple[str, str]:
    assert main(["ask", str(path), "stats", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    return out, err


def test_a_trace_is_indexed_once(cache: Path, trace: Path, tmp_path: Path, capsys: Captured) -> None:
    build_store([trace], tmp_path / "t.store")
    expected, nothing = stats(tmp_path / "t.store", capsys)
    assert nothing == ""
    out, err = stats(trace, capsys)
    assert out == expected
    assert err.startswith("tilescope: t.json: indexed in ")
    assert err.endswith(f"kept in {cache}\n")
    assert stats(trace, capsys) == (expected, "")
    trace.write_bytes(write_trace(tmp_path / "other.json", busy_events(3)).read_bytes())
    out, err = stats(trace, capsys)
    assert out != expected
    assert "indexed in" in err


@pytest.mark.parametrize("command", ["info", "verify", "attachments", "export"])
def test_other_commands_take_it_too(
    cache: Path, trace: Path, tmp_path: Path, command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    build_store([trace], tmp_path / "t.store")
    outputs = []
    for path in (tmp_path / "t.store", trace):
        assert main([command, str(path), *(["--json"] if command == "info" else [])]) == 0
        outputs.append(capfd.readouterr().out)
    if command == "info":
        of_both = [{name: json.loads(output)[name] for name in ("events", "tracks", "hosts")} for output in outputs]
        assert of_both[0] == of_both[1]
    elif command != "verify":  # which names the store
        assert outputs[0] == outputs[1]


def test_of_a_log_directory_it_is_the_newest_run(cache: Path, tmp_path: Path, capsys: Captured) -> None:
    logs = tmp_path / "logs"
    for day, steps in ((1, 3), (2, 5)):
        folder = logs / "plugins" / "profile" / f"2026_01_0{day}_00_00_00"
        folder.mkdir(parents=True)
        path = write_trace(folder / "host0.trace.json", busy_events(steps))
        os.utime(path, (1_700_000_000 + day, 1_700_000_000 + day))
    newest, err = stats(logs, capsys)
    assert "is the newest of 2 runs" in err
    assert stats(logs / "plugins" / "profile" / "2026_01_02_00_00_00", capsys)[0] == newest
    assert stats(logs / "plugins" / "profile" / "2026_01_01_00_00_00", capsys)[0] != newest


def test_what_is_no_trace_is_said_in_a_line(cache: Path, tmp_path: Path, capsys: Captured) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no trace")
    empty = tmp_path / "empty"
    empty.mkdir()
    for path in (text, empty, tmp_path / "gone"):
        assert main(["ask", str(path), "stats"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        assert str(path) in err
    assert not cache.exists() or not any(cache.iterdir())
