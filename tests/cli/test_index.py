"""`tilescope index`: what it accepts, what it prints, what it leaves when it fails."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.demo import DEMO_LOGDIR, DEMO_TRACE
from tests.tiler.readers.layouts.rank_traces import put, rank_trace
from tilescope.cli import main, memory_option
from tilescope.cli.sizes import parse_size
from tilescope.tiler import indexing
from tilescope.tiler.indexing import build_store
from tilescope.tiler.synth import write_synthetic_trace


@pytest.mark.parametrize("path", [DEMO_TRACE, DEMO_TRACE.parent, DEMO_LOGDIR])
def test_a_file_a_run_and_a_log_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str], path: Path) -> None:
    assert main(["index", str(path), "-o", str(tmp_path / "store")]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert re.fullmatch(rf"{tmp_path}/store: 5,673 events in [\d.]+ s, [\d.]+ [kM]?/s", lines[0])
    assert lines[1:4] == [
        "  format    xspace",
        "  span      44.163 ms, in ticks of 1 ns",
        "  events    5,673 slices",
    ]
    assert lines[4] == "  tracks    8 in 2 processes on 1 host"
    assert re.fullmatch(r"  store     [\d.]+ kB, 0\.\d\d of the trace's 253 kB", lines[5])


def test_several_runs_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run in ("2026_01_01_00_00_00", "2026_01_02_00_00_00"):
        folder = tmp_path / "logs" / "plugins" / "profile" / run
        folder.mkdir(parents=True)
        shutil.copy(DEMO_TRACE, folder / "demo.xplane.pb")
    assert main(["index", str(tmp_path / "logs"), "-o", str(tmp_path / "store")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "2 runs, name one of them: " in error
    assert "2026_01_01_00_00_00" in error
    assert "2026_01_02_00_00_00" in error
    assert not (tmp_path / "store").exists()


def test_several_paths_are_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [put(tmp_path / folder / f"t{rank}.json", rank_trace(rank, 3)) for rank, folder in enumerate("ab")]
    assert main(["index", *map(str, reversed(files)), "-o", str(tmp_path / "store")]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{tmp_path}/store: 2 events in ")
    assert "on 2 ranks" in out
    assert out.count("2 of 3 ranks: 2 is missing") == 1


def test_a_run_of_ranks_and_its_traces_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in range(2):
        put(tmp_path / "logs" / f"rank{rank}.json", rank_trace(rank, 3))
    store, logs = str(tmp_path / "store"), str(tmp_path / "logs")
    assert main(["index", logs, "-o", store, "--separate"]) == 2
    assert "2 runs, name one of them: " in capsys.readouterr().err
    assert main(["index", f"{logs}/rank*.json", "-o", store]) == 0
    out = capsys.readouterr().out
    assert "2 events" in out
    assert out.count("2 of 3 ranks: 2 is missing") == 1
    assert main(["index", f"{logs}/rank0.json", f"{logs}/rank1.json", "-o", store, "--separate"]) == 2
    assert "--separate has no effect" in capsys.readouterr().err


def test_an_empty_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").mkdir()
    assert main(["index", str(tmp_path / "logs"), "-o", str(tmp_path / "store")]) == 2
    assert "there is no trace here" in capsys.readouterr().err


@pytest.mark.parametrize("content", [bytes(range(256)) * 20, b"hello\n", b"[1, 2]"])
def test_a_bad_trace_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes) -> None:
    (tmp_path / "bad.pb").write_bytes(content)
    assert main(["index", str(tmp_path / "bad.pb"), "-o", str(tmp_path / "store")]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"tilescope: {tmp_path}/bad.pb")
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bad.pb"]


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(tmp_path / "absent.pb"), "-o", str(tmp_path / "store")]) == 1
    assert capsys.readouterr().err.startswith(f"tilescope: {tmp_path}/absent.pb: ")


def test_a_failure_keeps_the_store_that_was_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "store")
    assert main(["index", str(DEMO_TRACE), "-o", store]) == 0
    (tmp_path / "bad.pb").write_bytes(b"hello\n")
    assert main(["index", str(tmp_path / "bad.pb"), "-o", store]) == 1
    capsys.readouterr()
    assert main(["info", store, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["events"]["total"] == 5_673


def test_a_synthetic_trace_is_counted_as_it_was_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = write_synthetic_trace(tmp_path / "a.xplane.pb.gz", format="xspace", events=20_000, tracks=11, seed=1)
    totals = json.loads(trace.totals_path.read_text())
    store = str(tmp_path / "store")
    assert main(["index", str(trace.path), "-o", store]) == 0
    capsys.readouterr()
    assert main(["info", store, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["events"]["total"] == totals["events"]["total"] == 20_000


def test_what_is_up_to_date_is_left_alone_unless_forced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["index", str(DEMO_TRACE), "-o", str(tmp_path / "store")]
    assert main(command) == 0
    before = (tmp_path / "store" / "CURRENT").read_text()
    capsys.readouterr()
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == f"{tmp_path}/store: 5,673 events that are up to date already"
    assert err == ""
    assert (tmp_path / "store" / "CURRENT").read_text() == before
    assert main([*command, "--force"]) == 0
    assert " events in " in capsys.readouterr().out
    assert (tmp_path / "store" / "CURRENT").read_text() != before


def test_the_memory_that_indexing_may_take(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert indexing.DEFAULT_MEMORY_BYTES == memory_option.DEFAULT_MEMORY_BYTES == parse_size("1GiB")
    assert main(["index", str(DEMO_TRACE), "-o", str(tmp_path / "store"), "--memory", "100kB"]) == 0
    assert "5,673 events" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["index", str(DEMO_TRACE), "-o", str(tmp_path / "store"), "--memory", "much"])
    assert "'much' is no size" in capsys.readouterr().err


def test_a_store_is_no_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store"
    build_store([DEMO_TRACE], store)
    assert main(["index", str(store), "-o", str(tmp_path / "again")]) == 2
    assert capsys.readouterr().err == (
        f"tilescope: {store}: this is a store already: name the trace that it is to be made from\n"
    )
