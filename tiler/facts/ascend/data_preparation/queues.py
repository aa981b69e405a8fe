"""Queues between hosts and devices: how full they are when a step takes from them, and how long that takes.

The data queue lies before the device, the host queue before what sends data there. Each counts its own steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tilescope.tiler.facts.cell_figures import counts, decimal_times
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible

DATA_QUEUE: Final[Mapping[str, int]] = {  # ps of the unit in which a family counts
    "minddata_aicpu": 10**6,
    "minddata_getnext_profiling": 10**3,  # of GPUs
}
HOST_QUEUES: Final = ("device_queue_profiling", "dataset_iterator_profiling")

_MS_PS: Final = 10**9
_GET_NEXT: Final = "GetNext"
_SIZE_ROW: Final = 1
_TIME_ROW: Final = 0
_AT_ONCE: Final = 1 << 15  # rows: some ten milliseconds
_MOST_PS: Final = 1 << 62


@dataclass(frozen=True)
class StepQueue:
    """A queue over steps. Columns of one length each; those of sizes and of times may differ."""

    steps: Sequence[int]
    sizes: Sequence[int]  # entries when the step takes one
    capacity: int | None  # the greatest; None: not recorded
    full: int  # steps in which it is full
    times: Mapping[str, Sequence[int]]  # ps of each step, by what takes them
    damaged: int  # rows that could not be read

    @cached_property
    def empty(self) -> int:
        """Steps in which nothing is there."""
        return sum(not size for size in self.sizes)


def data_queue(table: RunTable) -> Interruptible[StepQueue]:
    """The queue of a device: `wait` is how long each step asks for its data."""
    nodes = (yield from table.column("node")).texts()
    unit = DATA_QUEUE[table.entry.family]
    starts = decimal_times((yield from table.column("start_time")), unit)
    ends = decimal_times((yield from table.column("end_time")), unit)
    yield
    sizes = counts((yield from table.column("queue_size")))
    rows = [row for row, node in enumerate(nodes) if node is not None and node.startswith(_GET_NEXT)]
    step_sizes, waits, damaged = [], [], 0
    for row in rows:
        start, end, size = starts[row], ends[row], sizes[row]
        if start is None or end is None or size is None or not 0 <= end - start < _MOST_PS:
            damaged += 1
            continue
        step_sizes.append(size)
        waits.append(end - start)
    return StepQueue(range(1, len(step_sizes) + 1), step_sizes, None, 0, {"wait": waits}, damaged)


def host_queue(table: RunTable) -> Interruptible[StepQueue]:
    """The queue of a host: how long it takes to `get` a batch, to `push` it, and both (`batch`)."""
    columns = []
    for name in ("kind", "subtype_or_capacity", "batch"):
        columns.append(counts((yield from table.column(name))))
        yield
    cells = yield from table.column("value_or_size")
    sizes, times = counts(cells), decimal_times(cells, _MS_PS)
    yield
    queue: list[tuple[int, int, int]] = []
    lengths: dict[int, list[tuple[int, int]]] = {0: [], 1: [], 2: []}
    damaged = 0
    for row, (kind, second, batch, size, time) in enumerate(zip(*columns, sizes, times, strict=True)):
        if row % _AT_ONCE == 0:
            yield
        if kind == _SIZE_ROW and second is not None and batch is not None and size is not None:
            queue.append((batch, size, second))
        elif (
            kind == _TIME_ROW
            and second in lengths
            and batch is not None
            and time is not None
            and (0 <= time < _MOST_PS)
        ):
            lengths[second].append((batch, time))
        else:
            damaged += 1
    queue.sort(key=lambda row: row[0])
    names = {0: "get", 1: "push", 2: "batch"}
    return StepQueue(
        [batch for batch, _, _ in queue],
        [size for _, size, _ in queue],
        max((capacity for _, _, capacity in queue), default=None),
        sum(size == capacity for _, size, capacity in queue),
        {name: [time for _, time in sorted(lengths[subtype])] for subtype, name in names.items()},
        damaged,
    )
