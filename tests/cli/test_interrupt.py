"""Ctrl-C and SIGTERM in a real process: one line, exit code 130, nothing left behind."""

from __future__ import annotations

import gzip
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.tiler.readers.hostile_tar import END, header, member

pytestmark = pytest.mark.slow

TIMEOUT_SECONDS = 60


SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


@SIGNALS
def test_ctrl_c(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "tilescope", "synth", "--format", "chrome", "--events", "10000000000"]
    process = subprocess.Popen([*command, "-o", tmp_path / "a.json"], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    try:
        while not any(tmp_path.iterdir()):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == "tilescope: stopped\n"
    assert list(tmp_path.iterdir()) == []


def large(kind: str) -> bytes:
    """A trace that inflates to 600 MB, made in no time: of gzip members that are copies of one."""
    spaces, count = gzip.compress(b" " * 10_000_000), 60
    if kind == "gzip":
        return gzip.compress(b"[") + spaces * count + gzip.compress(b"]")
    before = member(b'[{"ph":"X","ts":1,"dur":1}]', b"a.json") + header(b"b.json", 10_000_000 * count)
    return gzip.compress(before) + spaces * count + gzip.compress(END)


@SIGNALS
@pytest.mark.parametrize("kind", ["gzip", "tar"])
def test_ctrl_c_while_a_trace_is_inflated(tmp_path: Path, kind: str, number: signal.Signals) -> None:
    (tmp_path / "a.gz").write_bytes(large(kind))
    command = [sys.executable, "-m", "tilescope", "index", str(tmp_path / "a.gz"), "--max-inflated", "1GB"]
    process = subprocess.Popen([*command, "-o", str(tmp_path / "store")], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    try:
        while not list(tmp_path.glob("store/gen*")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "tilescope: stopped"
    assert [path.name for path in tmp_path.iterdir()] == ["a.gz"]
