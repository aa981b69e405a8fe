"""The benchmark of realistic traces runs: small ones, and a program in the place of xprof."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from bench.realistic import main
from tests.bench.test_scale import PEER


@pytest.mark.deep
def test_a_quick_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    traces = tmp_path / "traces"
    traces.mkdir()
    peer = tmp_path / "peer"
    peer.write_text(PEER)
    peer.chmod(0o755)
    assert main(["--quick", "--runs", "2", "--xprof", str(peer), "--directory", str(traces)]) == 0
    out = capfd.readouterr().out
    assert len(re.findall(r"memcpy [\d.]+ GB/s, isal deflate \d+ MB/s, bare decoding [\d.]+ M events/s", out)) == 2
    assert "realistic xspace, 20,000 events on 120 tracks" in out
    table = {cells[1].strip(): cells for cells in (line.split("|") for line in out.splitlines() if line[:1] == "|")}
    assert len(table) == 2 + 18
    assert re.match(r" [\d.]+ s \(median of 2: ", table["XSpace, 0.1 M events, wall time"][4])
    assert table["XSpace, 0.02 M events on 1 track, peak memory"][5].strip() == "aim reached"
    assert [cell.strip() for cell in table["XSpace, 0.02 M events"][2:4]] == ["≥ 5.00 M events/s", "≥ 8.00 M events/s"]
    assert re.match(r" \d+× \(xprof 2.99: 1:00 min\)", table["XSpace, 0.02 M events, wall time of xprof / ours"][4])
    assert re.match(r" [\d.]+ s \(median of 2: ", table["XSpace, 0.02 M events, first picture while indexing"][4])
    assert "MB/s" in table["trace-event JSON, gzip, 0.02 M events, uncompressed bytes"][4]
    assert table["XSpace, 0.1 M events, peak memory"][5].strip() == "aim reached"
    assert not list(traces.iterdir()), "traces and stores are removed"


def test_rows_that_are_unknown(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--rows", "jsno"])
    assert "rows are xspace, xprof, json, gzip, big, shapes" in capfd.readouterr().err


def test_cores(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--runs", "1", "--cores", "2,4096", "--directory", str(tmp_path)]) == 0
    out = capfd.readouterr().out
    table = {cells[1].strip(): cells for cells in (line.split("|") for line in out.splitlines() if line[:1] == "|")}
    assert re.match(r" [\d.]+ M events/s \([\d.]+ s wall, ", table["XSpace, 0.02 M events, 1 core"][4])
    assert "not measured: there are " in table["XSpace, 0.02 M events, 4096 cores"][4]
    if len(os.sched_getaffinity(0)) > 1:
        assert re.match(r" -?\d+ % *$", table["XSpace, 0.02 M events, serial part by 1 and 2 cores"][4])
        assert re.match(r" [\d.]+× *$", table["bare decoding, two at once over one"][4])
    assert re.search(r"^profile: .* threads at a time", out, re.MULTILINE)
    assert not list(tmp_path.iterdir()), "traces and stores are removed"


@pytest.mark.parametrize("text", ["", "0", "1,,2", "two", "-1"])
def test_cores_that_are_none(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--cores", text])
    assert "is no list of numbers of cores" in capfd.readouterr().err
