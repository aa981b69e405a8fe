"""A PyTorch trace of devices that compute, communicate and copy, and what is in it as plain Python."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

HOST = 500
KINDS = {"kernel": "computation", "nccl": "communication", "gpu_memcpy": "copies", "gpu_memset": "computation"}


@dataclass(frozen=True)
class Task:
    """An event of a device, or a slice of a thread of the host; times in ns since the first event."""

    process: int
    thread: int
    name: str
    category: str
    start: int
    stop: int
    launched_by: int | None = None  # which of the host's slices

    @property
    def kind(self) -> str | None:
        """What kind of work it is."""
        return KINDS.get("nccl" if self.name.startswith("ncclKernel") else self.category)

    @property
    def track(self) -> str:
        return f"{self.process}.{self.thread}"


class DeviceTrace:
    """A store, and what was written into it."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.tasks = list(random_tasks(rng))
        self.path = folder / "devices.store"
        (folder / "devices.json").write_text(json.dumps(list(trace_events(self.tasks))))
        build_store([folder / "devices.json"], self.path)
        self.store = open_run_store(self.path)
        self.reader = QueryReader(self.store)

    def work(self, device: int, thread: int | None = None) -> list[Task]:
        """The work of a device, or of one of its streams."""
        of = [task for task in self.tasks if task.process == device and task.kind is not None]
        return [task for task in of if thread is None or task.thread == thread]

    def track(self, process: int, thread: int) -> int:
        """The number of a track."""
        groups = {group.id: group.name for group in self.reader.tree.groups}
        name = "python" if process == HOST else f"GPU {process}"
        (found,) = [
            track.id
            for track in self.reader.tree.tracks
            if track.kind != "rollup" and track.name == f"thread {thread}" and groups[track.group] == name
        ]
        return int(found)


def step_times(devices: DeviceTrace, device: int) -> dict[int, tuple[int, int]]:
    """By number: from the end of the step before to the end of the last work that was launched in it."""
    marks = {
        int(task.name[13:]): (task.start, task.stop) for task in devices.tasks if task.name.startswith("ProfilerStep#")
    }
    ends: dict[int, int] = {}
    begin = 1 << 40
    for task in devices.work(device):
        time = task.start if task.launched_by is None else devices.tasks[task.launched_by].start
        for number, (start, stop) in marks.items():
            if start <= time < stop:
                ends[number] = max(ends.get(number, 0), task.stop)
                begin = min(begin, time, task.start)
    times = {}
    for number, end in sorted(ends.items()):
        times[number] = begin, max(begin, end)
        begin = times[number][1]
    return times


def random_tasks(rng: random.Random) -> Iterator[Task]:
    """Two devices of two and three streams, annotations over their work, two threads that launch it, four steps."""
    at = 0
    launches = []
    for number in range(9000):
        at += rng.choice([1, 20, 20, 150])
        thread = 1 + number % 2
        launches.append(Task(HOST, thread, f"cudaLaunch{rng.randrange(3)}", "cuda_runtime", at, at + 15))
        at += 15
    yield from launches
    for step in range(4):
        yield Task(HOST, 1, f"ProfilerStep#{step + 7}", "user_annotation", at * step // 4, at * (step + 1) // 4)
    names = ["gemm", "relu", "ncclKernel_AllReduce", "Memcpy HtoD", "Memset"]
    categories = {"Memcpy HtoD": "gpu_memcpy", "Memset": "gpu_memset"}
    for device, streams in ((0, 2), (1, 3)):
        for stream in range(streams):
            now = 40 * stream
            for number, launch in enumerate(launches):
                if number % 5 != device * 2 + stream % 2 or rng.random() < 0.2:
                    continue
                now = max(now, launch.start + rng.choice([-9, 5, 30, 300]))
                name = rng.choice(names)
                length = rng.choice([0, 1, 30, 120, 400])
                launched_by = number if rng.random() < 0.8 else None
                yield Task(device, 7 + stream, name, categories.get(name, "kernel"), now, now + length, launched_by)
                now += length - (20 if length > 100 and rng.random() < 0.1 else 0)
            yield Task(device, 7 + stream, "## forward ##", "gpu_user_annotation", 0, now + 500)


def trace_events(tasks: list[Task]) -> Iterator[dict[str, Any]]:
    def metadata(process: int, what: str, **arguments: Any) -> dict[str, Any]:
        return {"ph": "M", "pid": process, "tid": 0, "name": what, "args": arguments}

    yield metadata(HOST, "process_name", name="python")
    for device in (0, 1):
        yield metadata(device, "process_name", name="python")
        yield metadata(device, "process_labels", labels=f"GPU {device}")
    for process, thread in sorted({(task.process, task.thread) for task in tasks}):
        name = {"name": "thread_name", "args": {"name": f"thread {thread}"}}
        yield {"ph": "M", "pid": process, "tid": thread, **name}
    for number, task in enumerate(tasks):
        base = {"pid": task.process, "tid": task.thread}
        start, length = us(task.start), us(task.stop - task.start)
        yield {**base, "ph": "X", "name": task.name, "cat": task.category, "ts": start, "dur": length}
        if task.launched_by is not None:
            launch = tasks[task.launched_by]
            flow = {"cat": "ac2g", "name": "ac2g", "id": number}
            yield {**flow, "ph": "s", "pid": launch.process, "tid": launch.thread, "ts": us(launch.start)}
            yield {**flow, "ph": "f", "bp": "e", **base, "ts": start}


def us(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03}"


# -- sets of ticks: spans that ascend and do not touch -----------------------------------------------------------------

Spans = list[tuple[int, int]]


def union(*spans: Iterable[tuple[int, int]]) -> Spans:
    """What lies in any of them."""
    found: Spans = []
    for start, stop in sorted(one for of in spans for one in of):
        if start >= stop:
            continue
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], stop)
        else:
            found.append((start, stop))
    return found


def without(one: Spans, other: Spans) -> Spans:
    """What lies in the first alone."""
    found, first = [], 0
    for start, stop in one:
        while first < len(other) and other[first][1] <= start:
            first += 1
        at = first
        while at < len(other) and other[at][0] < stop:
            if other[at][0] > start:
                found.append((start, other[at][0]))
            start = other[at][1]
            at += 1
        if start < stop:
            found.append((start, stop))
    return found


def both(one: Spans, other: Spans) -> Spans:
    """What lies in both."""
    return without(one, without([(0, 1 << 60)], other))


def ticks(spans: Spans) -> int:
    return sum(stop - start for start, stop in spans)


def of_kind(tasks: Iterable[Task], kind: str | None = None) -> Spans:
    """When any of them runs, or any of a kind."""
    return union((task.start, task.stop) for task in tasks if kind is None or task.kind == kind)
