"""Tasks of a rank in generation 2, as columns: operators by start, and the parts of communications."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.ascend_run.program import Operator
from bench.ascend_run.schedule import RECORD
from bench.ascend_run.shape import START_NS, TICK_NS, AscendShape
from bench.ascend_run.training import Training

Ints = NDArray[np.int64]

_LEAD: Final = 2_000  # ticks from a launch to its kernel
DATA_LEAD: Final = 60  # of what the host launches when it has got data
_LAUNCH: Final = 12  # ticks from a launch to the next one, at least
_NODE_NS: Final = 10  # between a launch of the host and that of CANN in it, on both sides
_PLANE_STREAM: Final = 20
NO_ID: Final = 4294967295  # of a rank, a model, a subtask or a connection that there is not


@dataclass(frozen=True, slots=True)
class Tasks:
    """Operators of all steps by start; times in ns since the epoch."""

    place: Ints
    step: Ints
    start: Ints
    duration: Ints
    wait: Ints  # since the task before on its stream
    launch: Ints  # when the host launched it
    launch_duration: Ints
    task_id: Ints

    @property
    def node_launch(self) -> Ints:
        """Starts of the launches of CANN, each within the operator of the host."""
        return self.launch + _NODE_NS

    @property
    def node_duration(self) -> Ints:
        return self.launch_duration - 2 * _NODE_NS

    def part(self, first: int, count: int) -> Tasks:
        columns = (getattr(self, name)[first : first + count] for name in self.__slots__)
        return Tasks(*columns)

    def __len__(self) -> int:
        return len(self.place)


@dataclass(frozen=True, slots=True)
class PlaneTask:
    """A part of a communication; times in ns since the epoch."""

    start: int
    duration: int
    tid: int
    stream: int
    name: str  # in the timeline: Notify_Wait, Notify_Record, Memcpy, Reduce_Inline
    kind: str  # of the task on its stream
    peer: int
    transport: str
    link: str
    size_bytes: int


def collective_group(operator: Operator) -> int:
    """0 for all-reduces of a stage, 1 for what stages send each other."""
    return 0 if operator.kind == "AllReduce" else 1


def group_tid(shape: AscendShape, group: int) -> int:
    """The row of a group's communications; its planes are behind it."""
    return group * (shape.width + 1)


def plane_tid(shape: AscendShape, group: int, plane: int) -> int:
    return group_tid(shape, group) + 1 + plane


def epoch_ns(ticks: int) -> int:
    return START_NS + ticks * TICK_NS


def tasks(training: Training, rank: int) -> Tasks:
    program, times = training.program(rank), training.times[rank]
    operators = times.start.shape[1]
    order = np.argsort(times.start.ravel(), kind="stable")
    start, duration = times.start.ravel()[order], times.duration.ravel()[order]
    place = order % operators
    streams = np.array([operator.stream for operator in program.operators])[place]
    wait = np.zeros(len(order), np.int64)
    for stream in np.unique(streams):
        (own,) = np.nonzero(streams == stream)
        wait[own[1:]] = np.maximum(0, start[own[1:]] - start[own[:-1]] - duration[own[:-1]])
    # The host waits for the device at the end of a step: a kernel and its launch are in the same one.
    number = np.arange(len(order)) * _LAUNCH
    begin = np.append(times.host_begin, 0)[np.searchsorted(times.host_begin, start, "right") - 1]
    earliest = np.maximum(start - _LEAD, begin)
    is_data = np.isin(place, program.order["data"])
    earliest[is_data] = start[is_data] - DATA_LEAD
    launch = np.maximum.accumulate(earliest - number) + number
    launch_duration = np.minimum(200, np.diff(launch, append=launch[-1] + 200) - 2)
    return Tasks(
        place,
        order // operators,
        START_NS + start * TICK_NS,
        duration * TICK_NS,
        wait * TICK_NS,
        START_NS + launch * TICK_NS,
        launch_duration * TICK_NS,
        np.arange(len(order)) % 65_536,
    )


def plane_tasks(training: Training, rank: int, step: int, number: int) -> list[PlaneTask]:
    """The parts of a communication: plane 0 waits and copies on the chip, each peer has a plane behind it."""
    shape, program, times = training.shape, training.program(rank), training.times[rank]
    place = program.communications[number]
    operator = program.operators[place]
    begin, length = int(times.start[step, place]), int(times.duration[step, place])
    wait, linger = int(times.wait[step, number]), int(times.linger[step, number])
    met = begin + wait
    sizes = training.sizes[rank][number]
    group = collective_group(operator)
    parts: list[PlaneTask] = []

    def add(start: int, ticks: int, plane: int, name: str, kind: str, peer: int, link: str, size: int = 0) -> None:
        transport = "LOCAL" if name == "Notify_Wait" else "RDMA" if link == "RDMA" else "SDMA"
        tid, stream = plane_tid(shape, group, plane), _PLANE_STREAM + 10 * group + plane
        parts.append(PlaneTask(epoch_ns(start), ticks * TICK_NS, tid, stream, name, kind, peer, transport, link, size))

    def report(start: int, plane: int, peer: int) -> None:
        add(start, RECORD, plane, "Notify_Record", "NOTIFY_RECORD", peer, "INVALID_TYPE")

    if wait:
        add(begin, wait, 0, "Notify_Wait", "NOTIFY_WAIT", NO_ID, "INVALID_TYPE")
    done, plane = met, 0
    for peer in (int(peer) for peer in np.flatnonzero(sizes)):
        ticks, size = int(times.transit[step, number, peer]), int(sizes[peer])
        done = max(done, met + ticks)
        if peer == rank:
            add(met, ticks, 0, "Memcpy", "MEMCPY_ASYNC", NO_ID, "ON_CHIP", size)
            continue
        plane += 1
        if operator.kind == "Receive":
            add(met, ticks, plane, "Memcpy", "MEMCPY_ASYNC", peer, "RDMA", size)
            report(met + ticks, plane, peer)
            continue
        half = ticks // 2
        add(met, half, plane, "Reduce_Inline", "REDUCE_ASYNC_V2", peer, "HCCS", size // 2)
        add(met + half, ticks - half, plane, "Memcpy", "MEMCPY_ASYNC", peer, "HCCS", size - size // 2)
        report(met + ticks, plane, peer)
    if linger:
        add(done, linger, 0, "Notify_Wait", "NOTIFY_WAIT", NO_ID, "INVALID_TYPE")
    report(begin + length - RECORD, 0, rank)
    return parts
