"""The benchmark of the page's memory runs: small, so that it cannot rot."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.wander import Sample, main, rows_of
from tests.browser.chromium import find_chromium

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.deep
def test_a_quick_run(capfd: pytest.CaptureFixture[str]) -> None:
    if find_chromium() is None or not (ROOT / "server" / "static" / "index.html").exists():
        pytest.skip("no Chromium on PATH: make chromium; or the viewer is not built: make viewer")
    assert main(["--quick"]) == 0
    out = capfd.readouterr().out
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("|")]
    assert [row[4] for row in rows[2:]] == ["reached", "reached"]


def test_what_creeps_is_seen() -> None:
    def samples(sizes: list[int]) -> list[Sample]:
        return [Sample(10.0 * k, size * 1_000_000, 0, 0, 0) for k, size in enumerate(sizes)]

    assert [row.mark for row in rows_of(samples([50, 300, 340, 310, 345]))] == ["reached", "reached"]
    assert [row.mark for row in rows_of(samples([50, 100, 150, 200, 250]))] == ["reached", "MISSED"]
    assert [row.mark for row in rows_of(samples([50, 360, 340, 310, 345]))] == ["MISSED", "reached"]
