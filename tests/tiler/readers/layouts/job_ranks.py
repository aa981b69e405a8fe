"""Jobs of ranks as PyTorch's profiler leaves them, made by chance, with the truth about them.

Each rank writes a trace in each cycle of the profiler, but for those that are lost. Clocks of ranks differ a little.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field

from tests.tiler.readers.layouts.rank_traces import BASE_NS, default_group, group, put

FIRST_US = 1000  # of the first cycle, from the base of times
CYCLE_US = 20_000_000  # from the start of one cycle to that of the next
RECORDED_US = 2_000_000  # of a cycle


class RankTruth(Struct, frozen=True):
    """Content of one trace."""

    file: Path
    cycle: int
    rank: int
    kernels: int
    kernel_ns: int


class JobTruth(Struct, frozen=True):
    """All traces of a job."""

    world_size: int
    traces: list[RankTruth] = field(default_factory=list)

    def in_cycle(self, cycle: int) -> list[RankTruth]:
        """The traces of a cycle, by rank."""
        return sorted((trace for trace in self.traces if trace.cycle == cycle), key=lambda trace: trace.rank)


class JobPlan(Struct, frozen=True):
    """The shape of a job."""

    ranks: int
    cycles: int = 1
    lost: Sequence[tuple[int, int]] = ()  # cycle and rank
    clock_us: int = 1000  # that clocks are off by, at most
    seed: int = 0

    def write(self, folder: Path) -> JobTruth:
        """Writes the traces into a folder."""
        chance = random.Random(self.seed)
        clocks_us = [chance.randint(-self.clock_us, self.clock_us) for _ in range(self.ranks)]
        truth = JobTruth(self.ranks)
        for cycle in range(self.cycles):
            for rank in range(self.ranks):
                begin_us = FIRST_US + self.clock_us + cycle * CYCLE_US + clocks_us[rank]
                events = _events(chance, rank, begin_us)
                if (cycle, rank) in self.lost:
                    continue
                written_ns = BASE_NS + (begin_us + RECORDED_US) * 1000 + chance.randint(0, 999)
                file = put(folder / f"worker{rank}.{written_ns}.pt.trace.json", self._trace(rank, events))
                kernels = [event for event in events if event.get("cat") == "kernel"]
                kernel_us = sum(int(str(event["dur"])) for event in kernels)
                truth.traces.append(RankTruth(file, cycle, rank, len(kernels), kernel_us * 1000))
        return truth

    def _trace(self, rank: int, events: list[dict[str, object]]) -> bytes:
        pair = rank // 2 * 2
        groups = [default_group(self.ranks), group("tp", *range(pair, min(pair + 2, self.ranks)))]
        head = {
            "schemaVersion": 1,
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": self.ranks, "pg_config": groups},
            "baseTimeNanoseconds": BASE_NS,
            "traceName": f"worker{rank}",
        }
        return json.dumps(head | {"traceEvents": events}).encode()


def _events(chance: random.Random, rank: int, begin_us: int) -> list[dict[str, object]]:
    """A step over all that is recorded, and kernels one after the other, each with its launch."""
    device = rank % 8
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 100 + rank, "tid": 1}
    events: list[dict[str, object]] = [
        {"ph": "M", "name": "process_name", "pid": device, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_labels", "pid": device, "tid": 0, "args": {"labels": f"GPU {device}"}},
        step | {"ts": begin_us, "dur": RECORDED_US},
    ]
    free_us = begin_us + 100
    for number in range(chance.randint(1, 30)):
        name = chance.choice(["gemm", "softmax", "ncclDevKernel_AllReduce"])
        launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100 + rank, "tid": 1}
        events.append(launch | {"ts": free_us - 50, "dur": 5, "args": {"correlation": number + 1}})
        free_us += chance.randint(0, 200)
        duration_us = chance.randint(1, 5000)
        kernel = {"ph": "X", "cat": "kernel", "name": name, "pid": device, "tid": 7, "ts": free_us, "dur": duration_us}
        events.append(kernel | {"args": {"device": device, "stream": 7, "correlation": number + 1}})
        free_us += duration_us + 60
    return events
