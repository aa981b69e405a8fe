"""`tilescope capture`: what it prints, where, and its exit code."""

from __future__ import annotations

import argparse
import contextlib
import io
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.capture.fake_profiler import FakeProfiler, answering
from tests.capture.test_continuous import numbered, server
from tests.demo import DEMO_TRACE
from tilescope.capture import (
    CaptureCause,
    CaptureOptions,
    CapturePhase,
    Failure,
    HostProgress,
    ProfilerAddress,
    WindowOptions,
)
from tilescope.cli import capture as command
from tilescope.cli.capture_progress import CaptureDisplay
from tilescope.cli.dispatch import main
from tilescope.tiler.size_text import size_text

TRACE = DEMO_TRACE.read_bytes()
LIMIT_S = 60


@pytest.fixture
def address() -> Iterator[ProfilerAddress]:
    with FakeProfiler({"Profile": answering(TRACE)}).serving() as address:
        yield address


def places(folder: Path) -> list[str]:
    return ["--logdir", f"{folder}/logs", "--cache-dir", f"{folder}/cache", "--duration-ms", "1"]


def test_a_capture_is_indexed_where_view_looks(
    address: ProfilerAddress, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["capture", str(address), *places(tmp_path), "--run-name", "run"]) == 0
    run = f"{tmp_path}/logs/plugins/profile/run"
    out, err = capsys.readouterr()
    first, second, third = out.splitlines()
    assert first == f"{run}: 1 host"
    assert second == f"  {address}  {size_text(len(TRACE)):>8}  127.0.0.1.xplane.pb"
    assert third.startswith("indexed ")
    assert third.endswith(f"; to see them: tilescope view {run}")
    told = [line.removeprefix(f"{address}: ") for line in err.splitlines()]
    assert told[0] == "connecting"
    assert told[-1].startswith("done, ")
    assert len(list((tmp_path / "cache").glob("*/*/CURRENT"))) == 1
    assert main(["capture", str(address), *places(tmp_path), "--run-name", "run"]) == 2
    assert capsys.readouterr().err == f"tilescope: {run}: there is a run of that name already (choose another one)\n"


def test_what_some_hosts_gave_is_kept(
    address: ProfilerAddress, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = "127.0.0.1:1,127.0.0.1:2"
    assert main(["capture", f"{address},{gone}", *places(tmp_path), "--num-tracing-attempts", "1"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[0].endswith(": 1 of 3 hosts")
    complaints = [line for line in err.splitlines() if line.startswith("tilescope: ")]
    assert complaints == [
        "tilescope: 127.0.0.1:1: nothing listens at this port",
        "tilescope: 127.0.0.1:2: nothing listens at this port",
        *(f"tilescope: hint: {hint}" for hint in Failure(CaptureCause.REFUSED).hints),  # once
    ]


def test_no_host_gave_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeProfiler({"Profile": answering(empty_trace=True)}).serving() as address:
        assert main(["capture", str(address), *places(tmp_path), "--num-tracing-attempts", "2"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{address}: the trace is empty; attempt 2 of 2 in " in err
    assert err.splitlines()[-4] == f"tilescope: {address}: the trace is empty, after 2 attempts"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["localhost"], "'localhost' is no address of a profiler server: it has no port"),
        (["a:1", "--duration-ms", "0"], "the duration of a capture is 1 to 3,600,000 ms, not 0"),
        (["a:1", "--run-name", "a/b"], "'a/b' is no name for a run"),
        (["a:1", "--continuous", "--interval", "0"], "a window takes 1 to 600 s, not 0"),
    ],
)
def test_wrong_usage(options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capture", "--logdir", str(tmp_path), *options]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"tilescope: {message}")


def test_defaults_are_those_of_the_room(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    args = parser.parse_args(["a:1", "--logdir", str(tmp_path)])
    assert command.options_of(args) == CaptureOptions()
    assert WindowOptions(args.interval, args.keep, args.keep_size, args.take_over) == WindowOptions()


@contextlib.contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command, in a process of its own; it is killed if it does not end."""
    line = [sys.executable, "-m", "tilescope", "capture", *arguments]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
        process.communicate(timeout=LIMIT_S)
    finally:
        process.kill()
        process.communicate()


def test_view(address: ProfilerAddress, tmp_path: Path) -> None:
    with running(str(address), *places(tmp_path), "--view", "--no-browser", "--port", "0") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
    assert lines[0].endswith(": 1 host\n")
    assert lines[2].startswith("Viewing http://127.0.0.1:")
    assert process.returncode == 0


def test_windows(tmp_path: Path) -> None:
    with server(numbered()).serving() as address:
        arguments = ["--continuous", "--interval", "1", "--logdir", str(tmp_path)]
        with running(f"{address},127.0.0.1:1", *arguments) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            first = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            complaints = process.stderr.readlines()
    assert first.startswith(f"{tmp_path}/plugins/profile/2")
    assert first.endswith(": 1 of 2 hosts, 4 B\n")
    said = "127.0.0.1:1: nothing listens at this port; tried again for the next window"
    assert complaints[0] == f"tilescope: {said}\n"
    assert len([line for line in complaints if said in line]) == 1
    assert process.returncode == 0


def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    address = ProfilerAddress("a", 1)
    with CaptureDisplay() as display:
        bars = display._bars
        assert bars is not None
        for phase in CapturePhase:
            failure = Failure(CaptureCause.BUSY) if phase is CapturePhase.WAITING else None
            display.tell(HostProgress(address, phase, 1, 3, 2000, 10, 40, 1.5, failure))
            bars.progress.refresh()
    shown = terminal.getvalue()
    for text in ("capturing for 2.00 s", "receiving 40 B", "attempt 2 of 3 in 1.50 s", "told to stop", "failed"):
        assert text in shown
