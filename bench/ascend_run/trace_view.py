"""Timeline of generation 2, `trace_view.json`: host, device, communication and what overlaps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.ascend_run.decimals import choices, decimal, decimals, rows
from bench.ascend_run.device_tasks import (
    DATA_LEAD,
    NO_ID,
    PlaneTask,
    Tasks,
    collective_group,
    epoch_ns,
    group_tid,
    plane_tasks,
)
from bench.ascend_run.framework import Framework, collective_name
from bench.ascend_run.kernel_tables import AT_ONCE
from bench.ascend_run.shape import START_NS, TICK_NS
from bench.ascend_run.training import Training
from bench.pod_run.wire import Cells

HOST_PID: Final = 4100
HOST_TID: Final = 4100
CANN_PID: Final = 410002
DEVICE_PID: Final = 800
HCCL_PID: Final = 410011
OVERLAP_PID: Final = 410012
_LANES: Final = ("Computing", "Communication", "Communication(Not Overlapped)", "Free")


def trace_view(training: Training, framework: Framework, rank: int, all_tasks: Tasks) -> Iterator[bytes]:
    """Pieces of the file: an array in one line."""
    metadata = _metadata(training, framework, rank)
    yield f"[{', '.join(metadata)}".encode()
    yield from _texts(_steps(training, framework, rank))
    for first in range(0, len(all_tasks), AT_ONCE):
        part = all_tasks.part(first, AT_ONCE)
        numbers = np.arange(first, first + len(part))
        if training.shape.launches:
            yield from _host_rows(training, framework, rank, part, numbers)
        yield from _device_rows(training, framework, rank, part, numbers)
    yield from _texts(_collectives(training, rank))
    yield from _overlap_rows(training, rank)
    yield b"]"


def _texts(events: Iterator[str]) -> Iterator[bytes]:
    batch: list[str] = []
    for event in events:
        batch.append(f", {event}")
        if len(batch) == AT_ONCE:
            yield "".join(batch).encode()
            batch = []
    yield "".join(batch).encode()


def _metadata(training: Training, framework: Framework, rank: int) -> list[str]:
    program = training.program(rank)
    streams = {operator.stream for operator in program.operators if operator.core != "HCCL"}
    groups: dict[int, str] = {}
    for number, place in enumerate(program.communications):
        group = collective_group(program.operators[place])
        groups[group_tid(training.shape, group)] = f"Group {group} Communication"
        for part in plane_tasks(training, rank, 0, number):
            groups[part.tid] = f"Plane {part.tid - group_tid(training.shape, group) - 1}"
            streams.add(part.stream)
    processes = {
        HOST_PID: (framework.process, "CPU", {HOST_TID: f"Thread {HOST_TID}"}),
        CANN_PID: ("CANN", "CPU", {HOST_TID: f"Thread {HOST_TID}"}),
        DEVICE_PID: ("Ascend Hardware", "NPU", {stream: f"Stream {stream}" for stream in sorted(streams)}),
        HCCL_PID: ("HCCL", "NPU", dict(sorted(groups.items()))),
        OVERLAP_PID: ("Overlap Analysis", "NPU", dict(enumerate(_LANES))),
    }
    events = []
    for order, (pid, (name, labels, threads)) in enumerate(processes.items()):
        # PyTorch's own rows begin with the phase, those of CANN end with it.
        own = pid == HOST_PID
        lines: list[tuple[str, int, dict[str, object]]] = [
            ("process_name", 0, {"name": name}),
            ("process_labels", 0, {"labels": labels}),
            ("process_sort_index", 0, {"sort_index": order}),
        ]
        for tid, thread in threads.items():
            lines += [("thread_name", tid, {"name": thread}), ("thread_sort_index", tid, {"sort_index": tid})]
        for kind, tid, args in lines:
            event = {"name": kind, "pid": pid, "tid": tid, "args": args}
            events.append(json.dumps({"ph": "M"} | event if own else event | {"ph": "M"}))
    return events


def _steps(training: Training, framework: Framework, rank: int) -> Iterator[str]:
    """Steps, and the waits for their data."""
    times, program = training.times[rank], training.program(rank)
    (place,) = program.order["data"]
    for step in range(training.shape.steps):
        begin, end = int(times.host_begin[step]), int(times.end[step])
        yield _host_event(f"ProfilerStep#{step + 1}", begin, end)
        if framework.label == "pt":
            loader = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
            yield _host_event(loader, int(times.request[step]), int(times.start[step, place]) - DATA_LEAD)


def _host_event(name: str, begin: int, end: int) -> str:
    ts, dur = decimal(epoch_ns(begin), 3, 3), decimal((end - begin) * TICK_NS, 3, 1)
    return (
        f'{{"ph": "X", "name": "{name}", "pid": {HOST_PID}, "tid": {HOST_TID}, "ts": "{ts}", "dur": {dur}, '
        '"cat": "cpu_op", "args": {"Sequence number": -1, "Fwd thread id": 0}}'
    )


def _host_rows(
    training: Training, framework: Framework, rank: int, part: Tasks, numbers: NDArray[np.int64]
) -> Iterator[bytes]:
    """Rows of each task on the host: its operator, its launch by CANN, and the flows to it."""
    program, count = training.program(rank), len(part)
    host_names = [framework.host_name(operator) for operator in program.operators]
    device_pid, lane = _lanes(training, rank, part)
    launch, start = decimals(part.launch, 3, 3), decimals(part.start, 3, 3)
    inner, duration = decimals(part.node_launch, 3, 3), decimals(part.launch_duration, 3, 1)
    shorter = decimals(part.node_duration, 3, 1)
    connection = decimals(numbers, 0)
    flow = decimals(numbers << 32 | 0xFFFFFFFF, 0)
    host = f'"pid": {HOST_PID}, "tid": {HOST_TID}, "ts": "'
    cann = f'"pid": {CANN_PID}, "tid": {HOST_TID}, "ts": "'
    named = choices([f', {{"ph": "X", "name": "{name}", {host}' for name in host_names], part.place)
    launched = choices(
        [f'"Mode": "launch", "level": "node", "id": "{name}", "item_id": "' for name in host_names], part.place
    )
    kinds = choices([f'{operator.kind}", "connection_id": ' for operator in program.operators], part.place)
    between = f'"bp": "e", "name": "{framework.flow}", "id": '
    yield rows(
        named, launch, '", "dur": ', duration,
        ', "cat": "cpu_op", "args": {"Sequence number": -1, "Fwd thread id": 0}}',
        f', {{"name": "Node@launch", {cann}', inner, '", "dur": ', shorter, f', "args": {{"Thread Id": {HOST_TID}, ',
        launched, kinds, connection, '}, "ph": "X"}',
        ', {"name": "HostToDevice', flow, '", "ph": "s", "cat": "HostToDevice", "id": "', flow, f'", {cann}', inner,
        '"}, {"name": "HostToDevice', flow, '", "ph": "f", "id": "', flow, '", "ts": "', start,
        '", "cat": "HostToDevice", "pid": ', device_pid, ', "tid": ', lane, ', "bp": "e"}',
        f', {{"ph": "s", {between}', decimals(part.start, 0), f', {host}', launch, '", "cat": "async_npu"}',
        f', {{"ph": "f", {between}', decimals(part.start, 0), ', "pid": ', device_pid, ', "tid": ', lane, ', "ts": "',
        start, '", "cat": "async_npu"}',
        count=count,
    ).joined()  # fmt: skip


def _lanes(training: Training, rank: int, part: Tasks) -> tuple[Cells, Cells]:
    """Process and thread of each task's row on the device."""
    operators = training.program(rank).operators
    collective = [operator.core == "HCCL" for operator in operators]
    pids = choices([str(HCCL_PID if own else DEVICE_PID) for own in collective], part.place)
    tids = [
        group_tid(training.shape, collective_group(operator)) if own else operator.stream
        for own, operator in zip(collective, operators, strict=True)
    ]
    return pids, choices([str(tid) for tid in tids], part.place)


def _device_rows(
    training: Training, framework: Framework, rank: int, part: Tasks, numbers: NDArray[np.int64]
) -> Iterator[bytes]:
    """Kernels on their streams; collectives are on rows of their own."""
    operators = training.program(rank).operators
    heads = [
        f', {{"name": "{framework.kernel_name(operator)}", "pid": {DEVICE_PID}, "tid": {operator.stream}, "ts": "'
        for operator in operators
    ]
    tails = [
        f', "args": {{"Model Id": {NO_ID}, "Task Type": "{operator.core}", "Stream Id": {operator.stream}, "Task Id": '
        for operator in operators
    ]
    cells = rows(
        choices(heads, part.place), decimals(part.start, 3, 3), '", "dur": ', decimals(part.duration, 3, 1),
        choices(tails, part.place), decimals(part.task_id, 0),
        f', "Batch Id": 0, "Subtask Id": {NO_ID}, "connection_id": ', decimals(numbers, 0), '}, "ph": "X"}',
        count=len(part),
    )  # fmt: skip
    yield cells.only(np.array([operator.core != "HCCL" for operator in operators])[part.place]).joined()


def _collectives(training: Training, rank: int) -> Iterator[str]:
    """Collectives, the parts of each on its planes, and the same parts as tasks on streams."""
    program, times = training.program(rank), training.times[rank]
    task = 0
    for step in range(training.shape.steps):
        for number, place in enumerate(program.communications):
            operator = program.operators[place]
            start, ticks = int(times.start[step, place]), int(times.duration[step, place])
            ts, dur = decimal(epoch_ns(start), 3, 3), decimal(ticks * TICK_NS, 3, 1)
            lane = group_tid(training.shape, collective_group(operator))
            yield (
                f'{{"name": "{collective_name(operator, number, step)}", "pid": {HCCL_PID}, "tid": {lane}, '
                f'"ts": "{ts}", "dur": {dur}, "args": {{"connection_id": {place}}}, "ph": "X"}}'
            )
            for part in plane_tasks(training, rank, step, number):
                yield from _plane_rows(part, rank, task)
                task += 1


def _plane_rows(part: PlaneTask, rank: int, task: int) -> Iterator[str]:
    ts, dur = decimal(part.start, 3, 3), decimal(part.duration, 3, 1)
    moves = part.size_bytes > 0
    args = {
        "notify_id": 1.8446744073709552e19 if moves else 160 + part.tid,
        "duration estimated(us)": part.duration / 1000 if moves else 0.02,
        "stream id": part.stream,
        "task id": task,
        "task type": part.name,
        "src rank": rank,
        "dst rank": part.peer,
        "transport type": part.transport,
        "size(Byte)": part.size_bytes,
        "data type": "FP16" if part.name == "Reduce_Inline" else "INVALID_TYPE",
        "link type": part.link,
        "bandwidth(GB/s)": part.size_bytes / part.duration if moves else 0.0,
    }
    yield (
        f'{{"name": "{part.name}", "pid": {HCCL_PID}, "tid": {part.tid}, "ts": "{ts}", "dur": {dur}, '
        f'"args": {json.dumps(args)}, "ph": "X"}}'
    )
    on_stream = {
        "Model Id": NO_ID,
        "Task Type": part.kind,
        "Stream Id": part.stream,
        "Task Id": task,
        "Batch Id": 0,
    }
    on_stream |= {"Subtask Id": NO_ID, "connection_id": NO_ID}
    yield (
        f'{{"name": "{part.kind}", "pid": {DEVICE_PID}, "tid": {part.stream}, "ts": "{ts}", "dur": {dur}, '
        f'"args": {json.dumps(on_stream)}, "ph": "X"}}'
    )


def _overlap_rows(training: Training, rank: int) -> Iterator[bytes]:
    cover = training.covers[rank]
    lanes = (cover.computation, cover.communication, cover.pure_communication, cover.free)
    for tid, (name, lane) in enumerate(zip(_LANES, lanes, strict=True)):
        for first in range(0, len(lane.start), AT_ONCE):
            start, end = lane.start[first : first + AT_ONCE], lane.end[first : first + AT_ONCE]
            yield rows(
                f', {{"name": "{name}", "pid": {OVERLAP_PID}, "tid": {tid}, "ts": "',
                decimals(START_NS + start * TICK_NS, 3, 3),
                '", "dur": ',
                decimals((end - start) * TICK_NS, 3, 1),
                ', "ph": "X"}',
                count=len(start),
            ).joined()
