"""The benchmark of archives."""

from __future__ import annotations

import pytest

from bench import archive


def test_a_quick_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert archive.main(["--events", "20000"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")][2:]
    assert [row.count("MISSED") for row in rows] == [0, 0, 0]
