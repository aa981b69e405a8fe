"""The benchmark of indexing at scale runs: small traces, and a program in the place of xprof."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.scale import main

pytestmark = pytest.mark.slow

PEER = """#!/bin/sh
[ "$1" = -c ] && exit 0
head -c 1000 /dev/zero > "${2%.xplane.pb}.SSTABLE"
echo '{"version": "2.99", "seconds": 60.0, "cpu_seconds": 50.0}'
"""


@pytest.mark.deep
def test_a_quick_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    traces = tmp_path / "traces"
    traces.mkdir()
    peer = tmp_path / "peer"
    peer.write_text(PEER)
    peer.chmod(0o755)
    assert main(["--quick", "--verify", "--xprof", str(peer), "--directory", str(traces)]) == 0
    out = capfd.readouterr().out
    facts = {line.split()[0] for line in out.splitlines() if line}
    assert {"command", "machine", "versions", "xspace", "json", "gzip", "big", "track"} <= facts
    assert "xprof 2.99: 1:00 min wall, 50 s CPU" in out
    assert "tables of 1.00 kB" in out
    table = {cells[1].strip(): cells for cells in (line.split("|") for line in out.splitlines() if line[:1] == "|")}
    assert len(table) == 2 + 15
    ratio = table["XSpace, 0.02 M events, wall time of xprof / ours"]
    assert [cell.strip() for cell in ratio[2:4]] == ["≥ 20×", "≥ 50×"]
    assert re.match(r" \d+× \(xprof: 1:00 min", ratio[4])
    assert table["XSpace, one track of 0.05 M events, peak memory"][5].strip() == "aim reached"
    for work in ("XSpace, 0.02 M events", "XSpace, 0.1 M events"):
        assert table[f"{work}, verify"][5].strip() == "reached"
        assert table[f"{work}, verify, peak memory"][5].strip() == "reached"
    assert not list(traces.iterdir()), "traces and stores are removed"


def test_a_missing_xprof_is_seen(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "python"
    assert main(["--quick", "--rows", "xprof", "--xprof", str(missing), "--directory", str(tmp_path)]) == 0
    out = capfd.readouterr().out
    assert f"xprof     skipped: {missing}: No such file or directory" in out
    assert re.search(r"\| XSpace, 0.02 M events, wall time of xprof / ours .*\| skipped", out)


def test_a_peer_that_fails_is_a_failure(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    peer = tmp_path / "peer"
    peer.write_text('#!/bin/sh\n[ "$1" = -c ] && exit 0\necho out of memory\nexit 3\n')
    peer.chmod(0o755)
    assert main(["--quick", "--rows", "xprof", "--xprof", str(peer), "--directory", str(tmp_path)]) == 1
    assert "returned non-zero exit status 3.\nout of memory\n" in capfd.readouterr().err


def test_rows_that_are_unknown(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--rows", "xspace,xpsace"])
    assert "rows are xspace, xprof, json, gzip, big, track" in capfd.readouterr().err
