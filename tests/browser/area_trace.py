"""A PyTorch trace of devices, with counters and a chain of flows through three threads, and what is in it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final

from tests.device_trace import HOST, random_tasks, trace_events

NAME: Final = "area.json"

# Beside the device trace, on threads of the host that it does not have: a chain of slices that forks.
CHAIN: Final = (("enqueue", 11, 1000, 50), ("dispatch", 12, 1200, 40), ("reply", 13, 1500, 30), ("log", 13, 1700, 20))
FLOWS: Final = (("enqueue", "dispatch"), ("dispatch", "reply"), ("dispatch", "log"))

# Of a counter: its times in ns and its values.
SAMPLES: Final = ((0, 5), (100_000, 40), (250_000, 10), (400_000, 25))


def write(folder: Path) -> Path:
    """The trace, in a folder."""
    events: list[dict[str, Any]] = list(trace_events(list(random_tasks(random.Random(4)))))
    at = {name: (thread, start) for name, thread, start, _ in CHAIN}
    for name, thread, start, length in CHAIN:
        base = {"ph": "X", "pid": HOST, "tid": thread, "name": name, "cat": "rpc"}
        events.append({**base, "ts": start / 1000, "dur": length / 1000, "args": {"peer": f"host{thread % 2}"}})
    for number, ends in enumerate(FLOWS):
        for phase, end in zip("sf", ends, strict=True):
            thread, start = at[end]
            flow = {"ph": phase, "bp": "e", "id": 10**6 + number, "name": "rpc", "cat": "rpc"}
            events.append({**flow, "pid": HOST, "tid": thread, "ts": (start + 1) / 1000})
    events += [
        {"ph": "C", "pid": HOST, "tid": 1, "name": "queue", "ts": time / 1000, "args": {"length": value}}
        for time, value in SAMPLES
    ]
    path = folder / NAME
    path.write_text(json.dumps(events))
    return path
