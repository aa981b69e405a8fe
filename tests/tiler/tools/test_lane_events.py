"""Events behind what lanes show at a moment, against plain Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.device_trace import HOST, DeviceTrace, Task
from tests.examples import examples
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.lanes import stream_queue
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of

TICKS = st.integers(0, 620_000)


@pytest.fixture(autouse=True)
def _many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_queue, "_EVENTS_AT_ONCE", 500)


def answer_of(reader: QueryReader, name: str, **values: Any) -> Answer:
    return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))


def rows(answer: Answer, table: str, *ids: str) -> list[tuple[Any, ...]]:
    return list(zip(*(values_of(answer.table(table).column(name)) for name in ids), strict=True))


def lane_at(devices: DeviceTrace, source: str, track: int) -> str:
    table = rows(answer_of(devices.reader, "lanes", source=source), "lanes", "lane", "track")
    (lane,) = (str(name) for name, where in table if where == track)
    return lane


def first_launches(devices: DeviceTrace, device: int, thread: int) -> list[tuple[Task, Task]]:
    """Work of a stream and its launch."""
    return [
        (task, devices.tasks[task.launched_by])
        for task in devices.tasks
        if (task.process, task.thread) == (device, thread) and task.launched_by is not None
    ]


@given(tick=TICKS, stream=st.sampled_from([(0, 7), (0, 8), (1, 9)]), limit=st.integers(1, 40))
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_work_that_waits_in_a_queue_with_its_launch(
    devices: DeviceTrace, tick: int, stream: tuple[int, int], limit: int
) -> None:
    lane = lane_at(devices, "queues", devices.track(*stream))
    answer = answer_of(devices.reader, "lane_events", lane=lane, tick=tick, limit=limit)
    expected = sorted(
        (task.start, launch.start, task.name)
        for task, launch in first_launches(devices, *stream)
        if launch.start <= tick < task.start
    )
    assert answer.fact("events").value == len(expected)
    table = rows(answer, "events", "start", "launched", "name")
    assert [row[0] for row in table] == [row[0] for row in expected][:limit]
    if limit >= len(expected):
        assert sorted(table) == expected
    drawn = rows(answer_of(devices.reader, "lane_bins", lane=lane, start=tick, end=tick + 1), "counter_bins", "sum")
    assert drawn == ([(len(expected),)] if tick <= devices.reader.end else [])
    launch_tracks = {str(event).partition(".")[0] for (event,) in rows(answer, "events", "launch_event")}
    assert launch_tracks <= {str(devices.track(HOST, thread)) for thread in (1, 2)}


@example(tick=252802, device=0)
@given(tick=TICKS, device=st.sampled_from([0, 1]))
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_work_that_runs_on_a_device(devices: DeviceTrace, tick: int, device: int) -> None:
    lane = lane_at(devices, "overlap", devices.track(device, 7))
    answer = answer_of(devices.reader, "lane_events", lane=lane, tick=tick)
    expected = [task for task in devices.work(device) if task.start <= tick < task.stop]
    table = rows(answer, "events", "start", "duration", "name", "launched")
    launches = [None if task.launched_by is None else devices.tasks[task.launched_by].start for task in expected]
    # A flow ends at a tick of a stream: of several that start then, the last has it.
    starts = Counter((task.process, task.thread, task.start) for task in devices.work(device))
    shared = {task.start for task in expected if starts[task.process, task.thread, task.start] > 1}
    rest = zip(expected, launches, strict=True)
    assert Counter((*row[:3], None if row[0] in shared else row[3]) for row in table) == Counter(
        (task.start, task.stop - task.start, task.name, None if task.start in shared else launch)
        for task, launch in rest
    )
    assert [row[0] for row in table] == sorted((row[0] for row in table), reverse=True)


def test_a_lane_that_there_is_not_is_an_error(devices: DeviceTrace) -> None:
    with pytest.raises(UsageError, match="there is no lane"):
        answer_of(devices.reader, "lane_events", lane="queues.x", tick=0)
