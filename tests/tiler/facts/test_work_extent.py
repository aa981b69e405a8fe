"""First and last work of a device in any span, against spans of tasks in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.device_trace import DeviceTrace, both, of_kind
from tests.examples import examples
from tests.tiler.facts.test_ascend_tracks import opened, task
from tests.tiler.windows import pairs
from tilescope.tiler.facts import Device, devices_of
from tilescope.tiler.facts.work_extent import work_extent
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import TICK_LIMIT

LONGEST = 700_000  # ns: some more than the trace
US = 1_000  # ticks

TICKS = st.integers(0, LONGEST)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeviceTrace]:
    made = DeviceTrace(tmp_path_factory.mktemp("devices"), random.Random(5))
    yield made
    made.store.close()


def extent(reader: QueryReader, device: Device, start: int, stop: int) -> list[tuple[int, int]]:
    kept = finish(work_extent(reader, device, TickRange(start, stop)))
    assert finish(work_extent(reader, device, TickRange(start, stop))) is kept
    return list(pairs(kept))


def plain_extent(trace: DeviceTrace, device: int, start: int, stop: int) -> list[tuple[int, int]]:
    work = both(of_kind(trace.work(device)), [(start, stop)]) if start < stop else []
    return [(work[0][0], work[-1][1])] if work else []


@given(ends=st.tuples(TICKS, TICKS).map(sorted), number=st.sampled_from([0, 1]))
@settings(max_examples=examples(150), deadline=None)
def test_any_range(trace: DeviceTrace, ends: list[int], number: int) -> None:
    """Short and long ones, begun by a task, by none, or within one."""
    device = finish(devices_of(trace.reader))[number]
    assert extent(trace.reader, device, *ends) == plain_extent(trace, number, *ends)


@given(start=TICKS, length=st.integers(1, 2_000), number=st.sampled_from([0, 1]))
@settings(max_examples=examples(150), deadline=None)
def test_short_ranges(trace: DeviceTrace, start: int, length: int, number: int) -> None:
    """Ranges of a leaf, or of a few: where nothing works there is nothing."""
    device = finish(devices_of(trace.reader))[number]
    assert extent(trace.reader, device, start, start + length) == plain_extent(trace, number, start, start + length)


@given(middle=TICKS, number=st.sampled_from([0, 1]))
@settings(max_examples=examples(100), deadline=None)
def test_halves(trace: DeviceTrace, middle: int, number: int) -> None:
    """Halves of a run, open at its ends: the first begins, and the second ends, as the whole does."""
    device = finish(devices_of(trace.reader))[number]
    first, second = (0, middle), (middle, TICK_LIMIT)
    halves = [extent(trace.reader, device, *half) for half in (first, second)]
    assert halves == [plain_extent(trace, number, *half) for half in (first, second)]
    spans = halves[0] + halves[1]
    assert extent(trace.reader, device, 0, TICK_LIMIT) == [(spans[0][0], spans[-1][1])]


def collective(start: int, length: int) -> dict[str, object]:
    place = {"pid": 3, "process": "HCCL", "tid": 1, "thread": "Group 0 Communication"}
    return {**place, "name": "hcom_allReduce_", "ts": start, "dur": length}


# Of streams 1 to 3, and of communication (0), in µs.
TASKS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=9)


@given(tasks=TASKS, ends=st.tuples(st.integers(0, 70_000), st.integers(0, 70_000)).map(sorted))
@settings(max_examples=examples(40), deadline=None)
def test_streams_and_communication_beside_them(
    tmp_path_factory: pytest.TempPathFactory, tasks: list[tuple[int, int, int]], ends: list[int]
) -> None:
    """Work of each stream of an Ascend device counts, and communication; what has no duration, and waits, are none."""
    wait = {**task("NOTIFY_WAIT", 0, 100, "NOTIFY_WAIT", 9)}
    made = [
        task("MatMul", start, length, "AI_CORE", stream) if stream else collective(start, length)
        for start, length, stream in tasks
    ]
    reader = opened(tmp_path_factory.mktemp("streams"), wait, *made)
    (device,) = finish(devices_of(reader))
    work = [(max(start * US, ends[0]), min((start + length) * US, ends[1])) for start, length, _ in tasks]
    work = [(start, stop) for start, stop in work if start < stop]
    plain = [(min(start for start, _ in work), max(stop for _, stop in work))] if work else []
    assert extent(reader, device, *ends) == plain
    reader.store.close()
