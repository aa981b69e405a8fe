"""Traces of devices and threads in any order, as hypothesis draws them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

GATHER = "ncclDevKernel_AllReduce_Sum"
KERNELS = ("gemm", GATHER, "Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH", "Memcpy DtoD", "Memset")
CALLS = ("cudaDeviceSynchronize", "DataLoader.next", "aten::mm", "cudaMalloc", "gloo:broadcast", "gc: collect", "", "x")

TIMES = st.integers(0, 400)
WORK = st.tuples(st.integers(0, len(KERNELS) - 1), st.integers(0, 1), st.integers(0, 2), TIMES, st.integers(0, 40))


@st.composite
def traces(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Two devices and two threads in any order: launches before or after their work or before all else, or none."""
    events: list[dict[str, Any]] = []
    for process, label in ((1, "CPU"), (40, "GPU 0"), (41, "GPU 1")):
        events.append({"ph": "M", "pid": process, "name": "process_labels", "args": {"labels": label}})
    bounds = sorted(draw(st.lists(TIMES, max_size=6, unique=True)))
    events += [x(f"ProfilerStep#{k}", 1, 1, start, stop - start) for k, (start, stop) in enumerate(pairwise(bounds))]
    for key, (name, device, stream, start, length) in enumerate(draw(st.lists(WORK, min_size=1, max_size=14))):
        category = "kernel" if name < 2 else "gpu_memset" if name == 5 else "gpu_memcpy"
        args = {"correlation": key + 1}
        events.append(x(KERNELS[name], 40 + device, 7 + stream, start, length, cat=category, args=args))
        launch = draw(st.none() | st.tuples(st.integers(1, 2), TIMES))
        if launch is not None:
            events.append(x("cudaLaunchKernel", 1, launch[0], launch[1], 2, cat="cuda_runtime", args=args))
    calls = st.tuples(st.sampled_from(CALLS), st.integers(1, 2), TIMES, st.integers(0, 90))
    for call, thread, start, length in draw(st.lists(calls, max_size=8)):
        events.append(x(call, 1, thread, start, length))
    return events


def x(name: str, process: int, thread: int, start: int, length: int, **beside: Any) -> dict[str, Any]:
    """A slice; without a name where that is empty."""
    event = {"ph": "X", "name": name, "pid": process, "tid": thread, "ts": start, "dur": length, **beside}
    if not name:
        del event["name"]
    return event
