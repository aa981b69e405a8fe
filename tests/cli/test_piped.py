"""Traces that come through pipes: what they are called, what is left of them, and what is refused."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.compressed import COMPRESS
from tests.demo import DEMO_TRACE
from tilescope.cli import main
from tilescope.cli.piped import without_pipes
from tilescope.tiler.errors import TooLarge, TraceError
from tilescope.tiler.readers.pipes import copy_pipe

JSON = b'[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a"}]'


@contextmanager
def pipe_of(path: Path, data: bytes) -> Iterator[Path]:
    """A named pipe that somebody writes into."""
    os.mkfifo(path)

    def write() -> None:
        try:
            path.write_bytes(data)
        except BrokenPipeError:
            return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield path
    finally:
        writer.join()


def facts_of(store: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Events, and the name of the file."""
    capsys.readouterr()
    assert main(["info", str(store), "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    return int(info["events"]["total"]), info["files"][0]


@pytest.mark.parametrize(("data", "events"), [(JSON, 1), (COMPRESS["zstd"](JSON), 1), (DEMO_TRACE.read_bytes(), 5_673)])
def test_a_named_pipe_is_indexed(tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, events: int) -> None:
    with pipe_of(tmp_path / "job.trace", data) as pipe:
        assert main(["index", str(pipe), "-o", str(tmp_path / "out" / "store")]) == 0
    assert capsys.readouterr().err == ""
    assert facts_of(tmp_path / "out" / "store", capsys) == (events, "job.trace")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["store"]


@pytest.mark.parametrize("path", ["-", "/dev/stdin", "/dev/fd/0"])
def test_standard_input_is_indexed(tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str) -> None:
    command = [sys.executable, "-m", "tilescope", "index", path, "-o", str(tmp_path / "store")]
    done = subprocess.run(command, input=JSON, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert facts_of(tmp_path / "store", capsys) == (1, "stdin")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_bad_content_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pipe_of(tmp_path / "p", b"hello\n") as pipe:
        assert main(["index", str(pipe), "-o", str(tmp_path / "store")]) == 1
    assert "is text, but neither a JSON object nor an array" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_several_pipes_are_copied_and_removed(tmp_path: Path) -> None:
    with pipe_of(tmp_path / "a", JSON) as first, pipe_of(tmp_path / "b", JSON * 2) as second:
        with without_pipes([first, tmp_path, second], tmp_path / "scratch", None) as paths:
            assert [path.name for path in paths] == ["a", tmp_path.name, "b"]
            assert (paths[0].read_bytes(), paths[2].read_bytes()) == (JSON, JSON * 2)
        assert list((tmp_path / "scratch").iterdir()) == []


def test_too_much_and_nothing_are_refused(tmp_path: Path) -> None:
    with (
        pipe_of(tmp_path / "a", bytes(100_000)) as pipe,
        pytest.raises(TooLarge, match=r"more than 50,000 bytes come .*--max-inflated"),
        without_pipes([pipe], tmp_path / "scratch", 50_000),
    ):
        pass
    with (
        pipe_of(tmp_path / "b", b"") as pipe,
        pytest.raises(TraceError, match="is a pipe through which nothing came"),
        without_pipes([pipe], tmp_path / "scratch", None),
    ):
        pass
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_pipe_that_nobody_opens_is_refused_after_a_while(tmp_path: Path) -> None:
    """A hostile case with such a pipe once waited for ever."""
    os.mkfifo(tmp_path / "p")
    (tmp_path / "scratch").mkdir()
    with pytest.raises(TraceError, match=r"p: is a pipe, and nobody opened it for writing within 0\.1 s \(start what"):
        copy_pipe(tmp_path / "p", tmp_path / "scratch", None, lambda _: None, patience_s=0.1)


def test_a_writer_may_take_its_time(tmp_path: Path) -> None:
    """Once it has opened the pipe; what it writes in pieces is all there."""
    os.mkfifo(tmp_path / "p")
    (tmp_path / "scratch").mkdir()
    copied = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        copy = pool.submit(
            copy_pipe, tmp_path / "p", tmp_path / "scratch", None, lambda _: copied.set(), patience_s=30.0
        )
        with (tmp_path / "p").open("wb", buffering=0) as pipe:
            pipe.write(JSON[:10])
            assert copied.wait(30)
            pipe.write(JSON[10:])
        assert copy.result(30).read_bytes() == JSON


def test_devices_and_sockets_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        for path, kind in (("/dev/null", "a device"), ("/dev/zero", "a device"), (str(tmp_path / "s"), "a socket")):
            assert main(["index", path, "-o", str(tmp_path / "store")]) == 1
            assert capsys.readouterr().err == f"tilescope: {path}: is {kind} (name a file or a folder)\n"
            assert main(["view", path, "--no-browser"]) == 1
            assert capsys.readouterr().err == f"tilescope: {path}: is {kind} (name a file or a folder)\n"


def test_serve_says_what_to_do_with_a_pipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "p")
    assert main(["serve", str(tmp_path / "p")]) == 1
    assert capsys.readouterr().err == f"tilescope: {tmp_path}/p: is a pipe (index it first)\n"
