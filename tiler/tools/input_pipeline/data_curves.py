"""Curves of the queues of data: over steps, and those of the pipeline over samples."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilescope.tiler.facts.ascend.data_preparation import DataPipeline, StepQueue
from tilescope.tiler.facts.envelope import envelope, shared_envelope
from tilescope.tiler.tools.answer import Column, Series

MOST_POINTS: Final = 2000  # of a chart
MOST_CURVES: Final = 32


def step_curve(queue: StepQueue, name: str, title: str) -> Series:
    """Entries of a queue when each step takes one."""
    steps, sizes = np.array(queue.steps, np.int64), np.array(queue.sizes, np.int64)
    points = envelope(steps, sizes, MOST_POINTS)
    lines = (
        ()
        if queue.capacity is None
        else (Column("capacity", "Capacity", "count", np.full(len(points), queue.capacity)),)
    )
    x = Column("step", "Step", "count", steps[points])
    return Series(name, f"{title} over its steps", "line", x, [Column("size", "Entries", "count", sizes[points])],
                  lines=lines)  # fmt: skip


def queue_curves(pipeline: DataPipeline) -> list[Series]:
    """Curves of the queues over samples, on one axis; those that are fuller or emptier in between are kept so."""
    queued = [operation for operation in pipeline.operations if operation.usage is not None][:MOST_CURVES]
    if not queued:
        return []
    sizes = [np.array(operation.sizes, np.int64) for operation in queued]
    points = shared_envelope(sizes, MOST_POINTS)
    ys = []
    for operation, curve in zip(queued, sizes, strict=True):
        values = np.zeros(len(points), np.int64)
        is_there = points < len(curve)
        values[is_there] = curve[points[is_there]]
        ys.append(Column(f"queue_{operation.number}", operation.name, "count", np.ma.MaskedArray(values, ~is_there)))
    return [
        Series(
            "data_samples",
            "Queues of the pipeline over samples",
            "line",
            Column("sample", "Sample", "count", points + 1),
            ys,
        )
    ]
