"""Devices that do nothing in steps or in the run; those that happen to be idle in a range are not among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.findings import Cause
from tilescope.tiler.query import QueryReader
from tilescope.tiler.resolver import TickRange


def event(name: str, process: int, start: int, length: int, category: str = "kernel") -> dict[str, Any]:
    return {"ph": "X", "cat": category, "name": name, "pid": process, "tid": 7, "ts": start, "dur": length}


def step(number: int, start: int, length: int) -> dict[str, Any]:
    return {"ph": "X", "name": f"ProfilerStep#{number}", "pid": 1, "tid": 1, "ts": start, "dur": length}


# GPU 0 works in turn with GPU 1, which rests in steps 4 and 5; GPU 2 is only copied to.
EVENTS = [
    *(event("gemm", 40, start, 40) for start in (100, 300, 500, 700)),
    *(event("gemm", 41, start, 40) for start in (200, 800)),
    event("Memcpy HtoD (Pinned -> Device)", 42, 120, 5, "gpu_memcpy"),
    event("Memcpy HtoD (Pinned -> Device)", 42, 620, 5, "gpu_memcpy"),
    *(step(number, 90 + 200 * (number - 3), 200) for number in (3, 4, 5, 6)),
]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[QueryReader]:
    labels = [
        {"ph": "M", "pid": process, "name": "process_labels", "args": {"labels": label}}
        for process, label in ((1, "CPU"), (40, "GPU 0"), (41, "GPU 1"), (42, "GPU 2"))
    ]
    with reading([write_trace(tmp_path / "trace.json", labels + EVENTS)], tmp_path) as opened:
        yield opened


ORIGIN_US = 90

RANGES = {
    "GPU 0 works, GPU 1 happens to be idle": (110, 130, "2 of 3 devices work: GPU 0, GPU 1"),
    "GPU 1 works, GPU 0 happens to be idle": (210, 230, "2 of 3 devices work: GPU 0, GPU 1"),
    "all steps": (90, 890, "2 of 3 devices work: GPU 0, GPU 1"),
    "two steps in which GPU 1 does nothing": (290, 690, "1 of 3 devices works: GPU 0"),
    "a part of one of these": (300, 480, "2 of 3 devices work: GPU 0, GPU 1"),
}


@pytest.mark.parametrize("name", RANGES)
def test_devices_that_do_nothing_in_a_range(reader: QueryReader, name: str) -> None:
    first, last, sentence = RANGES[name]
    tick = 1_000_000 // reader.tick_ps
    span = TickRange((first - ORIGIN_US) * tick, (last - ORIGIN_US) * tick)
    for device_count, words in ((3, sentence), (8, sentence.replace("of 3", "of 8"))):
        answer = findings(reader, span, device_count=device_count)
        (row,) = (row for row in answer.rows if row.cause is Cause.IDLE_DEVICES)
        assert row.sentence.startswith(f"{words}; "), text(answer.rows)
        assert row.loss == pytest.approx(row.share * answer.step, abs=1)
        assert row.share == 1 - len(row.where.split(", ")) / device_count


def test_a_range_in_which_one_of_two_working_devices_is_idle_has_no_advice(tmp_path: Path) -> None:
    labels = [
        {"ph": "M", "pid": process, "name": "process_labels", "args": {"labels": label}}
        for process, label in ((40, "GPU 0"), (41, "GPU 1"))
    ]
    events = [event("gemm", 40, 100, 40), event("gemm", 41, 200, 40), event("gemm", 40, 300, 40)]
    with reading([write_trace(tmp_path / "trace.json", labels + events)], tmp_path) as opened:
        tick = 1_000_000 // opened.tick_ps
        for first, last in ((5, 30), (105, 130), (0, 140)):
            rows = findings(opened, TickRange(first * tick, last * tick), device_count=2).rows
            assert Cause.IDLE_DEVICES not in {row.cause for row in rows}, text(rows)
