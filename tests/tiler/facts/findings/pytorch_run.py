"""PyTorch runs that are made up call by call: hosts that launch, streams that work in turn, and the end of each step.

A program runs twice, with its cause and without it: the difference between the mean steps is the loss.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.device_trace import us

HOST, FIRST_GPU = 7000, 40  # processes; that of a device is so many beyond the first as its rank

MAIN, LOADER, GLOO = 7000, 7033, 7055  # threads

COMPUTE, COPIES, NETWORK = 19, 23, 31  # streams

CALL_NS = 5_000  # a launch on the host
WAY_NS = 3_000  # from the launch to an idle stream


class Rank:
    """A rank with one device. Its clocks are in ns."""

    def __init__(self, number: int = 0, world: int = 1, *, origin: int = 3_000_000) -> None:
        self.number, self.world = number, world
        self.now = origin
        self.stream_ends = {COMPUTE: 0, COPIES: 0, NETWORK: 0}
        self.step_ends: dict[int, int] = {}
        self.events: list[dict[str, Any]] = []
        self._flows = 0
        self.named("process_name", HOST, 0, name="python")
        self.named("process_labels", HOST, 0, labels="CPU")
        self.named("process_name", self.device, 0, name="python")
        self.named("process_labels", self.device, 0, labels=f"GPU {number}")
        for stream in self.stream_ends:
            self.named("thread_name", self.device, stream, name=f"stream {stream} ")

    @property
    def device(self) -> int:
        """The process of its device."""
        return FIRST_GPU + self.number

    @property
    def idle_from(self) -> int:
        """The end of all work that has been launched."""
        return max(self.stream_ends.values())

    def named(self, what: str, process: int, thread: int, **arguments: Any) -> None:
        """An event of metadata."""
        self.events.append({"ph": "M", "pid": process, "tid": thread, "name": what, "args": arguments})

    def slice(self, name: str, category: str, start: int, stop: int, **beside: Any) -> None:
        """A slice on a thread of the host, the main one unless `tid` says another."""
        event = {"ph": "X", "cat": category, "name": name, "pid": HOST, "tid": MAIN}
        self.events.append({**event, "ts": us(start), "dur": us(stop - start), **beside})

    @contextmanager
    def step(self, number: int) -> Iterator[None]:
        """A step, on the host."""
        with self.frame(f"ProfilerStep#{number}", "user_annotation"):
            yield
        self.step_ends[number] = self.idle_from

    @contextmanager
    def frame(self, name: str, category: str = "python_function") -> Iterator[None]:
        """A slice around what goes on in it."""
        start = self.now
        yield
        self.now += 1_000
        self.slice(name, category, start, self.now)

    def call(self, name: str, duration_us: int, category: str = "python_function") -> None:
        """A slice of some length."""
        self.slice(name, category, self.now, self.now + duration_us * 1000)
        self.now += duration_us * 1000

    def spend(self, duration_us: int) -> None:
        """Time of which no slice tells."""
        self.now += duration_us * 1000

    def launch(
        self,
        name: str,
        duration_us: int,
        stream: int = COMPUTE,
        category: str = "kernel",
        call: str = "cudaLaunchKernel",
        not_before: int = 0,
        **arguments: Any,
    ) -> tuple[int, int]:
        """Work on a stream: its start and stop."""
        start = max(self.stream_ends[stream], self.now + CALL_NS + WAY_NS, not_before)
        stop = start + duration_us * 1000
        self.place(name, start, stop, stream, category, call, **arguments)
        return start, stop

    def place(self, name: str, start: int, stop: int, stream: int, category: str, call: str, **arguments: Any) -> None:
        """Work at a time that was worked out."""
        self._flows += 1
        key = self._flows
        about = {"correlation": key, **arguments}
        self.slice(call, "cuda_runtime", self.now, self.now + CALL_NS, args={"correlation": key})
        flow = {"cat": "ac2g", "name": "ac2g", "id": key}
        self.events.append({**flow, "ph": "s", "pid": HOST, "tid": MAIN, "ts": us(self.now)})
        on_stream = {"pid": self.device, "tid": stream, "ts": us(start)}
        event = {"ph": "X", "cat": category, "name": name, "dur": us(stop - start), "args": about}
        self.events.append({**event, **on_stream})
        self.events.append({**flow, "ph": "f", "bp": "e", **on_stream})
        self.now += CALL_NS
        self.stream_ends[stream] = stop

    def wait(self, name: str = "cudaStreamSynchronize", *, least_us: int = 2) -> None:
        """The host waits for all work of its device."""
        stop = max(self.now + least_us * 1000, self.idle_from + 2_000)
        self.slice(name, "cuda_runtime", self.now, stop)
        self.now = stop

    def write(self, path: Path) -> Path:
        """The trace of this rank, as a file."""
        whole: dict[str, Any] = {"schemaVersion": 1, "traceEvents": self.events}
        if self.world > 1:
            whole["distributedInfo"] = {"backend": "nccl", "rank": self.number, "world_size": self.world}
        path.write_text(json.dumps(whole))
        return path


def all_reduce(ranks: Sequence[Rank], duration_us: int, *, overlapped: bool = False) -> None:
    """A collective of all ranks, which ends together: the first to come waits for the last."""
    name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    starts = []
    for rank in ranks:
        before = rank.stream_ends[NETWORK] if overlapped else rank.idle_from
        starts.append(max(before, rank.now + CALL_NS + WAY_NS))
    stop = max(starts) + duration_us * 1000
    for rank, start in zip(ranks, starts, strict=True):
        rank.place(name, start, stop, NETWORK, "kernel", "cudaLaunchKernelExC")
        if not overlapped:
            rank.stream_ends[COMPUTE] = stop


def mean_step(ranks: Sequence[Rank]) -> float:
    """Mean ns of a step: from the end of the first recorded one to that of the last, on the last rank."""
    numbers = sorted(ranks[0].step_ends)
    ends = [max(rank.step_ends[number] for rank in ranks) for number in (numbers[0], numbers[-1])]
    return (ends[1] - ends[0]) / (len(numbers) - 1)


def write_ranks(ranks: Sequence[Rank], folder: Path) -> list[Path]:
    """A file for each rank."""
    return [rank.write(folder / f"node_{rank.number}.17{rank.number}.pt.trace.json") for rank in ranks]
