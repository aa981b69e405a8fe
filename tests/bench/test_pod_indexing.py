"""The benchmark of pods runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench import pod_indexing

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="cores are chosen as on Linux")]


@pytest.mark.deep
def test_a_quick_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pod_indexing.main(["--quick", "--directory", str(tmp_path)]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")][2:]
    assert len(rows) == 4
    assert "against one process: threads" in rows[0]
    assert "against one process: one core" in rows[1]
    assert "beyond its indexing, Dask" in rows[2]
    assert "3 viewers on a mounted run" in rows[3]
    assert "errors" not in rows[3] or "0 errors" in rows[3]
    assert not list(tmp_path.iterdir())
