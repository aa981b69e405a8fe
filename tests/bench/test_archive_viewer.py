"""The benchmark of the first screen of an archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import archive_viewer
from tests.browser.chromium import find_chromium
from tests.server.nginx import needs_nginx

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.deep
@needs_nginx
def test_a_quick_run(capsys: pytest.CaptureFixture[str]) -> None:
    if find_chromium() is None or not (ROOT / "server" / "static" / "index.html").exists():
        pytest.skip("no Chromium on PATH: make chromium; or the viewer is not built: make viewer")
    assert archive_viewer.main(["--events", "20000", "--rounds", "1"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")][2:]
    assert len(rows) == 4
    assert not any("MISSED" in row for row in rows if "requests" in row or "bytes" in row)
