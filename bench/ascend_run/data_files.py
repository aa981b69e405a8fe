"""Preparation of data in generation 1: queues, the pipeline that fills them, processors."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from bench.ascend_run.csv_text import csv_text
from bench.ascend_run.program import Program
from bench.ascend_run.schedule import RankTimes
from bench.ascend_run.shape import TICKS_PER_MS, AscendShape

HOST_QUEUE_LENGTH: Final = 64
SAMPLE_MS: Final = 10
CPU_MS: Final = 1000
PROCESSORS: Final = 96


@dataclass(frozen=True, slots=True)
class DataOperation:
    """An operation of the pipeline; `fill`: how much of its queue is full, in sixteenths; None: it has no queue."""

    number: int
    kind: str
    workers: int
    length: int
    fill: int | None
    parent: int | None
    children: tuple[int, ...]
    processor: tuple[int, int]  # % of user and system time

    def sizes(self, samples: int) -> list[int]:
        """Entries of its queue at each sample."""
        assert self.fill is not None
        return [self.length * (self.fill + (-1, 0, 1)[sample % 3]) // 16 for sample in range(samples)]


# The map is what is slow: the queue that it fills is nearly empty, the one that it takes from is full.
PIPELINE: Final = (
    DataOperation(0, "Batch", 4, 64, None, None, (1,), (4, 1)),
    DataOperation(1, "Shuffle", 1, 64, 2, 0, (2,), (3, 1)),
    DataOperation(2, "Map", 2, 128, 2, 1, (3, 4), (58, 4)),
    DataOperation(3, "TFReader", 4, 64, 14, 2, (), (6, 5)),
    DataOperation(4, "TFReader", 4, 64, 13, 2, (), (5, 5)),
)
BOTTLENECK: Final = 2


def host_queue(shape: AscendShape) -> list[int]:
    """Entries in the queue of the host when each step takes from it."""
    return [0 if step == shape.starved_step else 6 + step % 5 for step in range(shape.steps)]


def data_queue(shape: AscendShape) -> list[int]:
    """Entries in the queue of the device when each step takes from it."""
    return [0 if step == shape.starved_step else 1 + step % 3 for step in range(shape.steps)]


def dequeue_points(shape: AscendShape, program: Program, times: RankTimes, rank: int) -> list[tuple[int, int]]:
    """Times of each step's request for data and of their arrival, in µs of the counter."""
    (place,) = program.order["data"]
    counter = shape.counter(rank)
    return [
        (int(times.request[step] + counter) // 100, int(times.start[step, place] + counter) // 100)
        for step in range(shape.steps)
    ]


def dequeues(shape: AscendShape, program: Program, times: RankTimes, rank: int) -> str:
    points = dequeue_points(shape, program, times, rank)
    sizes = data_queue(shape)
    return "".join(
        f"GetNext_dequeue_wait {begin} {end} {size}\n" for (begin, end), size in zip(points, sizes, strict=True)
    )


def device_queue(shape: AscendShape) -> str:
    """Lines of times (type 0: getting, pushing, both, in ms) and of the host's queue (type 1)."""
    lines = []
    for step, size in enumerate(host_queue(shape)):
        get, push = 3 + step % 2, 4
        stamp = 10 + step
        lines += [f"0 0 {step + 1} {get} {stamp}", f"0 1 {step + 1} {push} {stamp}"]
        lines += [f"0 2 {step + 1} {get + push} {stamp}", f"1 {HOST_QUEUE_LENGTH} {step + 1} {size} {stamp}"]
    return "\n".join(lines) + "\n"


def dataset_iterator(shape: AscendShape) -> str:
    """The host's queue where data are fetched without one of the device."""
    return "".join(f"1 {HOST_QUEUE_LENGTH} {step + 1} {size}\n" for step, size in enumerate(host_queue(shape)))


def pipeline(shape: AscendShape) -> str:
    """The graph of operations, the last one first."""
    operations = []
    for operation in reversed(PIPELINE):
        queue = operation.fill is not None
        sizes = operation.sizes(3 * shape.steps) if queue else []
        operations.append(
            {
                "op_id": operation.number,
                "op_type": operation.kind,
                "num_workers": operation.workers,
                "metrics": {"output_queue": {"size": sizes, "length": operation.length}} if queue else None,
                "children": list(operation.children) or None,
            }
        )
    return json.dumps({"sampling_interval": SAMPLE_MS, "op_info": operations}, indent=2)


def pipeline_table(shape: AscendShape) -> str:
    header = (
        "op_id", "op_type", "num_workers", "output_queue_size", "output_queue_average_size", "output_queue_length",
        "output_queue_usage_rate", "sample_interval", "parent_id", "children_id",
    )  # fmt: skip
    rows: list[list[object]] = []
    for operation in PIPELINE:
        if operation.fill is None:
            queue: list[object] = ["", "", "", ""]
        else:
            sizes = operation.sizes(3 * shape.steps)
            average = sum(sizes) / len(sizes)
            queue = [sizes, average, operation.length, average / operation.length]
        parent = "" if operation.parent is None else operation.parent
        children = list(operation.children) or ""
        rows.append([operation.number, operation.kind, operation.workers, *queue, SAMPLE_MS, parent, children])
    return csv_text(header, rows, "\r\n")


def processors(shape: AscendShape, rank: int) -> str:
    """Use of the machine, of the process and of its operations, in % of all processors."""
    samples = 4 * shape.steps
    user = [70 + sample % 8 for sample in range(samples)]
    system = [12 + sample % 3 for sample in range(samples)]
    waiting = [sample % 2 for sample in range(samples)]
    idle = [100 - sum(parts) for parts in zip(user, system, waiting, strict=True)]
    content = {
        "sampling_interval": CPU_MS,
        "cpu_processor_num": PROCESSORS,
        "time_stamp": [(shape.counter(rank) // TICKS_PER_MS) + CPU_MS * sample for sample in range(samples)],
        "device_info": {
            "user_utilization": user,
            "sys_utilization": system,
            "io_utilization": waiting,
            "idle_utilization": idle,
            "runable_processes": [20 + sample % 5 for sample in range(samples)],
            "context_switch_count": [9_000 + 11 * sample for sample in range(samples)],
        },
        "process_info": {
            "user_utilization": [value - 10 for value in user],
            "sys_utilization": [value - 5 for value in system],
        },
        "op_info": [
            {
                "metrics": {
                    "user_utilization": [operation.processor[0]] * samples,
                    "sys_utilization": [operation.processor[1]] * samples,
                },
                "op_id": operation.number,
            }
            for operation in PIPELINE
        ],
    }
    return json.dumps(content, indent=2)
