"""Step traces as msprof writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Step(NamedTuple):
    """Lengths in ns: the wait before a step, its parts, and its reduce, which begins with the tail."""

    wait: int
    interval: int
    forward_backward: int
    tail: int
    reduce: int


def write_steps(path: Path, steps: Sequence[Step]) -> None:
    """A step trace as msprof writes it."""
    thread = {"pid": 3, "tid": 10036}
    events: list[dict[str, Any]] = [
        {**thread, "ph": "M", "name": "process_name", "args": {"name": "Ascend Hardware"}},
        {**thread, "ph": "M", "name": "thread_name", "args": {"name": "Step Trace(Model ID:2)"}},
    ]

    def add(category: str, name: str, start: int, stop: int) -> None:
        times = {"ts": f"{start // 1000}.{start % 1000:03}", "dur": (stop - start) / 1000}
        events.append({**thread, "ph": "X", "name": name, "cat": category, **times})

    time = 10_000
    for number, step in enumerate(steps, 1):
        time += step.wait
        forward = time + step.interval
        backward = forward + step.forward_backward
        end = backward + step.tail
        add("Iteration Time", f"Iteration {number}", time, end)
        add("FP_BP Time", f"FP_BP Time {number}", forward, backward)
        add("Iteration Refresh", f"Iteration Refresh {number}", backward, end)
        add("Reduce", f"Reduce_{number}_0", backward, backward + step.reduce)
        events.append({**thread, "tid": 1, "ph": "X", "name": f"Inner {number}", "ts": time / 1000, "dur": 0.1})
        time = end
    path.write_text(json.dumps(events))
