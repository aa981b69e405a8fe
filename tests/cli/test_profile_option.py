"""--profile of `tilescope index`: a trace and a table of the indexing, there whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tilescope.cli import main


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "trace.json", busy_events(1, calls=50))


def test_the_trace_and_the_table_are_of_the_indexing(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["index", str(trace), "-o", str(tmp_path / "store"), "--profile", str(tmp_path / "profile.json")]
    assert main(command) == 0
    events = json.loads((tmp_path / "profile.json").read_text())["traceEvents"]
    stages = {event["name"] for event in events if event.get("cat") == "stage"}
    assert {"imports", "main thread", "reading", "tracks", "ends of blocks", "writing"} <= stages
    assert all(event["ts"] >= 0 and event["dur"] >= 0 for event in events if event["ph"] == "X")
    lines = capsys.readouterr().err.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("tilescope: profile: "))
    table = lines[first + 1 :]
    assert {line.split(":", 1)[1].strip().split("  ")[0] for line in table} >= stages


def test_a_file_that_cannot_be_written_is_said_before_the_work(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "absent" / "profile.json"
    assert main(["index", str(trace), "-o", str(tmp_path / "store"), "--profile", str(file)]) == 1
    assert str(file) in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [trace.name]


def test_an_indexing_that_fails_leaves_no_profile(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("no trace")
    file = tmp_path / "profile.json"
    assert main(["index", str(tmp_path / "bad"), "-o", str(tmp_path / "store"), "--profile", str(file)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bad"]


def test_shards_have_none(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["index", str(trace), "-o", str(tmp_path / "run"), "--executor", "processes", "--profile", "p.json"]
    with pytest.raises(SystemExit):
        main(command)
    assert "--profile has no effect with --executor" in capsys.readouterr().err
