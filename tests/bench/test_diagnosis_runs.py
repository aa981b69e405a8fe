"""The points of all runs with a planted cause, where they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.diagnosis import HEALTHY, POINTS, Score, Truth, read_truth, runs_root, score_run, table_lines

pytestmark = pytest.mark.slow

# Of 72: what a change of the rules may lose before somebody has to look at them.
LEAST = 68


def test_causes_are_named_and_healthy_runs_are_healthy(tmp_path: Path) -> None:
    folders = [path.parent for path in sorted(runs_root().glob("*/truth.json"))]
    if not folders:
        pytest.skip(f"no runs in {runs_root()}; set TILESCOPE_DIAGNOSIS")
    scores: list[tuple[Truth, Score]] = [(read_truth(folder), score_run(folder, tmp_path)) for folder in folders]
    table = "\n".join(table_lines(scores))
    least = LEAST * len(folders) * POINTS // 72
    assert sum(run_score.points for _, run_score in scores) >= least, table
    assert all(run_score.points == POINTS for truth, run_score in scores if truth.class_ == HEALTHY), table
