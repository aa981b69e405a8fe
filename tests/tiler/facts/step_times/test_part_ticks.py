"""Ticks of the parts of steps in any stretches, against plain Python, instant by instant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.facts.launches.test_step_work import reading, x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.step_times import StepPart
from tilescope.tiler.facts.step_times.event_parts import HOST_PARTS
from tilescope.tiler.facts.step_times.host_tracks import host_tracks
from tilescope.tiler.facts.step_times.part_ticks import part_ticks
from tilescope.tiler.query import finish

# Name, category, process and part; steps are no parts of themselves.
EVENTS = [
    ("aten::mm", "cpu_op", 1, StepPart.HOST_COMPUTE),
    ("cudaLaunchKernel", "cuda_runtime", 1, StepPart.LAUNCH),
    ("ncclDevKernel_AllReduce", "kernel", 2, StepPart.DEVICE_COLLECTIVES),
    ("gemm", "kernel", 2, StepPart.DEVICE_COMPUTE_32),
    ("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 2, StepPart.HOST_TO_DEVICE),
]
SLICES = st.lists(
    st.tuples(st.integers(0, len(EVENTS) - 1), st.integers(1, 3), st.integers(0, 90), st.integers(0, 15)), max_size=30
)
STRETCHES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 40)), min_size=1, max_size=5)


@given(slices=SLICES, stretches=STRETCHES, is_long=st.booleans())
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_parts_are_those_of_plain_python(
    tmp_path_factory: pytest.TempPathFactory,
    slices: list[tuple[int, int, int, int]],
    stretches: list[tuple[int, int]],
    is_long: bool,
) -> None:
    events = [{"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}}]
    events.append({"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}})
    events += [x(f"ProfilerStep#{k}", 1, 1, 50 * k, 50, cat="cpu_op") for k in range(2)]
    # Something on each side, and many leaves where it is long.
    slices = [*slices, (3, 1, 0, 1), (0, 2, 99, 1)]
    slices += [(3, 1, 100 + 2 * k, 1) for k in range(300 if is_long else 0)]
    for kind, thread, start, length in slices:
        name, category, process, _ = EVENTS[kind]
        events.append(x(name, process, 10 * process + thread, start, length, cat=category))
    begin, end, now = [], [], 0
    for pause, length in stretches:
        begin.append(now + pause)
        now += pause + length
        end.append(now)
    folder = tmp_path_factory.mktemp("parts")
    with reading(write_trace(folder / "trace.json", events), folder) as reader:
        per_us = 10**6 // reader.tick_ps
        leaves = frozenset(reader.tree.leaves(None))
        (host,) = host_tracks(reader, reader.steps, leaves, finish(devices_of(reader)))
        part_table = finish(part_ticks(reader, host, np.array(begin) * per_us, np.array(end) * per_us))
    for place, (first, last) in enumerate(zip(begin, end, strict=True)):
        wanted = dict.fromkeys(HOST_PARTS, 0)
        for instant in range(first, last):
            running = [EVENTS[kind][3] for kind, _, start, length in slices if start <= instant < start + length]
            if running:
                wanted[max(running, key=HOST_PARTS.index)] += per_us
        assert dict(zip(HOST_PARTS, part_table[place].tolist(), strict=True)) == wanted
