"""Launches: delay, short work, slow calls, late starts: against plain Python, and figures of real runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.device_trace import HOST, DeviceTrace, Task, step_times
from tests.examples import examples
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of

SUMS = ("launches", "delay", "calls", "work", "short", "slow", "late", "early")


def answer_of(reader: QueryReader, **values: Any) -> Answer:
    return finish(ask(tool("launches"), Scope(reader), from_values(tool("launches").question, values)))


def facts(answer: Answer) -> dict[str, Any]:
    return {fact.id: fact.value for fact in answer.facts}


def rows(answer: Answer, table: str, *ids: str) -> list[tuple[Any, ...]]:
    return list(zip(*(values_of(answer.table(table).column(name)) for name in ids), strict=True))


# -- made runs: two devices whose calls launch work on up to two streams of a device -----------------------------------

Pair = tuple[Task, Task]  # call, and the first of its work


def pairs(devices: DeviceTrace) -> list[Pair]:
    """Calls with their first work on each device.

    A flow ends at a tick of a stream: of several slices that start then, the innermost has it, and of its calls the
    first counts.
    """
    ends: dict[tuple[int, int, int], list[Task]] = defaultdict(list)
    for task in devices.tasks:
        if task.kind is not None:
            ends[task.process, task.thread, task.start].append(task)
    work: dict[tuple[int, int], list[Task]] = defaultdict(list)
    for (process, _, _), tasks in ends.items():
        calls = [task.launched_by for task in tasks if task.launched_by is not None]
        if calls:
            work[process, min(calls)].append(min(reversed(tasks), key=length))
    return [
        (devices.tasks[call], min(tasks, key=lambda task: (task.start, task.thread)))
        for (_, call), tasks in work.items()
    ]


def lead(pair: Pair) -> int:
    call, work = pair
    return work.start - call.stop


def length(task: Task) -> int:
    return task.stop - task.start


def expected(launches: Sequence[Pair], slow_call: int, late_start: int) -> dict[str, int]:
    return {
        "launches": len(launches),
        "delay": sum(max(lead(pair), 0) for pair in launches),
        "longest": max((max(lead(pair), 0) for pair in launches), default=0),
        "calls": sum(length(call) for call, _ in launches),
        "work": sum(length(work) for _, work in launches),
        "short": sum(length(work) < length(call) <= slow_call for call, work in launches),
        "slow": sum(length(call) > slow_call for call, _ in launches),
        "late": sum(lead(pair) > late_start for pair in launches),
        "early": sum(lead(pair) < 0 for pair in launches),
    }


@given(
    span=st.tuples(st.integers(0, 620_000), st.integers(0, 620_000)).map(sorted),
    slow_call=st.sampled_from([14, 15, 50_000]),
    late_start=st.sampled_from([0, 300, 5_000]),
    streams=st.sets(st.sampled_from([(0, 7), (0, 8), (1, 7), (1, 8), (1, 9)]), min_size=1),
)
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(span=[0, 620_000], slow_call=50_000, late_start=100_000, streams={(0, 7), (0, 8), (1, 7), (1, 8), (1, 9)})
def test_launches_of_a_span(
    devices: DeviceTrace, span: list[int], slow_call: int, late_start: int, streams: set[tuple[int, int]]
) -> None:
    numbers = {devices.track(*stream): stream for stream in streams}
    answer = answer_of(
        devices.reader,
        start=span[0],
        end=span[1],
        tracks=sorted(numbers),
        slow_call=slow_call,
        late_start=late_start,
        limit=10_000,
    )
    inside = [
        pair
        for pair in pairs(devices)
        if (pair[1].process, pair[1].thread) in streams and span[0] <= pair[1].start < span[1]
    ]
    sums = expected(inside, slow_call, late_start)
    assert facts(answer) == {name: value for name, value in sums.items() if name != "work"}
    for row in rows(answer, "streams", "track", "longest", *SUMS):
        on_stream = [pair for pair in inside if (pair[1].process, pair[1].thread) == numbers[row[0]]]
        theirs = expected(on_stream, slow_call, late_start)
        assert row[1:] == (theirs["longest"], *(theirs[name] for name in SUMS))
    for mean, delay, launches in rows(answer, "streams", "mean", "delay", "launches"):
        assert mean == (nearest_mean(delay, launches) if launches else None)
    for row in rows(answer, "names", "name", "longest", *SUMS):
        theirs = expected([pair for pair in inside if pair[1].name == row[0]], slow_call, late_start)
        assert row[1:] == (theirs["longest"], *(theirs[name] for name in SUMS))
    assert sorted(
        rows(answer, "launches", "name", "work_name", "start", "delay", "early_by", "call_duration", "work_duration")
    ) == sorted(
        (
            call.name,
            work.name,
            call.start,
            max(lead((call, work)), 0),
            max(-lead((call, work)), 0),
            length(call),
            length(work),
        )
        for call, work in inside
    )


def test_calls_that_launch_on_two_streams_count_once(devices: DeviceTrace) -> None:
    first = {(work.process, call.start) for call, work in pairs(devices)}
    calls = [(task.process, devices.tasks[task.launched_by].start) for task in devices.tasks if task.launched_by]
    assert len([call for call in calls if call in first]) > len(first)
    assert facts(answer_of(devices.reader))["launches"] == len(first)


def test_launches_of_steps_are_those_launched_in_them(devices: DeviceTrace) -> None:
    marks = {task.name[13:]: task for task in devices.tasks if task.name.startswith("ProfilerStep#")}
    assert set(map(int, marks)) == set(step_times(devices, 0))
    for number, mark in marks.items():
        inside = [pair for pair in pairs(devices) if mark.start <= pair[0].start < mark.stop]
        assert facts(answer_of(devices.reader, steps=number))["launches"] == len(inside)


@pytest.mark.parametrize("only", ["early", "late", "short", "slow"])
def test_a_list_of_those_that_stand_out(devices: DeviceTrace, only: str) -> None:
    limits = {"slow_call": 14, "late_start": 200} if only == "slow" else {"late_start": 200}
    answer = answer_of(devices.reader, only=only, limit=10_000, **limits)
    listed = rows(answer, "launches", "delay", "early_by", "call_duration", "work_duration")
    assert len(listed) == facts(answer)[only] > 0
    order = {
        "early": [-early for _, early, _, _ in listed],
        "late": [-delay for delay, _, _, _ in listed],
        "short": [work - call for _, _, call, work in listed],
        "slow": [-call for _, _, call, _ in listed],
    }
    assert order[only] == sorted(order[only])


def test_what_is_left_out_of_the_names_is_the_rest(devices: DeviceTrace) -> None:
    names, whole = (answer_of(devices.reader, limit=limit).table("names") for limit in (2, 10_000))
    assert whole.rest is None
    assert names.rest is not None
    assert names.totals == whole.totals
    for name in SUMS:
        assert names.rest[name] == sum(int(value or 0) for value in values_of(whole.column(name))[2:])


def test_events_of_the_list_are_the_call_and_its_work(devices: DeviceTrace) -> None:
    nesting = tool("nesting")
    for call, event, name, work_name in rows(
        answer_of(devices.reader, limit=3), "launches", "call", "event", "name", "work_name"
    ):
        for text, expected_name in ((call, name), (event, work_name)):
            track, ordinal = map(int, text.split("."))
            answer = finish(
                ask(nesting, Scope(devices.reader), from_values(nesting.question, {"track": track, "ordinal": ordinal}))
            )
            assert expected_name in str(answer)


def test_tracks_of_the_host_are_no_streams(devices: DeviceTrace) -> None:
    answer = answer_of(devices.reader, tracks=[devices.track(HOST, 1)])
    assert facts(answer)["launches"] == 0
    assert [note.text for note in answer.notes if note.severity == "warning"] == [
        "None of the tracks is a stream with recorded launches."
    ]


def test_a_run_without_launches_has_no_answer(example: Any) -> None:
    with pytest.raises(NotAvailable, match="no launch of work on a stream was recorded"):
        answer_of(example.reader)


# -- real traces: launches, added delay, early starts and the longest delay, counted independently ---------------------

REAL = {
    "kineto/mi250_minitoy.json.gz": (16, 92_319, 2, 8_177),
    "kineto/nccl_data.json.gz": (3_774, 103_192_251, 15, 964_931),
    "kineto/ns_resolution.pt.trace.json.gz": (6_095, 418_637_223_421, 2, 90_937_999),
    "kineto/sampled_rank-0.json.gz": (1_204, 20_539_698_000, 87, 111_018_000),
}


@pytest.mark.parametrize("name", REAL)
def test_launches_of_real_traces(name: str, tmp_path: Path) -> None:
    build_store([corpus_path(name)], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    figures = facts(answer_of(reader))
    assert tuple(figures[key] for key in ("launches", "delay", "early", "longest")) == REAL[name]
    middle = reader.end // 3
    halves = [facts(answer_of(reader, **part)) for part in ({"end": middle}, {"start": middle})]
    for key in ("launches", "delay", "calls", "short", "slow", "late", "early"):
        assert sum(half[key] for half in halves) == figures[key]
