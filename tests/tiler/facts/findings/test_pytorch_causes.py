"""Causes that were put into runs of PyTorch: class, place, steps and loss of the first finding."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.pytorch_causes import PLANTED, loss_ns, run
from tests.tiler.facts.findings.pytorch_run import mean_step, write_ranks


@pytest.mark.parametrize("name", PLANTED)
def test_the_first_finding_is_the_planted_cause(tmp_path: Path, name: str) -> None:
    planted = PLANTED[name]
    ranks = run(planted)
    with reading(write_ranks(ranks, tmp_path), tmp_path) as reader:
        answer = findings(reader)
        first = answer.rows[0]
        assert first.cause == planted.cause, text(answer.rows)
        assert re.search(planted.where, first.where), text(answer.rows)
        assert first.steps == planted.steps, text(answer.rows)
        assert answer.step * reader.tick_ps / 1000 == pytest.approx(mean_step(ranks), rel=0.02)
        assert first.loss * reader.tick_ps / 1000 == pytest.approx(loss_ns(planted), rel=0.1), text(answer.rows)
