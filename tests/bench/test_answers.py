"""The benchmark of questions runs: small, so that it cannot rot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.answers import ROWS, main
from bench.pod_answers import GrowthWork

ALONE = ("pod", "programs", "kernels", "lanes", "nested", "stacks", "ascend", "pytorch")


@pytest.mark.deep
@pytest.mark.parametrize("rows", [[name for name in ROWS if name not in ALONE], *([name] for name in ALONE)])
def test_a_quick_run_prints_every_row(tmp_path: Path, capfd: pytest.CaptureFixture[str], rows: list[str]) -> None:
    assert main(["--quick", "--directory", str(tmp_path), "--rows", ",".join(rows)]) == 0
    out = capfd.readouterr().out
    assert {"command", "machine", "versions", "input"} <= {line.split()[0] for line in out.splitlines() if line}
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("|")]
    measured = {line[0]: line[3] for line in lines[2:]}
    works = [work for name in rows for work in ROWS[name]]
    sizes = [measured.pop(work.work) for work in works if isinstance(work, GrowthWork)]
    assert all(re.match(r"\d+\.\d% \(", text) for text in sizes)
    assert set(measured) == {
        f"{work.work}, {work.percentile_name}" for work in works if not isinstance(work, GrowthWork)
    }
    assert all(re.match(r"\d+\.\d ms \(p50 \d+\.\d ms, ", text) for text in measured.values())


def test_unknown_rows_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--rows", "search,nothing"])
    assert "there are no rows 'nothing'" in capsys.readouterr().err
