"""Times of made traces add up: parts and idle time to frames, reasons to idle time; losses never exceed steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests.examples import examples
from tests.tiler.facts.findings.answers import findings, groups, reading, text
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tests.tiler.facts.findings.random_traces import traces
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.findings import Cause
from tilescope.tiler.facts.findings.candidates import candidates, communication
from tilescope.tiler.facts.findings.device_time import TimePart
from tilescope.tiler.query import QueryReader
from tilescope.tiler.windows import Windows


def check_sums(reader: QueryReader) -> None:
    for group in groups(reader):
        for lane, causes in zip(group.lanes, group.causes, strict=True):
            parts = np.sum([lane.ticks[part] for part in TimePart], axis=0)
            assert (parts + lane.idle_ticks == lane.frames.ticks).all()
            assert (lane.idle_ticks == lane.frames.ticks_in(Windows.adjoined(lane.idle))).all()
            assert (np.sum(list(causes.ticks.values()), axis=0) == lane.idle_ticks).all()
            assert all((ticks >= 0).all() for ticks in causes.ticks.values())
            for blame in causes.blame.values():
                assert all(ticks > 0 for ticks in blame.ticks.values())
                assert blame.ticks.keys() == blame.longest.keys()
        enqueued = np.zeros_like(group.time)
        for candidate in (*candidates(group, enqueued), communication(group, is_passing=False)):
            assert (candidate.losses >= 0).all()
            assert (candidate.losses <= group.step).all(), candidate


def check_rows(reader: QueryReader) -> None:
    answer = findings(reader)
    for row in answer.rows:
        assert 0 <= row.loss <= answer.step or row.cause is Cause.HOST_ONLY, text(answer.rows)
        assert 0 <= row.share <= 1
        if row.place is not None:
            assert 0 <= row.place.start <= row.place.stop <= reader.end + 1
    losses = [row.loss for row in answer.rows if row.cause not in (Cause.UNCLEAR, Cause.COLLECTIVE, Cause.STRAGGLER)]
    if Cause.IDLE_DEVICES not in [row.cause for row in answer.rows]:
        assert losses == sorted(losses, reverse=True)


@given(events=traces())
@settings(max_examples=examples(250), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_times_of_any_trace_add_up(tmp_path_factory: pytest.TempPathFactory, events: list[dict[str, Any]]) -> None:
    folder = tmp_path_factory.mktemp("sums")
    with reading([write_trace(folder / "trace.json", events)], folder) as reader:
        check_sums(reader)
        check_rows(reader)


@pytest.mark.parametrize("name", PLANTED)
def test_the_times_of_planted_runs_add_up(tmp_path: Path, name: str) -> None:
    with reading(write_ranks(run(PLANTED[name]), tmp_path), tmp_path) as reader:
        check_sums(reader)
        check_rows(reader)
