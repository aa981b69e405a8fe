"""What a tracing service records: all of it in two seconds, except for a few events thirteen days before."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

EARLY_PROCESS = "compositor"
GAP_US = 312 * 3600 * 1_000_000
BEGIN_US = 2_000_000_000
SPAN_US = 2_000_000
FRAMES = 120


def write_gap(path: Path) -> Path:
    rng = random.Random(5)
    names = {1: EARLY_PROCESS, 2: "shell"}
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}} for pid, name in names.items()
    ]
    for number in range(6):
        events += _frame(number, BEGIN_US + 20_000 * number)
    for number in range(FRAMES):
        start = BEGIN_US + GAP_US + number * SPAN_US // FRAMES
        events += _frame(100 + number, start)
        for tid in (10, 11, 12):
            events += _calls(rng, 1 + (tid == 12), tid, start + rng.randrange(900))
        flow = {"cat": "gfx", "name": "command buffer", "id": number}
        events += [
            {**flow, "ph": "s", "pid": 2, "tid": 12, "ts": start + 1000},
            {**flow, "ph": "t", "pid": 1, "tid": 10, "ts": start + 1500},
            {**flow, "ph": "f", "bp": "e", "pid": 1, "tid": 11, "ts": start + 2000},
            {"ph": "C", "name": "surfaces", "pid": 2, "ts": start, "args": {"cached": number % 7, "reused": 3}},
            {"ph": "i", "name": "presented", "cat": "gfx", "s": "p", "pid": 1, "tid": 10, "ts": start + 9000},
        ]
    path.write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
    return path


def _frame(number: int, start: int) -> list[dict[str, Any]]:
    """An async slice with an instant in it."""
    on = {"cat": "gfx", "name": "frame", "pid": 1, "tid": 10, "id": number}
    args = {"frame#": number}
    return [
        {**on, "ph": "b", "ts": start, "args": args},
        {**on, "ph": "n", "ts": start + 300, "args": {**args, "name": "rendered"}},
        {**on, "ph": "e", "ts": start + 12_000},
    ]


def _calls(rng: random.Random, pid: int, tid: int, start: int) -> list[dict[str, Any]]:
    """Begin and end pairs, nested, as many as fit into most of a frame."""
    events = []
    at = start
    while at < start + 12_000:
        length = rng.randrange(120, 900)
        on = {"pid": pid, "tid": tid, "cat": "ui"}
        events += [
            {**on, "ph": "B", "name": "draw", "ts": at, "args": {"mode": rng.choice(["basic", "full"])}},
            {**on, "ph": "B", "name": "layout", "ts": at + 10},
            {**on, "ph": "E", "ts": at + length // 2},
            {**on, "ph": "E", "ts": at + length},
        ]
        at += length + rng.randrange(60)
    return events
