"""Stores of small traces, and what is in them as plain Python."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import RunStore, open_run_store


@dataclass(frozen=True)
class PlainEvent:
    """An event as the trace file has it; times in ticks of a nanosecond since the first."""

    track: str
    name: str
    category: str
    start: int
    duration: int
    value: float | None = None

    def overlaps(self, start: int, stop: int) -> bool:
        return start < stop and self.start < stop and (self.start >= start or self.start + self.duration > start)


class Example:
    """A store, and its events as they were written."""

    def __init__(self, folder: Path, events: list[PlainEvent]) -> None:
        self.path = folder / "t.store"
        self.events = events
        write_trace(folder / "t.json", events)
        build_store([folder / "t.json"], self.path)
        self.store: RunStore = open_run_store(self.path)
        self.reader = QueryReader(self.store)

    def track(self, name: str) -> int:
        (found,) = [t.id for t in self.reader.tree.tracks if t.name == name and t.kind != "rollup"]
        return int(found)


def random_events(rng: random.Random) -> list[PlainEvent]:
    """Nested slices on four threads, deep in few places, with long ones over everything; instants and a counter.

    Ten short ones are the steps 3 to 12.
    """
    events = []
    for thread in range(4):
        track, at = f"thread {thread}", 1000 * thread
        events.append(PlainEvent(track, "everything", "", at, 4_000_000))
        for k in range(4000):
            at += rng.choice([1, 50, 700])
            length = rng.choice([0, 3, 40, 300])
            name = "needle" if thread == 2 and k in (3, 3900) else f"op {rng.randrange(30)}"
            if thread == 1 and k % 400 == 0:
                name = f"Iteration {k // 400 + 3}"
            events.append(PlainEvent(track, name, "cat" if name.endswith("7") else "", at, length))
            if length > 30:
                events.append(PlainEvent(track, "Inner", "", at + 1, 10))
            at += length
    for k in range(3000):
        events.append(PlainEvent("memory", "", "", 900 * k, 0, float(rng.randrange(1000))))
    return events


def write_trace(path: Path, events: list[PlainEvent]) -> None:
    threads = sorted({event.track for event in events if event.value is None})
    out: list[dict[str, Any]] = [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": k, "args": {"name": name}} for k, name in enumerate(threads)
    ]
    for event in events:
        ts = f"{event.start // 1000}.{event.start % 1000:03}"
        if event.value is not None:
            out.append({"ph": "C", "name": event.track, "pid": 1, "ts": ts, "args": {"v": event.value}})
            continue
        dur = f"{event.duration // 1000}.{event.duration % 1000:03}"
        known = {"ph": "X", "pid": 1, "tid": threads.index(event.track), "ts": ts, "dur": dur}
        out.append({**known, "name": event.name, **({"cat": event.category} if event.category else {})})
    path.write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": out, "otherData": {"text": "a" * 600_000}}))
