"""The benchmark of serving runs: small, so that it cannot rot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.serving import main


def test_a_quick_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--quick", "--events", "20000", "--viewers", "5", "--seconds", "1.2", "--viewports", "10"]
    assert main([*options, "--directory", str(tmp_path)]) == 0
    out = capfd.readouterr().out
    facts = {line.split()[0]: line for line in out.splitlines() if line}
    assert {"command", "machine", "store", "pixels", "bytes", "stream", "stalled", "panning", "server:"} <= facts.keys()
    assert re.search(r"p99 \d+\.\d ms \(at most 20 ms\)", facts["pixels"])
    assert re.search(r"[1-9][\d,]* pages/s", facts["stream"])
    assert "5 viewers" in facts["panning"]
    assert "10 steps" in facts["panning"]
    assert " 0 errors" in facts["panning"]
    assert not list(tmp_path.iterdir()), "the store is removed"
