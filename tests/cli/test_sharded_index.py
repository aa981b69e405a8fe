"""`tilescope index … --executor`: what it prints, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pods import write_pod
from tilescope.cli import main
from tilescope.tiler.shards.sharded_run import read_sharded_run

IN_THREADS = "concurrent.futures:ThreadPoolExecutor"


def index(files: list[Path], folder: Path, *options: str) -> int:
    return main(["index", *map(str, files), "-o", str(folder), *options])


def complaints(err: str) -> list[str]:
    """Lines of standard error without those of progress, which a slow machine shows."""
    return [line for line in err.splitlines() if not line.startswith(("survey ", "index ", "merging "))]


def test_shards_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)
    assert index(files, tmp_path / "run", "--executor", IN_THREADS) == 0
    out, err = capsys.readouterr()
    assert re.fullmatch(rf"{tmp_path}/run: 2 shards in [\d.]+ m?s", out.splitlines()[0])
    assert complaints(err) == []
    assert len(read_sharded_run(tmp_path / "run").shards) == 2

    assert main(["verify", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.count(": everything agrees (") == 2
    assert main(["info", str(tmp_path / "run")]) == 0
    assert "on 2 hosts" in capsys.readouterr().out


def test_shards_are_no_trace_and_no_single_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)
    run, store = tmp_path / "run", tmp_path / "store"
    assert index(files, run, "--executor", IN_THREADS) == 0
    assert index(files[:1], store) == 0
    capsys.readouterr()
    assert index([run], tmp_path / "other") == 2
    assert "this is a store already" in capsys.readouterr().err
    assert main(["verify", str(run), "--same-as", str(run)]) == 0
    assert capsys.readouterr().out.count("entries are equal") == 2
    assert main(["verify", str(run), "--same-as", str(store)]) == 1
    assert f"{store}: has 1 store, not 2" in capsys.readouterr().err


def test_a_run_of_shards_is_archived_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, archive = tmp_path / "run", tmp_path / "run.tsarc"
    assert index(write_pod(tmp_path / "pod", hosts=2, events=500), run, "--executor", IN_THREADS) == 0
    assert main(["archive", str(run), "-o", str(archive)]) == 0
    capsys.readouterr()
    assert main(["verify", str(run), "--same-as", str(archive)]) == 0
    assert main(["verify", str(archive), "--same-as", str(run)]) == 0
    assert "entries are equal" in capsys.readouterr().out
    assert main(["info", str(archive)]) == 0
    assert "on 2 hosts" in capsys.readouterr().out
    answers = []
    for source in (run, archive):
        assert main(["ask", str(source), "stats", "--format", "json"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    assert main(["verify", str(archive)]) == 2
    assert "is the archive of a run of shards: prove the run" in capsys.readouterr().err


def test_a_merge_that_says_something_else_is_no_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, other = tmp_path / "run", tmp_path / "other"
    files = write_pod(tmp_path / "pod", hosts=2, events=500)
    assert index(files, run, "--executor", IN_THREADS) == 0
    assert index(files[:1], other, "--executor", IN_THREADS) == 0
    (other / "merged.tsarc").replace(run / "merged.tsarc")
    capsys.readouterr()
    assert main(["verify", str(run)]) == 1
    assert "differs from" in capsys.readouterr().err


def test_a_host_that_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)
    files[0].write_bytes(b"no trace")
    assert index(files, tmp_path / "run", "--executor", IN_THREADS) == 0
    out, err = capsys.readouterr()
    assert ": 1 of 2 shards in " in out
    (complaint,) = complaints(err)
    assert complaint.startswith("tilescope: host0.xplane.pb is missing: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--jobs", "2"], "--jobs has no effect without --executor processes"),
        (["--executor", "mpi", "--jobs", "2"], "--jobs has no effect: it is the number of --executor processes"),
        (["--executor", "processes", "--jobs", "0"], "--jobs must be 1 or more"),
        (["--executor", "slurm"], "'slurm': is none of processes, dask://HOST:PORT, "),
    ],
)
def test_options_that_make_no_sense(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    files = write_pod(tmp_path / "pod", hosts=1, events=500)
    assert index(files, tmp_path / "run", *options) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
