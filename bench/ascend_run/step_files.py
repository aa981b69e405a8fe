"""Steps and timeline of generation 1: step trace, what a stage computes and waits, the events of a rank."""

from __future__ import annotations

import json
from typing import Final

from bench.ascend_run.csv_text import csv_text
from bench.ascend_run.decimals import decimal, milliseconds
from bench.ascend_run.intervals import Cover
from bench.ascend_run.operator_files import FIRST_TASK, tensors
from bench.ascend_run.program import Operator, Program
from bench.ascend_run.schedule import RankTimes
from bench.ascend_run.shape import TICKS_PER_MS, AscendShape

_FIXED: Final = (
    "step_num", "start_point", "end_point", "total", "fp_point", "bp_point", "iteration_interval", "fp_and_bp", "tail",
)  # fmt: skip
AI_CPU_PID: Final = 9000
COMMUNICATION_PID: Final = 10000


def reduce_name(program: Program, place: int) -> str:
    """The name of a communication in step traces: its stream and its number there."""
    operator = program.operators[place]
    same = [other for other in program.communications if program.operators[other].stream == operator.stream]
    return f"stream_{operator.stream}_{same.index(place)}_{operator.name}"


def step_row(times: RankTimes, step: int) -> list[int]:
    """A step as the fixed columns behind its number have it, without the counter."""
    begin, end = int(times.begin[step]), int(times.end[step])
    forward, backward = int(times.forward[step]), int(times.backward[step])
    return [begin, end, end - begin, forward, backward, forward - begin, backward - forward, end - backward]


def average_row(rows: list[list[int]]) -> list[int]:
    """The means of all steps but the first, as real files have them."""
    counted = rows[1:] or rows
    return [round(sum(column) / len(counted)) for column in zip(*counted, strict=True)]


def step_trace(shape: AscendShape, program: Program, times: RankTimes, rank: int) -> str:
    """Points on the device's counter; a communication is its length, then its points."""
    counter = shape.counter(rank)
    rows = []
    for step in range(shape.steps):
        row = step_row(times, step)
        for point in (0, 1, 3, 4):
            row[point] += counter
        for place in program.communications:
            start, length = int(times.start[step, place]) + counter, int(times.duration[step, place])
            row += [length, start, start + length]
        rows.append(row)
    header = list(_FIXED)
    for place in program.communications:
        name = reduce_name(program, place)
        header += [name, f"{name}_start_point", f"{name}_end_point"]
    numbered: list[list[object]] = [[step + 1, *row] for step, row in enumerate(rows)]
    return csv_text(header, [*numbered, ["-", *average_row(rows)]], "\r\n")


def step_parts(
    program: Program, times: RankTimes, rank_cover: Cover, step: int, *, host: bool = False
) -> dict[str, int]:
    """Ticks of each part of a step, which begins with the host's in generation 2."""
    begin, end = int((times.host_begin if host else times.begin)[step]), int(times.end[step])
    computation = rank_cover.computation.within(begin, end)
    communication = rank_cover.communication.within(begin, end)
    pure = rank_cover.pure_communication.within(begin, end)
    receives = sum(int(times.duration[step, place]) for place in program.places("Receive"))
    return {
        "computation": computation,
        "communication": communication,
        "pure_communication": pure,
        "overlapped": communication - pure,
        "free": end - begin - computation - pure,
        "receive_alone": receives,  # nothing else runs meanwhile
        "collective_alone": pure - receives,
        "stage": computation + pure - receives,
    }


def cluster_analysis(shape: AscendShape, program: Program, times: RankTimes, rank_cover: Cover) -> tuple[str, str]:
    """The middle of the file's name, and its text: times of a stage in ms, or step times in ticks without stages."""
    rows: list[list[int]]
    if shape.stages == 1:
        rows = [step_row(times, step)[5:] for step in range(shape.steps)]
        lines = ["iteration_interval, fp_and_bp, tail"]
        lines += [", ".join(map(str, row)) for row in [*rows, average_row(rows)]]
        return f"data-parallel_{shape.stages}_{shape.ranks}", "\n".join(lines) + "\n"
    names = ("computation", "pure_communication", "stage", "receive_alone", "collective_alone")
    header = (
        "computation_time", "communication_alone_time", "stage_time", "receive_alone_time",
        "collective_communication_alone_time",
    )  # fmt: skip
    parts = [step_parts(program, times, rank_cover, step) for step in range(shape.steps)]
    rows = [[part[name] for name in names] for part in parts]
    rounded = [[round(ticks / TICKS_PER_MS, 4) for ticks in row] for row in [*rows, average_row(rows)]]
    return f"pipeline-parallel_{shape.stages}_{shape.ranks}", csv_text(header, rounded)


def timeline_rows(program: Program, times: RankTimes) -> list[tuple[int, int, int]]:
    """Start, step and place of all events, by start."""
    steps, operators = times.start.shape
    starts = times.start.ravel().tolist()
    order = sorted(range(steps * operators), key=starts.__getitem__)
    return [(starts[index], *divmod(index, operators)) for index in order]


def timeline(program: Program, times: RankTimes, rank: int) -> str:
    """Events in µs since the counter."""
    events = []
    for start, step, place in timeline_rows(program, times):
        operator = program.operators[place]
        ts, dur = decimal(start, 2, 1), decimal(int(times.duration[step, place]), 2, 1)
        events.append(_event(program, operator, place, ts, dur, rank))
    return f"[{','.join(events)}]"


def _event(program: Program, operator: Operator, place: int, ts: str, dur: str, rank: int) -> str:
    if operator.core == "HCCL":
        name, pid, more = reduce_name(program, place), COMMUNICATION_PID, ""
    elif operator.core == "AI_CPU":
        name, pid, more = operator.kind, AI_CPU_PID, ""
    else:
        details = {"type": operator.kind, "fullname": operator.full_name, **tensors(operator, strings=True)}
        name, pid, more = operator.name, rank, f', "args": {json.dumps(details)}'
    tid = 0 if pid == AI_CPU_PID else operator.stream
    return f'{{"name": "{name}", "ph": "X", "tid": "{tid}", "ts": {ts}, "dur": {dur}, "pid": {pid}{more}}}'


def timeline_summary(program: Program, times: RankTimes) -> str:
    """Sums of kernels alone, as real files count."""
    places = [place for place, operator in enumerate(program.operators) if operator.is_kernel]
    total = int(times.duration[:, places].sum())
    streams = len({program.operators[place].stream for place in places})
    summary = {
        "total_time": total / 100,
        "num_of_streams": streams,
        "num_of_ops": len(places),
        "op_exe_times": len(places) * len(times.begin),
        "max_scope_name_num": max(operator.scope.count("/") + 1 for operator in program.operators),
    }
    return json.dumps(summary)


def output_timeline(shape: AscendShape, program: Program, times: RankTimes, rank: int) -> str:
    """Kernels in ms of the device's counter."""
    lines = ["op_name, stream_id, start_time(ms), duration(ms)"]
    for start, step, place in timeline_rows(program, times):
        operator = program.operators[place]
        if operator.is_kernel:
            begin, length = milliseconds(start + shape.counter(rank)), milliseconds(int(times.duration[step, place]))
            lines.append(f"{operator.full_name},{operator.stream},{begin},{length}")
    return "\n".join(lines) + "\n"


def hardware_schedule(shape: AscendShape, program: Program, times: RankTimes, rank: int) -> str:
    """Begins and ends of kernels on the device's counter, by time."""
    points = []
    for start, step, place in timeline_rows(program, times):
        operator = program.operators[place]
        if operator.is_kernel:
            begin = start + shape.counter(rank)
            points.append((begin, "Start of task", place, operator.stream))
            points.append((begin + int(times.duration[step, place]), "End of task", place, operator.stream))
    lines = [
        "====================45 HWTS data====================",
        "Type           cnt  Core_ID  Block_ID  Task_ID  Cycle_counter   Stream_ID",
    ]
    for number, (point, kind, place, stream) in enumerate(sorted(points, key=lambda row: row[0])):
        task = f"{stream}_{place + FIRST_TASK}"
        lines.append(f"{kind:<13}  {number:<3}  0        0         {task:<7}  {point:<14}  {stream}")
    return "\n".join(lines) + "\n"


def step_points(program: Program) -> str:
    first, last = program.order["forward"][0], program.order["backward"][-1]
    names = {"fp_start": program.operators[first].full_name, "bp_end": program.operators[last].full_name}
    return json.dumps(names)
