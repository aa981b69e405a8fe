"""Whole answers about runs that differ in nothing that matters, and about runs with little in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.device_trace import us
from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import Rank, write_ranks
from tests.tiler.facts.findings.tpu_run import Pod, write_hosts
from tests.tiler.facts.findings.tpu_run import run as run_pod
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.findings import Cause, Finding, RunFindings
from tilescope.tiler.resolver import TickRange

NAMES = ["value_in_the_step", "input_of_a_rank", "slow_device", "drawn_charts", "stages", "states_to_host"]


def answer(files: Sequence[Path], folder: Path) -> RunFindings:
    folder.mkdir(exist_ok=True)
    with reading(files, folder) as reader:
        return findings(reader)


def ranks_in(folder: Path, ranks: Sequence[Rank]) -> list[Path]:
    folder.mkdir()
    return write_ranks(ranks, folder)


def without_place(rows: Sequence[Finding]) -> list[Finding]:
    return [replace(row, place=None) for row in rows]


def times_changed(rank: Rank, change: Callable[[int], int]) -> Rank:
    """A rank whose times and lengths, in ns, are others."""
    for event in rank.events:
        for key in ("ts", "dur"):
            if key in event:
                whole, part = event[key].split(".")
                event[key] = us(change(int(whole) * 1000 + int(part)))
    return rank


@pytest.mark.parametrize("name", NAMES)
def test_a_later_begin_changes_nothing(tmp_path: Path, name: str) -> None:
    first = answer(ranks_in(tmp_path / "a", run(PLANTED[name])), tmp_path / "a")
    later = answer(ranks_in(tmp_path / "b", run(PLANTED[name], origin=1_777_000_000_000_123)), tmp_path / "b")
    assert later == first


@pytest.mark.parametrize("name", ["input_of_a_rank", "slow_device", "stages"])
def test_the_order_of_files_changes_nothing(tmp_path: Path, name: str) -> None:
    files = ranks_in(tmp_path / "a", run(PLANTED[name]))
    first, turned = answer(files, tmp_path / "a"), answer(files[::-1], tmp_path / "b")
    assert without_place(turned.rows) == without_place(first.rows)
    assert [row.place is None for row in turned.rows] == [row.place is None for row in first.rows]
    assert turned.step == first.step


@pytest.mark.parametrize("name", NAMES)
def test_twice_the_time_costs_twice_as_much(tmp_path: Path, name: str) -> None:
    first = answer(ranks_in(tmp_path / "a", run(PLANTED[name])), tmp_path / "a")
    slow = [times_changed(rank, lambda time: 2 * time) for rank in run(PLANTED[name])]
    doubled = answer(ranks_in(tmp_path / "b", slow), tmp_path / "b")
    assert doubled.step == pytest.approx(2 * first.step, abs=2)
    assert [row.cause for row in doubled.rows] == [row.cause for row in first.rows], text(doubled.rows)
    assert [(row.where, row.steps) for row in doubled.rows] == [(row.where, row.steps) for row in first.rows]
    for ours, theirs in zip(doubled.rows, first.rows, strict=True):
        assert ours.loss == pytest.approx(2 * theirs.loss, abs=2)
        assert ours.share == pytest.approx(theirs.share)


def test_names_of_hosts_change_only_names(tmp_path: Path) -> None:
    lines = run_pod(Pod(batch=(900, 9_400)))
    (tmp_path / "a").mkdir()
    first = answer(write_hosts(lines, tmp_path / "a"), tmp_path / "a")
    (tmp_path / "b").mkdir()
    other = answer(write_hosts(lines, tmp_path / "b", ["zebra", "ant"]), tmp_path / "b")
    assert other.rows[0].where == first.rows[0].where.replace("node-b", "ant")
    assert [(row.cause, row.steps, row.loss) for row in other.rows] == [
        (row.cause, row.steps, row.loss) for row in first.rows
    ]


@pytest.mark.parametrize("name", NAMES)
def test_asking_twice_and_for_the_whole_range_is_equal(tmp_path: Path, name: str) -> None:
    with reading(write_ranks(run(PLANTED[name]), tmp_path), tmp_path) as reader:
        first = findings(reader)
        assert findings(reader) == first
        assert findings(reader, numbers=(0, 1 << 40)) == first
        assert findings(reader, TickRange(0, reader.end + 1)) == first


def test_communication_of_one_rank_of_many_is_unclear(tmp_path: Path) -> None:
    """It may wait for the others."""
    file = write_ranks(run(PLANTED["exposed_collective"]), tmp_path)[1]
    rows = answer([file], tmp_path).rows
    assert [row.cause for row in rows[:3]] == [Cause.UNCLEAR, Cause.COLLECTIVE, Cause.STRAGGLER], text(rows)
    assert len({row.loss for row in rows[:3]}) == 1


def test_devices_that_do_nothing(tmp_path: Path) -> None:
    with reading(write_ranks(run(PLANTED["healthy"]), tmp_path), tmp_path) as reader:
        answer_of_four = findings(reader, device_count=4)
        (idle,) = answer_of_four.rows
        assert (idle.cause, idle.where, idle.share) == (Cause.IDLE_DEVICES, "GPU 0", 0.75)
        assert idle.loss == pytest.approx(0.75 * answer_of_four.step, abs=1)


# -- runs with little in them ------------------------------------------------------------------------------------------


def work(start: float, length: float, **beside: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 40, "tid": 7, "ts": start, "dur": length, **beside}


def step(number: int, start: float, length: float) -> dict[str, Any]:
    return {"ph": "X", "name": f"ProfilerStep#{number}", "pid": 1, "tid": 1, "ts": start, "dur": length}


SMALL = {
    "kernels without launches": ([step(3, 0, 50), step(4, 50, 50), work(10, 30), work(60, 30)], Cause.LAUNCH),
    "kernels without steps": ([work(10, 30), work(40, 30)], Cause.NONE),
    "one kernel": ([work(10, 30)], Cause.NONE),
    "one kernel that takes no time": ([work(10, 0)], None),
    "steps that take no time": ([step(3, 0, 0), step(4, 0, 0), work(0, 30)], Cause.NONE),
    "one step": ([step(3, 0, 50), work(5, 40)], Cause.NONE),
    "work before all steps": ([work(0, 10), step(3, 50, 20), step(4, 70, 20)], None),
    "a kernel without a name": ([{**work(5, 40), "name": None}, step(3, 0, 50)], None),
    "a host alone": ([step(3, 0, 50), step(4, 50, 50), {**step(0, 10, 30), "name": "aten::mm"}], Cause.HOST_ONLY),
    "steps alone": ([step(3, 0, 50), step(4, 50, 50)], Cause.HOST_ONLY),
    "two steps of one number": ([step(3, 0, 50), step(3, 50, 50), work(10, 30), work(60, 30)], None),
    "times that are no numbers": ([step(3, 0, 50), work(10, 30), work(float("nan"), 30)], None),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_runs_have_answers(tmp_path: Path, name: str) -> None:
    events, cause = SMALL[name]
    labels = [
        {"ph": "M", "pid": process, "name": "process_labels", "args": {"labels": label}}
        for process, label in ((1, "CPU"), (40, "GPU 0"))
    ]
    with reading([write_trace(tmp_path / "trace.json", labels + events)], tmp_path) as reader:
        for numbers in (None, (3, 3)):
            for span in (TickRange(0, 1), TickRange(5, 5)):
                result = findings(reader, span, numbers)
                for row in result.rows:
                    assert 0 <= row.loss <= result.step, text(result.rows)
        rows = findings(reader).rows
        if cause is not None:
            assert rows[0].cause is cause, text(rows)


def test_a_host_alone_leads_to_the_thread_that_does_most_of_it(tmp_path: Path) -> None:
    """The first thread that marks steps does a little of the same."""
    threads = {1: [3], 2: [40, 45], 5: [45]}
    events: list[dict[str, Any]] = []
    for thread, lengths in threads.items():
        events += [{**step(number, 50 * number, 50), "tid": thread} for number in range(2)]
        for number, length in enumerate(lengths):
            events.append({**step(0, 50 * number + 5, length), "name": "train", "tid": thread})
    with reading([write_trace(tmp_path / "trace.json", events)], tmp_path) as reader:
        (row,) = findings(reader).rows
        assert (row.cause, row.where) == (Cause.HOST_ONLY, "train")
        assert row.place is not None
        assert "2" in reader.tree.tracks[row.place.track].name
