"""Stretches that are added up together: the same as each by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests.examples import examples
from tests.tiler.facts.findings.answers import groups, reading
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tests.tiler.facts.findings.random_traces import traces
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.findings import stretches
from tilescope.tiler.query import QueryReader

ROWS = stretches._rows


def each_alone(idle: stretches.IdleStretches, changes: Any, _apart: Any) -> Any:
    return ROWS(idle, changes, np.arange(len(idle)))


def sums(reader: QueryReader) -> list[Any]:
    """Idle time by reason and frame, and by culprit."""
    return [
        (
            {wait: ticks.tolist() for wait, ticks in causes.ticks.items()},
            {wait: blame.ticks for wait, blame in causes.blame.items()},
        )
        for group in groups(reader)
        for causes in group.causes
    ]


def check(reader: QueryReader) -> None:
    together = sums(reader)
    with patch.object(stretches, "_rows", each_alone):
        assert sums(reader) == together


@given(events=traces())
@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_trace(tmp_path_factory: pytest.TempPathFactory, events: list[dict[str, Any]]) -> None:
    folder = tmp_path_factory.mktemp("stretches")
    with reading([write_trace(folder / "trace.json", events)], folder) as reader:
        check(reader)


@pytest.mark.parametrize("name", PLANTED)
def test_planted_runs(tmp_path: Path, name: str) -> None:
    with reading(write_ranks(run(PLANTED[name]), tmp_path), tmp_path) as reader:
        check(reader)


def test_stretches_without_a_change_between_them_are_one_row() -> None:
    none = np.full(5, stretches.NO_TRACK)
    idle = stretches.IdleStretches(np.array([0, 4, 8, 12, 16]), np.array([2, 6, 10, 14, 18]), none, none)
    firsts, are_several = ROWS(idle, np.array([0, 9, 12, 20]), np.zeros(0, np.int64))
    assert firsts.tolist() == [0, 2, 3, 5]  # the third has a change within, and one is where the fourth begins
    assert are_several.tolist() == [True, False, True]
