"""Tables of the use of processors: the machine and the process, and each operation of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from tilescope.tiler.facts.ascend.processors import Curve, Metric, OperationUse, ProcessorUse, curve_mean
from tilescope.tiler.facts.cell_figures import Figure
from tilescope.tiler.schema import Kind
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.cpu.advice import heaviest

MOST_OPERATIONS: Final = 2000

TITLES: Final = {
    Metric.USER: "User",
    Metric.SYSTEM: "System",
    Metric.IO: "IO",
    Metric.IDLE: "Idle",
    Metric.RUNNABLE: "Runnable processes",
    Metric.SWITCHES: "Context switches",
}
SHARES: Final = (Metric.USER, Metric.SYSTEM, Metric.IO, Metric.IDLE)


def means_table(uses: Sequence[ProcessorUse]) -> Table:
    """Shares of all processors that the machine and the process of each rank take, on average."""
    rows = [
        (use, part, metric, curve)
        for use in uses
        for part, curves in (("machine", use.machine), ("process", use.process))
        for metric, curve in curves.items()
        if metric in SHARES
    ]
    columns = [
        Column("figure", "Figure", "name", [TITLES[metric] for _, _, metric, _ in rows]),
        Column("part", "Of", "text", [part for _, part, _, _ in rows]),
        Column("rank", "Rank", "text", [use.place.name for use, _, _, _ in rows]),
        *_columns_of([curve for _, _, _, curve in rows], "fraction", 100),
    ]
    return Table("cpu_means", "Use of processors", columns)


def load_table(uses: Sequence[ProcessorUse]) -> Table:
    """Counts of each sample: processes that could run, and switches of contexts."""
    rows = [(use, metric, curve) for use in uses for metric, curve in use.machine.items() if metric not in SHARES]
    columns = [
        Column("figure", "Figure", "name", [TITLES[metric] for _, metric, _ in rows]),
        Column("rank", "Rank", "text", [use.place.name for use, _, _ in rows]),
        *_columns_of([curve for _, _, curve in rows], "number", 1),
    ]
    return Table("cpu_load", "Load of the machine", columns)


def _columns_of(curves: Sequence[Curve], kind: Kind, whole: int) -> list[Column]:
    """Figures of curves, divided by `whole`, and their means rounded as they are."""
    means = [curve_mean(curve) for curve in curves]
    recorded = [[value for value in curve if value is not None] for curve in curves]
    rounded = [None if value is None else round(value) for value in means]
    least = [_part(min(values, key=float, default=None), whole) for values in recorded]
    greatest = [_part(max(values, key=float, default=None), whole) for values in recorded]
    return [
        Column("mean", "Mean", kind, [_part(value, whole) for value in means], total="max"),
        Column("rounded", "As MindSpore Insight", "count", rounded, total="none"),
        Column("least", "Least", kind, least, total="none"),
        Column("greatest", "Greatest", kind, greatest, total="none"),
        Column("samples", "Samples", "count", [len(values) for values in recorded], total="none"),
    ]


def operations_table(use: ProcessorUse) -> Table:
    """Operations of the pipeline, that which takes most first."""
    operations = sorted(use.operations, key=lambda operation: (-operation.busy, operation.number))[:MOST_OPERATIONS]
    whole = sum((operation.busy for operation in use.operations), Fraction())
    heavy = heaviest(use)
    columns = [
        Column("operation", "Operation", "name", [operation.name for operation in operations]),
        Column("number", "Number", "id", [operation.number for operation in operations]),
        Column("workers", "Workers", "count", [_workers(operation) for operation in operations], total="none"),
    ]
    for metric in (Metric.USER, Metric.SYSTEM):
        means = [curve_mean(operation.curves.get(metric, ())) for operation in operations]
        title = TITLES[metric]
        columns += [
            Column(metric.value, title, "fraction", [_part(value, 100) for value in means], total="max"),
            Column(
                f"{metric.value}_rounded",
                f"{title}, as MindSpore Insight",
                "count",
                [None if value is None else round(value) for value in means],
            ),
        ]
    shares = [float(operation.busy / whole) if whole else None for operation in operations]
    verdicts = ["heavy" if operation is heavy else None for operation in operations]
    columns += [
        Column("share", "Of all operations", "fraction", shares),
        Column("verdict", "Verdict", "text", verdicts),
    ]
    return Table("cpu_operations", "Operations of the pipeline", columns)


def _part(value: Figure | None, whole: int) -> float | None:
    return None if value is None else float(Fraction(value) / whole)


def _workers(use: OperationUse) -> int | None:
    return None if use.operation is None else use.operation.workers
