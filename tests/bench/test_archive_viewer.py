"""The benchmark of the first screen of an archive."""

from __future__ import annotations

import pytest

from tests.browser.chromium import find_chromium
from tests.server.nginx import needs_nginx

pytest.importorskip("playwright")


@needs_nginx
@pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium on the PATH")
def test_a_quick_run(capsys: pytest.CaptureFixture[str], built_viewer: None) -> None:
    from bench import archive_viewer

    assert archive_viewer.main(["--events", "20000", "--rounds", "1"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")][2:]
    assert len(rows) == 4
    assert not any("MISSED" in row for row in rows if "requests" in row or "bytes" in row)
