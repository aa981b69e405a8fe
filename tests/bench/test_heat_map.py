"""The benchmark of the heat map runs: small, so that it cannot rot."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.heat_map import main
from tests.browser.chromium import find_chromium

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.deep
def test_a_quick_run(capsys: pytest.CaptureFixture[str]) -> None:
    if find_chromium() is None or not (ROOT / "server" / "static" / "index.html").exists():
        pytest.skip("no Chromium on PATH: make chromium; or the viewer is not built: make viewer")
    assert main(["--quick"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")][2:]
    assert len(rows) == 5
    assert "3 rows" in rows[0]
    assert "0 frames" not in rows[3]
