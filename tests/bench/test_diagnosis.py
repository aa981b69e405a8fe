"""The points that verdicts get for runs with a planted cause."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.diagnosis import Finding, Truth, findings_of, main, read_truth, runs_root, score
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer import Column, Table

LATE_RANK = Truth(
    id="run",
    class_="straggler",
    also_right=("input",),
    where=(("rank ?2", "GPU 2"), ("gemm",)),
    where_not=("rank ?[013]",),
    step_ms=40.0,
    loss_ms_per_step=10.0,
)
HEALTHY = Truth(id="run", class_="none", where=(("gemm",),), step_ms=40.0, loss_ms_per_step=0.0)


def finding(class_: str = "straggler", where: str = "rank 2 · gemm", loss_ms: float = 10.0) -> Finding:
    return Finding(class_, where, "all", "A sentence.", loss_ms)


def test_a_right_answer_has_all_points() -> None:
    assert score([finding()], LATE_RANK).points == 3
    assert score([finding("input")], LATE_RANK).points == 3


def test_only_the_first_finding_counts() -> None:
    assert score([finding("collective"), finding()], LATE_RANK).points == 0
    assert score([], LATE_RANK).points == 0


@pytest.mark.parametrize("where", ["rank 2", "gemm", "rank 2 · gemm, waited for by rank 0", ""])
def test_a_culprit_needs_every_group_and_no_victim(where: str) -> None:
    run_score = score([finding(where=where)], LATE_RANK)
    assert not run_score.has_culprit
    assert run_score.points == 2


def test_a_sentence_may_name_the_culprit_and_the_victims() -> None:
    named = Finding("straggler", "rank 2", "all", "Its gemm keeps rank 0 waiting.", 10.0)
    assert score([named], LATE_RANK).has_culprit


@pytest.mark.parametrize(("loss_ms", "is_right"), [(7.9, False), (8.0, True), (12.0, True), (12.1, False)])
def test_a_loss_is_right_within_a_fifth(loss_ms: float, is_right: bool) -> None:
    assert score([finding(loss_ms=loss_ms)], LATE_RANK).has_loss == is_right


def test_a_healthy_run_has_no_loss_in_any_row() -> None:
    assert score([finding("none", loss_ms=0.0)], HEALTHY).points == 3
    assert not score([finding("none", loss_ms=0.0), finding("copy", loss_ms=1.3)], HEALTHY).has_loss


def test_unclear_has_a_point_if_a_candidate_is_right() -> None:
    candidates = [finding("launch"), finding()]
    assert score([finding("unclear"), *candidates], LATE_RANK).points == 1
    assert score([finding("unclear"), finding("launch"), finding("sync"), finding()], LATE_RANK).points == 0


def test_losses_are_read_in_ticks_or_in_milliseconds() -> None:
    texts = {"class": "copy", "where": "GPU 2", "steps": "all", "sentence": "Text."}
    columns = [Column(name, name, "text", [text]) for name, text in texts.items()]
    in_ticks = Table("findings", "Findings", [*columns, Column("loss", "Loss", "ticks", np.array([2_500_000]))])
    in_ms = Table("findings", "Findings", [*columns, Column("loss_ms_per_step", "Loss", "number", [2.5])])
    for table in (in_ticks, in_ms):
        assert findings_of(Answer(tables=[table]), tick_ps=1000) == [Finding("copy", "GPU 2", "all", "Text.", 2.5)]
    assert findings_of(Answer(), tick_ps=1000) == []


def test_a_run_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(tmp_path), "--runs", "d99"]) == 2
    assert "d99" in capsys.readouterr().err


@pytest.mark.parametrize("run", ["d03", "d06", "d12", "d21"])  # a trace, a folder of ranks, an XSpace, an archive
def test_a_run_of_each_form_is_asked(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not (runs_root() / run).is_dir():
        pytest.skip(f"no run {runs_root() / run}; set TILESCOPE_DIAGNOSIS")
    assert main(["--runs", run]) == 0
    *_, row, points = capsys.readouterr().out.splitlines()
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    truth = read_truth(runs_root() / run)
    assert cells[:2] == [run, truth.class_]
    assert points == f"{cells[-1]} of 3 points"
    assert main(["--runs", run, "--least", "4"]) == 1
