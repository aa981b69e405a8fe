"""`tilescope export`."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from tests.device_trace import DeviceTrace
from tests.tiler.json_traces import busy_events, write_trace
from tilescope.cli import main
from tilescope.tiler.indexing import build_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("export")
    build_store([write_trace(folder / "t.json", busy_events(5))], folder / "t.store")
    return str(folder / "t.store")


def test_a_compressed_file_of_a_step(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "step.json.gz"
    assert main(["export", store, "--steps", "2", "--tracks", "0-3", "-o", str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: ")
    events = json.loads(gzip.decompress(out.read_bytes()))["traceEvents"]
    assert any(event["name"] == "Iteration 2" for event in events)
    assert not any(event["name"] == "Iteration 4" for event in events)


def test_standard_output(store: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["export", store, "--start", "1us", "--end", "2us"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["traceEvents"]


def test_lanes_of_devices_are_written_where_they_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = DeviceTrace(tmp_path, random.Random(7))
    trace.store.close()
    (path,) = tmp_path.glob("*.store")
    out = tmp_path / "out.json"
    for options, categories in ([], set()), (["--lanes", "overlap.1"], {"tilescope.derived_lane"}):
        assert main(["export", str(path), *options, "-o", str(out)]) == 0
        events = json.loads(out.read_bytes())["traceEvents"]
        assert {"tilescope.derived_lane"} & {event.get("cat") for event in events} == categories
    out.unlink()
    capsys.readouterr()
    assert main(["export", str(path), "--lanes", "overlap.99", "-o", str(out)]) == 2
    assert "there is no lane 'overlap.99'" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--start", "1.0000001ps"], "--start: 1.0000001ps lies between two ticks"),
        (["--end", "soon"], "end"),
        (["--tracks", "5000"], "track 5000 does not exist"),
        (["--steps", "9"], "there is no step 9"),
    ],
)
def test_what_makes_no_sense_leaves_no_file(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    out = tmp_path / "out.json"
    assert main(["export", store, *options, "-o", str(out)]) == 2
    line = capsys.readouterr().err
    assert message in line
    assert line.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_file_without_events_is_said_to_have_none(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """As between two events; of what lies outside of the run no file is made."""
    slices = [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": ts, "dur": 10} for ts in (0, 1000)]
    build_store([write_trace(tmp_path / "t.json", slices)], tmp_path / "t.store")
    said = b"tilescope: there are no events in what was asked for"
    for start, is_said in (("500us", True), ("5us", False)):
        assert main(["export", str(tmp_path / "t.store"), "--start", start, "--end", "900us"]) == 0
        out, err = capfdbinary.readouterr()
        assert json.loads(out)["traceEvents"] or is_said
        assert err.startswith(said) is is_said


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("x.pdf", [], "x.pdf: no format that export writes ends with .pdf: .json for trace-event JSON"),
        ("x.pdf.gz", [], "no format that export writes ends with .pdf"),
        ("x.parquet.gz", [], "x.parquet.gz: tables are not compressed again: name it x.parquet"),
        ("x.csv", ["--stacks", "time"], ".csv is for CSV, and --stacks writes collapsed stacks"),
        ("x.json", ["--stacks", "time"], ".json is for trace-event JSON, and --stacks writes collapsed stacks"),
    ],
)
def test_a_name_that_ends_with_another_format_is_refused(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, options: list[str], message: str
) -> None:
    assert main(["export", store, *options, "-o", str(tmp_path / name)]) == 2
    line = capsys.readouterr().err
    assert message in line
    assert line.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x.folded", "x.COLLAPSED", "x.txt.gz"])
def test_the_end_of_a_name_chooses_the_format(store: str, tmp_path: Path, name: str) -> None:
    named, stacks = tmp_path / name, tmp_path / "without-suffix"
    assert main(["export", store, "-o", str(named)]) == 0
    assert main(["export", store, "--stacks", "time", "-o", str(stacks)]) == 0
    content = named.read_bytes()
    assert (gzip.decompress(content) if name.endswith(".gz") else content) == stacks.read_bytes() != b""
    assert not stacks.read_bytes().startswith(b"{")
