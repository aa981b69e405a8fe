"""The benchmark of serving runs: small, so that it cannot rot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.load import main


@pytest.mark.deep
def test_a_quick_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = [
        "--quick",
        "--events",
        "20000",
        "--viewers",
        "5",
        "--greedy",
        "3",
        "--seconds",
        "1.2",
        "--viewports",
        "10",
    ]
    assert main([*options, "--directory", str(tmp_path)]) == 0
    out = capfd.readouterr().out
    assert {"command", "machine", "store", "panning"} <= {line.split()[0] for line in out.splitlines() if line}
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("|")]
    measured = {row[0]: row[3] for row in rows[2:]}
    assert len(measured) == 21
    (stats,) = (text for work, text in measured.items() if work.startswith("statistics of any span × "))
    assert re.match(r"\d+\.\d ms \(p50 ", stats)
    assert re.match(r"\d+\.\d ms \(p50 ", measured["first page of any viewport, list of pages, p99 of 10"])
    assert re.match(r"\d+\.\d ms \(p50 ", measured["first page of any viewport, resolved by the server, p99 of 10"])
    (stream,) = (text for work, text in measured.items() if work.startswith("one WebSocket, pages of "))
    assert re.match(r"[1-9][\d,]* pages/s \(", stream)
    (call,) = (text for work, text in measured.items() if work.startswith("one gRPC call, pages of "))
    assert re.match(r"[1-9][\d,]* pages/s \(\d+\.\d\d of the WebSocket's; ", call)
    assert "bytes of the whole run, 50 tracks, 1,600 px" in measured
    assert measured["5 viewers panning for 1.2 s, errors"] == "0"
    for where in ("on addresses of their own", "on the same address"):
        assert measured[f"5 viewers, 3 greedy clients {where}, errors"] == "0"
        assert re.search(rf"greedy +{where}: [1-9]", out)
    assert not list(tmp_path.iterdir()), "the store is removed"
