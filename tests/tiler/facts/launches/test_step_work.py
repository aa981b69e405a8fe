"""Work of devices by the step of its launch: real traces with exact figures, and plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.corpus import corpus_path
from tests.examples import examples
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches import StepWork, device_launches, step_work
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows


@contextmanager
def reading(file: Path, folder: Path) -> Iterator[QueryReader]:
    build_store([file], folder / "store")
    store = open_run_store(folder / "store")
    try:
        yield QueryReader(store)
    finally:
        store.close()


def work_by_track(reader: QueryReader) -> dict[int, StepWork]:
    (device,) = finish(devices_of(reader))
    return {track.track: finish(step_work(reader, reader.steps, track)) for track in device.tracks}


def is_kernel(reader: QueryReader, work: StepWork) -> NDArray[np.bool_]:
    return np.array([reader.names[name].category == "kernel" for name in work.name.tolist()], np.bool_)


NS_BUSY = [94_569_795, 94_591_138, 94_459_362, 94_561_467, 94_272_679]
H100_KERNELS = [4_203_685, 4_198_501, 4_181_062, 4_189_358]


def nanoseconds(reader: QueryReader, works: list[StepWork]) -> int:
    spans = [Windows.from_spans(work.start, work.stop) for work in works]
    return spans[0].joined(*spans[1:]).ticks * reader.tick_ps // 1000


@pytest.mark.parametrize(
    ("file", "events", "kernels", "steps", "without"),
    [
        ("ns_resolution.pt.trace.json.gz", 1219, 870, 5, 0),
        ("h100_gpt_stack.pt.trace.json.gz", 432, 383, 4, 0),
        ("h100_two_ranks/worker0.1795750840553542999.pt.trace.json.gz", 35, 24, 3, 1),
    ],
)
def test_each_step_of_a_real_trace_has_the_work_that_it_launched(
    tmp_path: Path, file: str, events: int, kernels: int, steps: int, without: int
) -> None:
    with reading(corpus_path(f"kineto/{file}"), tmp_path) as reader:
        works = list(work_by_track(reader).values())
        numbers = sorted({number for work in works for number in work.number.tolist()} - {-1})
        assert len(numbers) == steps
        by_step = [[work.take(work.number == number) for work in works] for number in numbers]
        assert [sum(map(len, parts)) for parts in by_step] == [events] * steps
        assert [sum(int(is_kernel(reader, part).sum()) for part in parts) for parts in by_step] == [kernels] * steps
        kernel_works = [[part.take(is_kernel(reader, part)) for part in parts] for parts in by_step]
        assert sum(int((~work.is_launched).sum()) for work in works) == without
        if file.startswith("ns_"):
            assert [nanoseconds(reader, parts) for parts in by_step] == NS_BUSY
        if file.startswith("h100_gpt"):
            assert [nanoseconds(reader, parts) for parts in kernel_works] == H100_KERNELS


def x(name: str, pid: int, tid: int, start: float, length: float, **beside: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start, "dur": length, **beside}


TIMES = st.integers(0, 120)
LENGTHS = st.integers(0, 20)


def kernels_of(
    lengths: st.SearchStrategy[int],
) -> st.SearchStrategy[list[tuple[tuple[int, int] | None, int, int, int]]]:
    """Thread and time of the launch of each, if it is recorded; stream, start and length of the kernel."""
    launch = st.none() | st.tuples(st.integers(2, 3), TIMES)
    return st.lists(st.tuples(launch, st.integers(7, 8), TIMES, lengths), min_size=1, max_size=12)


KERNELS = kernels_of(LENGTHS)


@given(steps=st.lists(st.tuples(TIMES, LENGTHS), max_size=5), kernels=KERNELS)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_work_by_step_is_that_of_plain_python(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[int, int]],
    kernels: list[tuple[tuple[int, int] | None, int, int, int]],
) -> None:
    """Kernels start before their launches, take turns on streams, overlap; steps overlap, too."""
    events = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
    ]
    events += [x(f"ProfilerStep#{k}", 1, 1, start, length) for k, (start, length) in enumerate(steps)]
    # An annotation as profilers copy it to a stream: it spans some kernels only, and chooses none.
    events += [x(f"ProfilerStep#{k}", 2, 7, 50, 1, cat="gpu_user_annotation") for k, _ in enumerate(steps[:1])]
    for key, (launch, stream, start, length) in enumerate(kernels):
        args = {"correlation": key + 1}
        events.append(x(f"kernel {key}", 2, stream, start, length, cat="kernel", args=args))
        if launch is not None:
            events.append(x("cudaLaunchKernel", 1, launch[0], launch[1], 1, cat="cuda_runtime", args=args))
    expected = {}
    for key, (launch, _, start, _) in enumerate(kernels):
        time = start if launch is None else launch[1]
        around = [(first, k) for k, (first, length) in enumerate(steps) if first <= time < first + length]
        starts = {first for first, _ in around}
        last = {k for first, k in around if first == max(starts)}
        expected[f"kernel {key}"] = last or {-1}
    folder = tmp_path_factory.mktemp("work")
    with reading(write_trace(folder / "trace.json", events), folder) as reader:
        works = work_by_track(reader)
        rows = [row for work in works.values() for row in zip(work.name.tolist(), work.number.tolist(), strict=True)]
        assert sorted(reader.names[name].text for name, _ in rows) == sorted(expected)
        for name, number in rows:
            assert number in expected[reader.names[name].text]
        for track, work in works.items():
            launches = finish(device_launches(reader, track))
            assert (launches.rows(work.ordinal) >= 0).tolist() == work.is_launched.tolist()
            parts = [work.take(work.number == number) for number in {*work.number.tolist()}]
            assert sum(map(len, parts)) == len(work)
