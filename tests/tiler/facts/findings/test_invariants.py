"""Findings of runs that differ in nothing that matters: later, in another order, under other names, twice as slow.

Times are in ms: launches and copies of some microseconds mean something else than long ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.random_traces import traces, x
from tests.tiler.facts.findings.tpu_run import Lines, Pod, run, write_hosts
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.findings import Cause, Finding, RunFindings

pytestmark = pytest.mark.slow

US_OF_MS: Final = 1_000
NAMES: Final = ("node-a", "node-b", "node-c")
SETTINGS: Final = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

Time = Callable[[int], int]


def of_file(folder: Path, events: Sequence[dict[str, Any]], time: Time = lambda time: time) -> RunFindings:
    """Findings of events whose times, in ms, are changed: starts and ends, so that what touches still does."""
    changed = []
    for event in events:
        if "ts" in event:
            start, stop = time(US_OF_MS * event["ts"]), time(US_OF_MS * (event["ts"] + event["dur"]))
            event = {**event, "ts": start, "dur": stop - start}
        changed.append(event)
    with reading([write_trace(folder / "trace.json", changed)], folder) as reader:
        return findings(reader)


def of_pod(
    folder: Path, lines: Lines, names: Sequence[str] = NAMES, time: Time = lambda time: time, *, is_turned: bool = False
) -> RunFindings:
    """Findings of hosts of these names, whose files are given in their order or in the other one."""
    slices = {key: [(name, time(a), time(b)) for name, a, b in line] for key, line in lines.slices.items()}
    files = write_hosts(Lines(slices, lines.ends), folder, names)
    with reading(files[::-1] if is_turned else files, folder) as reader:
        return findings(reader)


@st.composite
def pods(draw: st.DrawFn) -> Pod:
    """Pods of which any part may be slow."""
    hosts, chips = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    of_hosts = st.lists(st.integers(0, 9), min_size=hosts, max_size=hosts).map(
        lambda parts: tuple(900 * p + 50 for p in parts)
    )
    places = st.tuples(st.integers(0, hosts - 1), st.integers(0, chips - 1))
    factors = draw(st.dictionaries(places, st.sampled_from([1.2, 1.5, 2.0]), max_size=2))
    reduce, copied = draw(st.sampled_from([0, 120, 3_700])), draw(st.sampled_from([0, 1_900]))
    return Pod(hosts, chips, 6_000, reduce, draw(of_hosts), draw(of_hosts), copied, factors)


def figures(answer: RunFindings) -> list[tuple[Cause, tuple[int, ...], int]]:
    return [(row.cause, row.steps, row.loss) for row in answer.rows]


def without_places(rows: Sequence[Finding]) -> list[Finding]:
    return [replace(row, place=None) for row in rows]


def check_doubled(first: RunFindings, doubled: RunFindings) -> None:
    assert doubled.steps == first.steps
    assert doubled.step == pytest.approx(2 * first.step, abs=2)
    for ours, theirs in zip(doubled.rows, first.rows, strict=True):
        assert (ours.cause, ours.where, ours.steps) == (theirs.cause, theirs.where, theirs.steps), text(doubled.rows)
        assert ours.loss == pytest.approx(2 * theirs.loss, abs=2)
        assert ours.share == pytest.approx(theirs.share, abs=1e-6)


@given(events=traces(), shift=st.sampled_from([1, 10**9, 1_777_000_000_000_123]))
@SETTINGS
def test_a_later_begin_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, events: list[dict[str, Any]], shift: int
) -> None:
    folders = [tmp_path_factory.mktemp("run") for _ in range(2)]
    assert of_file(folders[1], events, lambda time: time + shift) == of_file(folders[0], events)


@given(events=traces())
@SETTINGS
def test_twice_the_time_costs_twice_as_much(
    tmp_path_factory: pytest.TempPathFactory, events: list[dict[str, Any]]
) -> None:
    folders = [tmp_path_factory.mktemp("run") for _ in range(2)]
    check_doubled(of_file(folders[0], events), of_file(folders[1], events, lambda time: 2 * time))


@given(events=traces(), seed=st.integers(0, 99))
@SETTINGS
def test_the_order_of_events_changes_no_figure(
    tmp_path_factory: pytest.TempPathFactory, events: list[dict[str, Any]], seed: int
) -> None:
    """Names of equal time may take turns, and tracks have other numbers."""
    folders = [tmp_path_factory.mktemp("run") for _ in range(2)]
    shuffled = random.Random(seed).sample(events, len(events))
    assert figures(of_file(folders[1], shuffled)) == figures(of_file(folders[0], events))


def test_work_that_starts_together_was_launched_first_in_any_order(tmp_path: Path) -> None:
    """Two kernels start at once behind idle time: one was launched long before, one just then, as hypothesis found."""
    events = [{"ph": "M", "pid": 40, "name": "process_labels", "args": {"labels": "GPU 0"}}]
    for key, stream, start, launch in ((1, 7, 0, None), (2, 8, 381, 0), (3, 8, 381, 370)):
        args = {"correlation": key}
        events.append(x("gemm", 40, stream, start, 32, cat="kernel", args=args))
        if launch is not None:
            events.append(x("cudaLaunchKernel", 1, 1, launch, 2, cat="cuda_runtime", args=args))
    answers: list[RunFindings] = []
    for order in (events, events[::-1]):
        folder = tmp_path / str(len(answers))
        folder.mkdir()
        answers.append(of_file(folder, order))
    assert figures(answers[0]) == figures(answers[1])
    assert [row.cause for row in answers[0].rows] == [Cause.NONE], "the device had it, and did not begin"


@given(pod=pods(), names=st.permutations(["zebra", "ant", "m-9"]))
@SETTINGS
def test_pods_that_differ_in_nothing_that_matters(
    tmp_path_factory: pytest.TempPathFactory, pod: Pod, names: list[str]
) -> None:
    lines = run(pod)
    folder = tmp_path_factory.mktemp("pods")
    answers = {}
    for name, options in {
        "first": {},
        "later": {"time": lambda time: time + 10**9},
        "turned": {"is_turned": True},
        "renamed": {"names": names},
        "doubled": {"time": lambda time: 2 * time},
    }.items():
        (folder / name).mkdir()
        answers[name] = of_pod(folder / name, lines, **options)  # type: ignore[arg-type]
    first = answers["first"]
    assert all(0 <= row.loss <= first.step for row in first.rows)
    assert answers["later"] == first
    assert without_places(answers["turned"].rows) == without_places(first.rows)
    assert figures(answers["renamed"]) == figures(first)
    for ours, theirs in zip(answers["renamed"].rows, first.rows, strict=True):
        hosts = [place for place, name in enumerate(NAMES) if name in theirs.where]
        if len(hosts) == 1:
            assert ours.where == theirs.where.replace(NAMES[hosts[0]], names[hosts[0]])
    check_doubled(first, answers["doubled"])
