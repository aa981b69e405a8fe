"""Tables of kernels in generation 2: each one, sums by type, caches, AI CPUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.ascend_run.csv_text import csv_text
from bench.ascend_run.decimals import choices, decimal, decimals, either, rows
from bench.ascend_run.device_tasks import NO_ID, Tasks
from bench.ascend_run.framework import Framework, collective_name, kernel_type
from bench.ascend_run.operator_files import DISPATCH, block_dim
from bench.ascend_run.program import Operator, Program
from bench.ascend_run.shape import START_NS, TICK_NS
from bench.ascend_run.training import Training

AT_ONCE: Final = 50_000  # rows
_ABSENT: Final = ",".join(["N/A"] * 14)
_MAC_RATIO, _VECTOR_RATIO = "0.8868", "0.0822"


def step_labels(training: Training, rank: int, part: Tasks) -> NDArray[np.int64]:
    """The step during which each task begins; 0 before the first one."""
    times = training.times[rank]
    begins = times.host_begin * TICK_NS
    return np.searchsorted(begins, part.start - START_NS, "right").astype(np.int64)


def kernel_details(training: Training, framework: Framework, rank: int, all_tasks: Tasks) -> Iterator[bytes]:
    """A row for each kernel and collective, by start."""
    program = training.program(rank)
    yield f"{framework.kernel_header}\n".encode()
    names = [_name_columns(framework, operator, rank) for operator in program.operators]
    shapes = [_tensor_columns(framework, operator) for operator in program.operators]
    numbers = {place: number for number, place in enumerate(program.communications)}
    cube = np.array([operator.cube_flops > 0 for operator in program.operators])
    vector = np.array([operator.vector_flops > 0 for operator in program.operators])
    kernel = np.array([operator.is_kernel for operator in program.operators])
    collective = np.array([operator.core == "HCCL" for operator in program.operators])
    cube_tail = [f",{_MAC_RATIO},0,{operator.cube_flops},0," for operator in program.operators]
    vector_tail = [f",{_VECTOR_RATIO},0,0,0.0002,0,{operator.vector_flops}" for operator in program.operators]
    labels = ["", *(str(step + 1) for step in range(training.shape.steps))]
    for first in range(0, len(all_tasks), AT_ONCE):
        part = all_tasks.part(first, AT_ONCE)
        place = part.place
        is_collective, is_cube, is_vector, is_kernel = (column[place] for column in (collective, cube, vector, kernel))
        full = [
            collective_name(program.operators[own], numbers[own], step) if own in numbers else ""
            for own, step in zip(place.tolist(), part.step.tolist(), strict=True)
        ]
        core_time = part.duration * 95 // 100
        aic = rows(decimals(core_time, 3), ",", decimals(core_time, 0), choices(cube_tail, place), count=len(part))
        aiv = rows(decimals(core_time, 3), ",", decimals(core_time, 0), choices(vector_tail, place), count=len(part))
        metrics = either(is_cube, aic, "0,0,0,0,0,0,").then(either(is_vector, aiv, "0,0,0,0,0,0,0,0"))
        yield rows(
            choices(labels, step_labels(training, rank, part)),
            f",{rank},{NO_ID}," if framework.is_new else f",{NO_ID},",
            either(is_collective, "N/A", decimals(part.task_id, 0)),
            ",",
            choices([columns[0] for columns in names], place),
            choices(full, np.arange(len(part))),
            choices([columns[1] for columns in names], place),
            decimals(part.start, 3),
            "\t,",
            decimals(part.duration, 3),
            ",",
            decimals(part.wait, 3),
            choices(shapes, place),
            either(is_kernel, metrics, _ABSENT),
            "\n",
            count=len(part),
        ).joined()


def _name_columns(framework: Framework, operator: Operator, rank: int) -> tuple[str, str]:
    """Stream and name; type and core. Names of collectives count, and stand between both."""
    collective = operator.core == "HCCL"
    stream = "N/A" if collective else str(operator.stream)
    name = "" if collective else framework.kernel_name(operator)
    state = ("N/A," if collective else "dynamic,") if framework.is_new else ""
    return f"{stream},{name}", f",{kernel_type(operator)},{state}{operator.core},"


def _tensor_columns(framework: Framework, operator: Operator) -> str:
    """Columns from the blocks to the context, with the commas around them."""
    if operator.core == "HCCL":
        absent = ["N/A"] * (9 if framework.is_new else 8)
        return f",0,{','.join(absent)},"
    eligible = "NO," if framework.is_new else ""
    sides = []
    for tensors in (operator.inputs, operator.outputs):
        shapes = ";".join(tensor.dims for tensor in tensors)
        dtypes = ";".join(tensor.dtype for tensor in tensors) or "UNDEFINED"
        formats = ";".join(["FORMAT_ND"] * len(tensors)) or "NULL"
        sides.append(f'"""{shapes}""",{dtypes},{formats}')
    return f",{block_dim(operator)},0,{eligible}{','.join(sides)},N/A,"


def type_sums(training: Training, rank: int) -> list[tuple[str, str, int, int, int, int]]:
    """Type, core, count, total, least and most in ticks, the longest first; collectives are left out."""
    program, times = training.program(rank), training.times[rank]
    places: dict[tuple[str, str], list[int]] = {}
    for place, operator in enumerate(program.operators):
        if operator.core != "HCCL":
            places.setdefault((kernel_type(operator), operator.core), []).append(place)
    sums = []
    for (kind, core), chosen in places.items():
        durations = times.duration[:, chosen]
        sums.append(
            (kind, core, durations.size, int(durations.sum()), int(durations.min()), int(durations.max()))
        )  # fmt: skip
    return sorted(sums, key=lambda row: -row[3])


def op_statistic(training: Training, rank: int) -> str:
    header = (
        "Device_id", "OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)", "Avg Time(us)", "Max Time(us)",
        "Ratio(%)",
    )  # fmt: skip
    sums = type_sums(training, rank)
    whole = sum(row[3] for row in sums)
    lines = [
        (rank, kind, core, count, decimal(total, 2), decimal(least, 2), round(total / count / 100, 3), decimal(most, 2),
         round(100 * total / whole, 3))
        for kind, core, count, total, least, most in sums
    ]  # fmt: skip
    return csv_text(header, lines)


def l2_cache(training: Training, framework: Framework, rank: int, all_tasks: Tasks) -> Iterator[bytes]:
    """Hit rates of kernels on AI cores; a rate belongs to an operator's place."""
    program = training.program(rank)
    yield b"Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n"
    kernel = np.array([operator.is_kernel for operator in program.operators])
    heads = [f"{rank},{operator.stream}," for operator in program.operators]
    tails = [
        f",{decimal(hit_rate(place), 4)},{decimal(place % 31, 4)},{framework.kernel_name(operator)}\n"
        for place, operator in enumerate(program.operators)
    ]
    for first in range(0, len(all_tasks), AT_ONCE):
        part = all_tasks.part(first, AT_ONCE)
        cells = rows(choices(heads, part.place), decimals(part.task_id, 0), choices(tails, part.place), count=len(part))
        yield cells.only(kernel[part.place]).joined()


def hit_rate(place: int) -> int:
    """In ten-thousandths."""
    return 7_000 + place * 37 % 3_000


def data_preprocess(program: Program, rank: int, all_tasks: Tasks) -> str:
    """Operators on AI CPUs."""
    header = (
        "Device_id", "Timestamp(us)", "Node", "Compute_time(us)", "Memcpy_time(us)", "Task_time(us)",
        "Dispatch_time(us)", "Total_time(us)", "Stream ID", "Task ID",
    )  # fmt: skip
    chosen = np.flatnonzero(np.array([operator.core == "AI_CPU" for operator in program.operators])[all_tasks.place])
    lines = []
    for index in chosen.tolist():
        operator = program.operators[int(all_tasks.place[index])]
        length, start = int(all_tasks.duration[index]), int(all_tasks.start[index])
        dispatch = DISPATCH * TICK_NS
        lines.append(
            (rank, decimal(start, 3) + "\t", operator.kind, decimal(length, 3), 0, decimal(length, 3),
             decimal(dispatch, 3), decimal(dispatch + length, 3), operator.stream, int(all_tasks.task_id[index]))
        )  # fmt: skip
    return csv_text(header, lines)
