"""Ctrl-C in a real process: one line, exit code 130, nothing left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

TIMEOUT_SECONDS = 60


def test_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tilescope", "synth", "--format", "chrome", "--events", "10000000000"]
    process = subprocess.Popen([*command, "-o", tmp_path / "a.json"], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    try:
        while not any(tmp_path.iterdir()):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == "tilescope: stopped\n"
    assert list(tmp_path.iterdir()) == []
