"""Launches of slices, what lies around these, what was launched in slices, and calls that waited: by a look at all."""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.device_trace import HOST, Task, trace_events
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.nesting import launch_context, launched_work

STREAM = (0, 7)
FRAME = "python_function"


def thread_tasks(rng: random.Random, thread: int, tasks: list[Task]) -> None:
    """Steps of frames, operators and launches in one another; now and then the thread waits for the device."""
    tick = 100 * thread
    for _ in range(40):
        start, depth = tick, rng.randrange(4)
        tick += 10
        for level in range(depth):
            name, category = rng.choice([(f"train.py({level}): f", FRAME), (f"aten::op{level}", "cpu_op")])
            tasks.append(Task(HOST, thread, name, category, start + level, start + 900 - level))
        launch = len(tasks)
        tasks.append(Task(HOST, thread, "cudaLaunchKernel", "cuda_runtime", tick, tick + 20))
        ready = max([tick + 30, *(task.stop for task in tasks if task.process == 0)])
        tasks.append(Task(*STREAM, f"kernel {rng.randrange(3)}", "kernel", ready, ready + rng.choice([5, 200]), launch))
        if rng.random() < 0.5:
            tasks.append(Task(HOST, thread, "cudaStreamSynchronize", "cuda_runtime", tick + 25, tick + 25 + 700))
        tick = start + 1000


@pytest.fixture(scope="module", params=[1, 2])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, list[Task]]]:
    rng, folder = random.Random(request.param), tmp_path_factory.mktemp("launches")
    tasks = [Task(HOST, 3, "first", "cpu_op", 0, 1)]  # from which times count
    for thread in (1, 2):
        thread_tasks(rng, thread, tasks)
    (folder / "t.json").write_text(json.dumps(list(trace_events(tasks))))
    build_store([folder / "t.json"], folder / "t.store")
    store = open_run_store(folder / "t.store")
    yield QueryReader(store), tasks
    store.close()


def answer_of(reader: QueryReader, track: int, ordinal: int) -> Answer:
    nesting = tool("nesting")
    question = from_values(nesting.question, {"track": track, "ordinal": ordinal})
    return finish(ask(nesting, Scope(reader), question))


def rows(answer: Answer, table: str) -> list[dict[str, Any]]:
    columns = {column.id: list(values_of(column)) for column in answer.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def innermost(tasks: list[Task], inner: Task, category: str | None = None) -> str | None:
    around = [
        task
        for task in tasks
        if task is not inner and task.track == inner.track and task.start <= inner.start and inner.stop <= task.stop
        if category in (None, task.category)
    ]
    return max(around, key=lambda task: task.start).name if around else None


def test_the_launch_and_what_is_around_it_and_who_waited(run: tuple[QueryReader, list[Task]]) -> None:
    reader, tasks = run
    (stream,) = [track.id for track in reader.tree.tracks if track.name == "thread 7" and track.kind == "slice"]
    work = sorted((task for task in tasks if task.process == STREAM[0]), key=lambda task: task.start)
    waited = frames = 0
    for ordinal, task in enumerate(work):
        answer = answer_of(reader, stream, ordinal)
        assert task.launched_by is not None
        launch = tasks[task.launched_by]
        (row,) = rows(answer, "launches")
        assert (row["name"], row["start"], row["duration"]) == (launch.name, launch.start, launch.stop - launch.start)
        assert (row["around_name"], row["frame_name"]) == (innermost(tasks, launch), innermost(tasks, launch, FRAME))
        waits = [other for other in tasks if "Synchronize" in other.name and other.start < task.stop < other.stop]
        listed = [(wait["start"], wait["after"]) for wait in rows(answer, "waits")]
        assert listed == [(other.start, other.stop - task.stop) for other in sorted(waits, key=lambda wait: wait.stop)]
        waited += len(waits)
        frames += row["frame"] is not None
    assert waited
    assert frames


def test_what_is_left_out_is_said(run: tuple[QueryReader, list[Task]], monkeypatch: pytest.MonkeyPatch) -> None:
    reader, _ = run
    (stream,) = [track.id for track in reader.tree.tracks if track.name == "thread 7" and track.kind == "slice"]
    assert answer_of(reader, stream, 0).notes == []
    monkeypatch.setattr(launch_context, "MOST_THREADS", 1)
    answer = answer_of(reader, stream, 0)
    assert [note.text for note in answer.notes] == ["2 more threads are not searched for calls that were waiting."]
    monkeypatch.setattr(launch_context, "MOST_LAUNCHES", 0)
    answer = answer_of(reader, stream, 0)
    assert [note.text for note in answer.notes] == ["1 more launch is not listed."]
    assert rows(answer, "launches") == []


def launched_in(tasks: list[Task], around: Task) -> list[Task]:
    """Work whose launch is a slice of the host or lies in it, by start."""
    launches = {
        number
        for number, task in enumerate(tasks)
        if task.track == around.track and around.start <= task.start and task.stop <= around.stop
    }
    return sorted((task for task in tasks if task.launched_by in launches), key=lambda task: task.start)


def test_the_work_that_was_launched_in_a_slice(run: tuple[QueryReader, list[Task]]) -> None:
    reader, tasks = run
    below = 0
    for thread in (1, 2):
        track = next(t.id for t in reader.tree.tracks if t.name == f"thread {thread}" and t.kind == "slice")
        host = [task for task in tasks if (task.process, task.thread) == (HOST, thread)]
        for ordinal, task in enumerate(sorted(host, key=lambda task: (task.start, -task.stop))):
            answer, work = answer_of(reader, track, ordinal), launched_in(tasks, task)
            assert answer.fact("name").value == task.name
            durations = [other.stop - other.start for other in work]
            assert [answer.fact(name).value for name in ("launched", "launched_time")] == [len(work), sum(durations)]
            listed = [(row["name"], row["start"], row["duration"]) for row in rows(answer, "launched")]
            assert listed == [(other.name, other.start, other.stop - other.start) for other in work]
            below += task.category == "cpu_op" and len(work) > 0
    assert below > 10, "operators, not launches alone"


REAL = "kineto/h100_gpt_stack.pt.trace.json.gz"
OPERATORS = ("EmbeddingBackward0", "aten::linear", "aten::_fused_adamw_")


def test_all_kernels_of_an_operator_of_a_real_trace(tmp_path: Path) -> None:
    """By the file itself: work has the correlation of a call that lies in the operator on its thread."""
    path = corpus_path(REAL)
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    work: dict[int, list[dict[str, Any]]] = defaultdict(list)
    calls: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            work[event["args"]["correlation"]].append(event)
        elif event.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls[event["pid"], event["tid"]].append(event)
    build_store([path], tmp_path / "real.store")
    store = open_run_store(tmp_path / "real.store")
    search, most = tool("search"), 0
    ticks_of_us = 1_000_000 // QueryReader(store).tick_ps
    for name in OPERATORS:
        operators = sorted(
            (event for event in events if event.get("cat") == "cpu_op" and event["name"] == name),
            key=lambda event: event["ts"],
        )
        question = from_values(search.question, {"query": f'"{name}" cat:cpu_op', "limit": 1000})
        listed = rows(finish(ask(search, Scope(QueryReader(store)), question)), "events")
        assert len(listed) == len(operators) > 0
        for operator, row in zip(operators, listed, strict=True):
            end = operator["ts"] + operator["dur"]
            launched = [
                each
                for call in calls[operator["pid"], operator["tid"]]
                if operator["ts"] <= call["ts"] and call["ts"] + call["dur"] <= end
                for each in work.get(call["args"].get("correlation"), [])
            ]
            answer = answer_of(QueryReader(store), *map(int, row["event"].split(".")))
            assert sorted(each["name"] for each in rows(answer, "launched")) == sorted(
                each["name"] for each in launched
            )
            assert answer.fact("launched").value == len(launched)
            us = sum(each["dur"] for each in launched)
            assert answer.fact("launched_time").value == pytest.approx(us * ticks_of_us, abs=len(launched))
            most = max(most, len(launched))
    store.close()
    assert most == 32


def test_work_that_is_left_out_is_said(run: tuple[QueryReader, list[Task]], monkeypatch: pytest.MonkeyPatch) -> None:
    reader, tasks = run
    host = next(track.id for track in reader.tree.tracks if track.name == "thread 1" and track.kind == "slice")
    order = sorted((task for task in tasks if task.thread == 1), key=lambda task: (task.start, -task.stop))
    ordinal = next(number for number, task in enumerate(order) if launched_in(tasks, task))
    monkeypatch.setattr(launched_work, "MOST_LISTED", 0)
    answer = answer_of(reader, host, ordinal)
    assert answer.fact("launched").value == 1
    assert rows(answer, "launched") == []
    assert [note.text for note in answer.notes] == ["1 more slice that was launched in it is not listed."]
    monkeypatch.setattr(launched_work, "MOST_CALLS", 0)
    fact = answer_of(reader, host, ordinal).fact("launched")
    assert fact.value is None
    assert "launches lie in it" in (fact.note or "")


def test_what_nobody_launched_has_no_launch(run: tuple[QueryReader, list[Task]]) -> None:
    reader, _ = run
    host = next(track.id for track in reader.tree.tracks if track.name == "thread 1" and track.kind == "slice")
    answer = answer_of(reader, host, 0)
    assert rows(answer, "launches") == rows(answer, "waits") == []
