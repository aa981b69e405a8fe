"""Small trace files whose tiles are of all kinds."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any


def write_trace(path: Path, events: list[dict[str, Any]], **beside: object) -> Path:
    """An array of events, or an object that has something beside them."""
    path.write_text(json.dumps({**beside, "traceEvents": events} if beside else events))
    return path


def busy_events(seed: int, *, threads: int = 3, calls: int = 1500) -> list[dict[str, Any]]:
    """Threads with nested calls so short and so many that tiles above must aggregate; instants, a counter, flows.

    Five of the calls are steps.
    """
    rng = random.Random(seed)
    events: list[dict[str, Any]] = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "worker"}}]
    for tid in range(threads):
        time = 0
        for call in range(calls):
            length = rng.randrange(1, 40)
            name = f"call {rng.randrange(12)}"
            if tid == 0 and call % 300 == 0:
                name = f"Iteration {call // 300}"
            args = {"number": call}
            events.append({"ph": "X", "name": name, "pid": 1, "tid": tid, "ts": time, "dur": length, "args": args})
            inner = {"ph": "X", "name": "inner", "pid": 1, "tid": tid, "ts": time + length // 4, "dur": length // 2}
            events.append(inner)
            time += length + rng.randrange(3)
        events.append({"ph": "X", "name": "long", "pid": 1, "tid": tid, "ts": time, "dur": 900_000})
        events.append({"ph": "X", "name": "under it", "pid": 1, "tid": tid, "ts": time + 70_000, "dur": 700_000})
    for k in range(1300):
        events.append({"ph": "i", "name": f"mark {k % 3}", "pid": 1, "tid": 0, "s": "t", "ts": rng.randrange(60_000)})
        events.append({"ph": "C", "name": "memory", "pid": 1, "ts": rng.randrange(60_000), "args": {"bytes": k * 1.5}})
    for k in range(400):
        flow = {"name": "hand over", "cat": "flow", "pid": 1, "id": k}
        events.append(flow | {"ph": "s", "tid": k % threads, "ts": 70 * k})
        events.append(flow | {"ph": "f", "tid": (k + 1) % threads, "ts": 70 * k + 100, "bp": "e"})
    return events
