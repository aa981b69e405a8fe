"""Figures that verdicts about a training stand on, and the thresholds that the field holds them against."""

from __future__ import annotations

from typing import Any, Final

from bench.ascend_run import data_files, flops_files
from bench.ascend_run.step_files import average_row, step_parts, step_row
from bench.ascend_run.training import Training

THRESHOLDS: Final[dict[str, float]] = {
    "interval_ticks": 50_000,  # of the mean step: more is time lost on data
    "empty_data_queue_percent": 30,
    "processors_busy_percent": 80,
    "queue_usage_gap": 0.1,  # an operation's queue below those that it takes from
    "leaf_usage": 0.6,
    "all_usage": 0.8,
    "step_interval_over_mean_percent": 20,
    "flops_below_mean_percent": 20,
    "link_below_mean_percent": 20,
    "communication_percent": 10,
    "receive_percent": 10,
    "collective_percent": 10,
    "stage_flops_over_mean_percent": 20,
}
_WORK: Final = ("computation", "pure_communication")


def figures(training: Training) -> dict[str, Any]:
    """Sums of all ranks in ticks, of the mean step of each; quotients are left to those who compare."""
    shape = training.shape
    parts = [_mean_parts(training, rank) for rank in range(shape.ranks)]
    steps = [
        average_row([step_row(times, step) for step in range(shape.steps)]) for times in training.times
    ]  # fmt: skip
    stages = [[part for rank, part in enumerate(parts) if shape.stage(rank) == own] for own in range(shape.stages)]
    whole = _sum(parts, *_WORK)
    flops = [sum(flops_files.flops(training.program(rank))) for rank in range(shape.ranks)]
    samples = 3 * shape.steps
    data = data_files.data_queue(shape)
    return {
        "mean_intervals": [row[5] for row in steps],
        "mean_lengths": [row[2] for row in steps],
        "communication": [_sum(parts, "pure_communication"), whole],
        "receive": [_sum(parts, "receive_alone"), whole],
        "collective": [[_sum(own, "collective_alone"), _sum(own, *_WORK)] for own in stages],  # by stage
        "stage_flops": [
            sum(count for rank, count in enumerate(flops) if shape.stage(rank) == stage)
            for stage in range(shape.stages)
        ],
        "empty_data_queue": [data.count(0), len(data)],
        "queue_usage": {
            operation.number: sum(operation.sizes(samples)) / samples / operation.length
            for operation in data_files.PIPELINE
            if operation.fill is not None
        },
    }


def _sum(parts: list[dict[str, int]], *names: str) -> int:
    return sum(part[name] for part in parts for name in names)


def _mean_parts(training: Training, rank: int) -> dict[str, int]:
    program, times, cover = training.program(rank), training.times[rank], training.covers[rank]
    parts = [step_parts(program, times, cover, step) for step in range(training.shape.steps)]
    means = average_row([list(part.values()) for part in parts])
    return dict(zip(parts[0], means, strict=True))
