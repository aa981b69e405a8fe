"""The benchmark of questions runs: small, so that it cannot rot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.answers import ROWS, main


def test_a_quick_run_prints_every_row(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--directory", str(tmp_path), "--rows", ",".join(ROWS)]) == 0
    out = capfd.readouterr().out
    assert {"command", "machine", "versions", "input"} <= {line.split()[0] for line in out.splitlines() if line}
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("|")]
    measured = {row[0]: row[3] for row in rows[2:]}
    assert set(measured) == {f"{work.work}, p99" for works in ROWS.values() for work in works}
    assert all(re.match(r"\d+\.\d ms \(p50 \d+\.\d ms, ", text) for text in measured.values())


def test_unknown_rows_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--rows", "search,nothing"])
    assert "there are no rows 'nothing'" in capsys.readouterr().err
