"""Causes that were put into runs of PyTorch: class, place, steps and loss of the first finding."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.pytorch_causes import PLANTED, STEPS, Planted, layers, loss_ns, run, value_in_the_step
from tests.tiler.facts.findings.pytorch_run import HOST, Rank, mean_step, write_ranks
from tilescope.tiler.facts.findings import Cause


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


def test_a_long_pause_leaves_the_cause_that_all_steps_have_to_itself(tmp_path: Path) -> None:
    """The host is the quicker one but for that pause."""

    def program(ranks: Sequence[Rank], number: int, planted: bool) -> None:
        if number == 35:
            with ranks[0].step(number):
                ranks[0].call("seaborn/axisgrid.py(2119): pairplot", 310_000)
                layers(ranks[0], 22)
        else:
            value_in_the_step(ranks, number, planted)

    with reading(write_ranks(run(Planted(program, "sync", "")), tmp_path), tmp_path) as reader:
        pause, wait = findings(reader).rows[:2]
        assert (pause.cause, pause.steps) == (Cause.HOST_PAUSE, (35,)), text([pause, wait])
        assert pause.loss * reader.tick_ps / 1e9 == pytest.approx(310 / (STEPS - 1), rel=0.1)
        assert (wait.cause, wait.steps) == (Cause.SYNC, ()), text([pause, wait])
        loss = loss_ns(PLANTED["value_in_the_step"]) * (STEPS - 2) / (STEPS - 1)  # all but one of those that count
        assert wait.loss * reader.tick_ps / 1000 == pytest.approx(loss, rel=0.1), text([pause, wait])


def test_idle_time_is_unclear_where_no_host_was_recorded(tmp_path: Path) -> None:
    """The same run by its device alone: whether input or launches are late, the trace cannot tell."""
    (trace,) = write_ranks(run(PLANTED["slow_host"]), tmp_path)
    recorded = json.loads(trace.read_text())
    recorded["traceEvents"] = [event for event in recorded["traceEvents"] if event.get("pid") != HOST]
    trace.write_text(json.dumps(recorded))
    with reading([trace], tmp_path) as reader:
        rows = findings(reader).rows
        assert [row.cause for row in rows[:3]] == [Cause.UNCLEAR, Cause.INPUT, Cause.LAUNCH], text(rows)
        assert "no thread of their host was recorded" in rows[0].sentence
        assert len({row.loss for row in rows[:3]}) == 1
        assert rows[0].loss > 0
