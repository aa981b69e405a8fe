"""The benchmark of starting runs."""

from __future__ import annotations

import re

import pytest

from bench.start import main


def test_a_quick_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "1"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert [row.split("|")[1].strip() for row in rows[2:]] == ["import tilescope", "tilescope --help"]
    assert all(re.search(r"\| \d+ ms \(fastest \d+, slowest \d+\)", row) for row in rows[2:])
