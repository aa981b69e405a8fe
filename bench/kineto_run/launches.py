"""Calls of the CUDA runtime by a rank's threads, and the work that they start on its GPU."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from bench.kineto_run.gpu import COMMUNICATION, COMPUTE, Gpu
from bench.kineto_run.host_thread import HostThread
from bench.kineto_run.trace_file import TraceFile

_LAUNCH = {"registers per thread": 32, "shared memory": 0, "grid": [132, 1, 1], "block": [256, 1, 1]}


@dataclass(slots=True)
class Work:
    """Work that was launched, and the External id and correlation of its launch."""

    start: int
    correlation: int
    external: int


@dataclass(slots=True)
class Launcher:
    """Launches of one rank; `slow`: percent that its work takes more than that of others."""

    gpu: Gpu
    random: Random
    slow: int
    correlations: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    launched: int = 0
    events: dict[str, tuple[int, int]] = field(default_factory=dict)  # recorded: correlation and number

    def kernel(
        self, thread: HostThread, file: TraceFile, name: str, usual: int, category: str = "kernel", **args: object
    ) -> None:
        """One kernel or copy on the stream of computation."""
        call = {"gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}.get(category, "cudaLaunchKernel")
        work = self._call(thread, file, call)
        duration = self._duration(usual)
        start = self.gpu.begin(COMPUTE, work.start + self.random.randrange(1_500, 9_000))
        launch = _LAUNCH if category == "kernel" else {}
        self._run(thread, file, category, name, COMPUTE, work, start, duration, launch | args)
        if category == "gpu_memcpy" and "DtoH" in name:
            self.synchronize(thread, file, "cudaStreamSynchronize")

    def graph(self, thread: HostThread, file: TraceFile, kernels: int) -> None:
        """One launch of a graph that runs several kernels."""
        work = self._call(thread, file, "cudaGraphLaunch")
        start = self.gpu.begin(COMPUTE, work.start + self.random.randrange(3_000, 9_000))
        for node in range(kernels):
            duration = self._duration(4_000)
            args = _LAUNCH | {"graph id": 1, "graph node id": 100 + node}
            self._run(thread, file, "kernel", f"graph_kernel_{node % 3}", COMPUTE, work, start, duration, args)
            start += duration + 500

    def collective_call(self, thread: HostThread, file: TraceFile) -> Work:
        """The launch of a collective: its stream waits for that of computation; `start` is when its kernel begins."""
        self._wait(thread, file, COMMUNICATION, COMPUTE)
        work = self._call(thread, file, "cudaLaunchKernelExC")
        work.start = self.gpu.begin(COMMUNICATION, work.start + self.random.randrange(2_000, 8_000))
        return work

    def collective_kernel(
        self, thread: HostThread, file: TraceFile, name: str, work: Work, end: int, args: Mapping[str, object]
    ) -> None:
        """Its kernel, once it is known when it ends."""
        duration = end - work.start
        self._run(thread, file, "kernel", name, COMMUNICATION, work, work.start, duration, _LAUNCH | dict(args))

    def wait_for_collectives(self, thread: HostThread, file: TraceFile) -> None:
        """The stream of computation waits for that of communication."""
        self._wait(thread, file, COMPUTE, COMMUNICATION)

    def synchronize(self, thread: HostThread, file: TraceFile, call: str) -> None:
        """The thread waits for the stream of computation, or for the device."""
        is_stream = call == "cudaStreamSynchronize"
        correlation = next(self.correlations)
        start = thread.now
        with thread.frame(file, "cuda_runtime", call, 800, 900, correlation=correlation) as frame:
            done = self.gpu.free[COMPUTE] if is_stream else self.gpu.done
            thread.now = max(thread.now, done)
        kind = "Stream Sync" if is_stream else "Context Sync"
        stream = COMPUTE if is_stream else -1
        args = {"cuda_sync_kind": kind, "stream": stream, "correlation": correlation, "External id": frame.number}
        self._sync(thread, file, kind, stream, start, thread.now - start, args)

    def _wait(self, thread: HostThread, file: TraceFile, stream: int, other: int) -> None:
        record, wait = next(self.correlations), next(self.correlations)
        with thread.frame(file, "cuda_runtime", "cudaEventRecord", 500, 500, correlation=record):
            pass
        start = thread.now
        with thread.frame(file, "cuda_runtime", "cudaStreamWaitEvent", 500, 600, correlation=wait) as frame:
            self.gpu.wait(stream, other)
        args: dict[str, object] = {"cuda_sync_kind": "Stream Wait Event", "stream": stream, "correlation": wait}
        args |= {"wait_on_stream": other, "wait_on_cuda_event_record_corr_id": record, "wait_on_cuda_event_id": other}
        self._sync(thread, file, "Stream Wait Event", stream, start, 1_000, args | {"External id": frame.number})

    def _sync(
        self,
        thread: HostThread,
        file: TraceFile,
        name: str,
        stream: int,
        start: int,
        duration: int,
        args: Mapping[str, object],
    ) -> None:
        more = {"device": self.gpu.device, "context": 1}
        file.slice("cuda_sync", name, self.gpu.device, stream, start + thread.offset, duration, {**args, **more})

    def _call(self, thread: HostThread, file: TraceFile, call: str) -> Work:
        correlation = next(self.correlations)
        start = thread.now
        cost = self.random.randrange(2_500, 6_000)
        with thread.frame(file, "cuda_runtime", call, cost, 0, correlation=correlation) as frame:
            external = frame.number
        file.flow("ac2g", correlation, thread.pid, thread.tid, start + thread.offset, is_end=False)
        return Work(start, correlation, external)

    def _run(
        self,
        thread: HostThread,
        file: TraceFile,
        category: str,
        name: str,
        stream: int,
        work: Work,
        start: int,
        duration: int,
        args: Mapping[str, object],
    ) -> None:
        self.launched += 1
        self.gpu.free[stream] = start + duration
        own = {"External id": thread.launched(duration), "correlation": work.correlation}
        own |= {"device": self.gpu.device, "context": 1, "stream": stream}
        begin = start + thread.offset
        file.slice(category, name, self.gpu.device, stream, begin, duration, {**own, **args})
        file.flow("ac2g", work.correlation, self.gpu.device, stream, begin, is_end=True)

    def _duration(self, usual: int) -> int:
        return usual * (100 + self.slow) // 100 + self.random.randrange(-usual // 10, usual // 10)
