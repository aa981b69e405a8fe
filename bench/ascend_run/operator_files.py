"""Operators of generation 1: times by instance and by type, of AI cores and AI CPUs, and what they work on."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from bench.ascend_run.csv_text import csv_text
from bench.ascend_run.decimals import milliseconds
from bench.ascend_run.program import Operator, Program
from bench.ascend_run.schedule import RankTimes
from bench.ascend_run.shape import TICKS_PER_MS, AscendShape

FIRST_TASK: Final = 2  # the number of a graph's first operator
DISPATCH: Final = 15_000  # ticks until an operator of an AI CPU runs


def kernel_places(program: Program) -> list[int]:
    return [place for place, operator in enumerate(program.operators) if operator.is_kernel]


def kind_places(program: Program) -> dict[str, list[int]]:
    """Places of kernels by type."""
    places = defaultdict(list)
    for place in kernel_places(program):
        places[program.operators[place].kind].append(place)
    return places


def tensors(operator: Operator, *, strings: bool = False) -> dict[str, dict[str, object]]:
    """Inputs and outputs; shapes as text in timelines, as lists in `framework_raw`."""
    result: dict[str, dict[str, object]] = {}
    for side, values in (("input", operator.inputs), ("output", operator.outputs)):
        for number, tensor in enumerate(values):
            dtype = "FLOAT32" if tensor.dtype == "FLOAT" else tensor.dtype
            if strings:
                content: dict[str, object] = {
                    "format": "DefaultFormat", "data_type": f"NUMBER_TYPE_{dtype}", "shape": tensor.dims,
                }  # fmt: skip
            else:
                content = {"format": "DEFAULT", "data_type": dtype, "shape": list(tensor.shape)}
            result[f"{side}_{number}"] = content
    return result


def operator_details(program: Program, times: RankTimes) -> str:
    """Means of each kernel, in ms."""
    steps = len(times.begin)
    rows = [
        (program.operators[place].full_name, _mean(times, place), steps) for place in kernel_places(program)
    ]  # fmt: skip
    return csv_text(("full_kernel_name", "execution_time", "execution_frequency"), rows, "\r\n")


def _mean(times: RankTimes, place: int) -> float:
    return int(times.duration[:, place].sum()) / len(times.begin) / TICKS_PER_MS


def operator_types(program: Program, times: RankTimes) -> str:
    """Totals of each type, in ms, and their shares."""
    steps = len(times.begin)
    totals = {kind: int(times.duration[:, places].sum()) for kind, places in kind_places(program).items()}
    total = sum(totals.values())
    rows = [
        (kind, milliseconds(totals[kind]), len(places) * steps, f"{100 * totals[kind] / total:.2f}")
        for kind, places in kind_places(program).items()
    ]
    return csv_text(("kernel_type", "total_time", "execution_frequency", "percent"), rows, "\r\n")


def cpu_operators(shape: AscendShape, program: Program, times: RankTimes, rank: int) -> list[list[object]]:
    """Rows of operators on AI CPUs by start; their points are µs of the counter."""
    places = [place for place, operator in enumerate(program.operators) if operator.core == "AI_CPU"]
    runs = sorted(
        (int(times.start[step, place]), int(times.duration[step, place]), program.operators[place].kind)
        for step in range(shape.steps)
        for place in places
    )
    counter = shape.counter(rank)
    return [
        [
            number + 1,
            kind,
            milliseconds(DISPATCH + length),
            milliseconds(DISPATCH),
            milliseconds(length),
            (start + counter) // 100,
            (start + length + counter) // 100,
        ]
        for number, (start, length, kind) in enumerate(runs)
    ]


def cpu_table(rows: Sequence[Sequence[object]]) -> str:
    header = (
        "serial_number", "kernel_type", "total_time", "dispatch_time", "execution_time", "run_start", "run_end",
    )  # fmt: skip
    return csv_text(header, rows, "\r\n")


def cpu_text(rows: Sequence[Sequence[object]]) -> str:
    """As AI CPUs print it."""
    lines = ["serial_number node_type_name total_time(ms) dispatch_time(ms) run_start run_end"]
    lines += [" ".join(map(str, (*row[:4], *row[5:]))) for row in rows]
    total = sum(float(str(row[2])) for row in rows)
    return "\n".join([*lines, f"AI CPU Total Time(ms): {total:.6f}"]) + "\n"


def framework(program: Program) -> str:
    """The graph's operators with their tensors."""
    header = (
        "task_id", "stream_id", "block_dim", "full_kernel_name", "op_name", "kernel_name", "kernel_type", "subgraph",
        "op_info", "graph_id",
    )  # fmt: skip
    rows = [
        (
            place + FIRST_TASK,
            operator.stream,
            block_dim(operator),
            operator.full_name,
            operator.full_name,
            operator.name,
            operator.kind,
            operator.scope.split("/")[0],
            json.dumps(tensors(operator)),
            11,
        )
        for place, operator in enumerate(program.operators)
    ]
    return csv_text(header, rows, "\r\n")


def block_dim(operator: Operator) -> int:
    return {"AI_CORE": 24, "MIX_AIC": 24, "AI_VECTOR_CORE": 48, "AI_CPU": 1, "HCCL": 0}[operator.core]


def compute_times(program: Program, times: RankTimes) -> str:
    """Means of each kernel as plain text."""
    lines = [
        "====================op compute time====================",
        "op_name       compute_time(ms) stream_id",
        "------------  ---------------  ---------",
    ]
    for place in kernel_places(program):
        operator = program.operators[place]
        lines.append(f"{operator.full_name} {_mean(times, place)}  {operator.stream}")
    return "\n".join(lines) + "\n"


def compute_types(program: Program, times: RankTimes) -> str:
    """Means of each type and step as plain text."""
    steps = len(times.begin)
    total = int(times.duration[:, kernel_places(program)].sum())
    lines = [
        "====================op compute time====================",
        "optype_name compute_time(ms, per-step) called_times(per-step) percent",
    ]
    for kind, places in kind_places(program).items():
        ticks = int(times.duration[:, places].sum())
        lines.append(f"{kind} {ticks / steps / TICKS_PER_MS} {len(places)} {round(100 * ticks / total, 2)}")
    return "\n".join(lines) + "\n"


def dynamic_shapes(shape: AscendShape, program: Program, times: RankTimes) -> str:
    """Times of operators by step in µs; the batch of a step is another one each time."""
    operators: dict[str, list[dict[str, object]]] = {}
    types: dict[str, dict[str, list[float]]] = {}
    for step in range(shape.steps):
        number, rows = str(step + 1), list[dict[str, object]]()
        sums: dict[str, list[int]] = {}
        for place in kernel_places(program):
            operator, ticks = program.operators[place], int(times.duration[step, place])
            shapes = [str([*tensor.shape[:-1], 32 + step]) for tensor in operator.inputs]
            rows.append(
                {
                    "step": step + 1,
                    "op_side": "Ascend",  # no file of a device with dynamic shapes is public
                    "op_type": operator.kind,
                    "op_name": operator.name,
                    "dur": ticks / 100,
                    "shape_info": shapes,
                }
            )
            sums.setdefault(operator.kind, []).append(ticks)
        operators[number] = rows
        types[number] = {
            kind: [sum(ticks) / 100 / len(ticks), len(ticks), sum(ticks) / 100] for kind, ticks in sums.items()
        }
    content = {"operator": operators, "kernel": {}, "operator_type": types, "kernel_type": {}}
    return json.dumps(content, indent=2)
