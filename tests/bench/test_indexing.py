"""The benchmark runs: a small trace, so that it cannot rot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.indexing import main

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("options", [[], ["--gzip"], ["--realistic"]])
def test_a_quick_run(tmp_path: Path, capfd: pytest.CaptureFixture[str], options: list[str]) -> None:
    assert main(["--quick", "--events", "20000", "--directory", str(tmp_path), *options]) == 0
    out = capfd.readouterr().out
    facts = {line.split()[0]: line for line in out.splitlines() if line}
    assert {"command", "machine", "system", "versions", "input", "indexing", "memory", "store"} <= facts.keys()
    assert "20,000 events on 120 tracks, seed 7" in facts["input"]
    assert re.search(r"\d\.\d\d M events/s", facts["indexing"])
    assert not list(tmp_path.iterdir()), "the trace and the store are removed"
