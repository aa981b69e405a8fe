"""Tables of the preparation of data: its stages, the operations of a pipeline, and the queues between them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from tilescope.tiler.facts.ascend.data_preparation import (
    NODE_TIMES,
    DataNode,
    DataOperation,
    DataPipeline,
    DataPreparation,
    DataStage,
)
from tilescope.tiler.schema import Kind
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table, Value

MOST_OPERATIONS: Final = 2000  # that a picture can show

_STAGE_TITLES: Final = {
    DataStage.PROCESSING: "Processing on the host",
    DataStage.SENDING: "Sending to the device",
    DataStage.READING: "Reading on the device",
}
_STAGE_COLUMNS: Final[Sequence[tuple[str, str, Kind]]] = (
    ("stage", "Stage", "name"),
    ("rank", "Rank", "text"),
    ("verdict", "Verdict", "text"),
    ("in_doubt", "Steps in doubt", "count"),
    ("queue", "Queue", "text"),
    ("empty", "Empty", "count"),
    ("full", "Full", "count"),
    ("steps", "Steps", "count"),
    ("share", "Empty of all", "fraction"),
    ("time", "Time", "ticks"),
    ("mean", "Mean of a step", "ticks"),
)
_NODE_TITLES: Final = ("Compute", "Copy", "Dispatch", "Total")


def ticks_of_ps(total_ps: int, count: int, tick_ps: int) -> int:
    """The mean of `count` times, to the nearest tick."""
    return nearest_mean(total_ps, count * tick_ps)


def stages_table(preparations: Sequence[DataPreparation], tick_ps: int) -> Table:
    """Stages of each rank: what they take of each step, and the queues by which they are judged."""
    rows: list[list[Value]] = []
    for preparation in preparations:
        host, data = preparation.host_queue, preparation.data_queue
        stages = (
            (DataStage.PROCESSING, "Host queue, after it", host, "get"),
            (DataStage.SENDING, "Data queue, after it", data, "push"),
            (DataStage.READING, "Data queue, before it", data, "wait"),
        )
        for stage, place, queue, time in stages:
            source = data if time == "wait" else host
            times = [] if source is None else source.times.get(time, [])
            steps = 0 if queue is None else len(queue.sizes)
            verdict = "warning" if preparation.stage_in_doubt is stage else "normal"
            rows.append([
                _STAGE_TITLES[stage],
                preparation.place.name,
                verdict if preparation.has_queues else None,
                preparation.steps_in_doubt.get(stage),
                place,
                None if queue is None else queue.empty,
                None if queue is None or queue.capacity is None else queue.full,
                steps,
                None if queue is None or not steps else queue.empty / steps,
                ticks_of_ps(sum(times), 1, tick_ps) if times else None,
                ticks_of_ps(sum(times), len(times), tick_ps) if times else None,
            ])  # fmt: skip
    cells = zip(*rows, strict=True)
    return Table(
        "data_stages",
        "Stages of data preparation",
        [
            Column(name, title, kind, list(values), total="none")
            for (name, title, kind), values in zip(_STAGE_COLUMNS, cells, strict=True)
        ],
    )


def operations_table(pipeline: DataPipeline) -> Table:
    """Operations by number, with the queue behind each."""
    slow = {operation.number for operation in pipeline.bottlenecks}
    operations = pipeline.operations[:MOST_OPERATIONS]
    columns = [
        Column("operation", "Operation", "name", [operation.name for operation in operations]),
        Column("number", "Number", "id", [operation.number for operation in operations]),
        Column("workers", "Workers", "count", [operation.workers for operation in operations], total="none"),
        Column("usage", "Queue filled", "fraction", [_float(operation.usage) for operation in operations], total="max"),
        Column("average", "Entries, mean", "number", [_float(operation.average) for operation in operations]),
        Column("length", "Queue length", "count", [operation.length for operation in operations], total="none"),
        Column(
            "verdict",
            "Verdict",
            "text",
            ["bottleneck" if operation.number in slow else None for operation in operations],
        ),
        Column("takes_from", "Takes from", "text", [_numbers(operation.children) for operation in operations]),
        Column("gives_to", "Gives to", "text", [_numbers(operation.parents) for operation in operations]),
    ]
    return Table("data_operations", "Operations of the pipeline", columns)


def queues_table(pipeline: DataPipeline) -> Table:
    """A row for each operation and each that takes from it, by their rows; -1: what sends data to the device."""
    operations = pipeline.operations[:MOST_OPERATIONS]
    rows = {operation.number: row for row, operation in enumerate(operations)}
    ends: list[tuple[DataOperation, int]] = []
    for operation in operations:
        parents = [rows[parent] for parent in operation.parents if parent in rows]
        ends += [(operation, parent) for parent in (parents or [-1])]
    ends = [(operation, parent) for operation, parent in ends if parent >= 0 or operation.usage is not None]
    columns = [
        Column("source", "From", "id", [rows[operation.number] for operation, _ in ends]),
        Column("target", "To", "id", [parent for _, parent in ends]),
        Column("queue", "Queue of", "name", [operation.name for operation, _ in ends]),
        Column("usage", "Filled", "fraction", [_float(operation.usage) for operation, _ in ends], total="max"),
        Column("samples", "Samples", "count", [len(operation.sizes) for operation, _ in ends], total="none"),
        Column("empty", "Empty", "count", [operation.empty for operation, _ in ends]),
        Column("full", "Full", "count", [operation.full for operation, _ in ends]),
    ]  # fmt: skip
    return Table("data_queues", "Queues of the pipeline", columns)


def nodes_table(nodes: Sequence[DataNode], tick_ps: int) -> Table:
    """Operators of AI CPUs that fetch data: their calls, and the times of all of them."""
    named = nodes[:MOST_OPERATIONS]
    columns = [
        Column("name", "Operator", "name", [node.name for node in named]),
        Column("rank", "Rank", "text", [node.place.name for node in named]),
        Column("count", "Count", "count", [node.count for node in named]),
    ]
    for position, (time, title) in enumerate(zip(NODE_TIMES, _NODE_TITLES, strict=True)):
        lengths = [node.times[position] for node in named]
        ticks = [None if length is None else ticks_of_ps(length, 1, tick_ps) for length in lengths]
        columns.append(Column(time.removesuffix("_time"), title, "ticks", ticks))
    return Table("data_nodes", "Operators of AI CPUs that fetch data", columns)


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _numbers(numbers: Sequence[int]) -> str | None:
    return ", ".join(map(str, numbers)) or None
