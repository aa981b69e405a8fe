"""Memory of generation 2: allocations, what is in use after each, memory of the runtime's modules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.ascend_run.csv_text import csv_text
from bench.ascend_run.decimals import choices, decimal, decimals, either, rows
from bench.ascend_run.framework import Framework
from bench.ascend_run.kernel_tables import AT_ONCE
from bench.ascend_run.shape import START_NS, TICK_NS
from bench.ascend_run.training import Training
from bench.pod_run.wire import Cells

Ints = NDArray[np.int64]

_WEIGHT_BYTES: Final = 16 << 20
_BLOCK_BYTES: Final = 20 << 20  # by which the allocator reserves
GRAPH_ENGINE_BYTES: Final = 64 << 20
NEVER: Final = -1
_STREAM_PTR: Final = 187651
_MODULES: Final = (("RUNTIME", 12), ("HCCL", 412), ("SLOG", 2), ("AICPU", 30))  # MiB


@dataclass(frozen=True, slots=True)
class Allocations:
    """Allocations by time; times in ns since the epoch, NEVER where memory is not released."""

    place: Ints  # of the operator; NEVER for weights
    size: Ints
    start: Ints
    end: Ints
    moments: Ints  # of all events, in their order
    used: Ints  # bytes in use after each event
    at_start: Ints  # indices of the allocations' events
    at_end: Ints


def allocations(training: Training, rank: int) -> Allocations:
    """Weights before all; outputs of forward operators until the backward part of their layer."""
    program, times = training.program(rank), training.times[rank]
    places = [*program.order["forward"]]
    last = [program.layer_ends[program.operators[place].layer] for place in places]
    sizes = [sum(tensor.size_bytes for tensor in program.operators[place].outputs) for place in places]
    weights = training.shape.layers
    first = np.full(weights, START_NS - 1_000_000) + np.arange(weights)
    place = np.concatenate([np.full(weights, NEVER), np.tile(places, training.shape.steps)])
    size = np.concatenate([np.full(weights, _WEIGHT_BYTES), np.tile(sizes, training.shape.steps)])
    start = np.concatenate([first, START_NS + times.start[:, places].ravel() * TICK_NS])
    ends = (times.start[:, last] + times.duration[:, last]).ravel()
    end = np.concatenate([np.full(weights, NEVER), START_NS + ends * TICK_NS])
    order = np.argsort(start, kind="stable")
    place, size, start, end = place[order], size[order], start[order], end[order]
    released = end != NEVER
    moments = np.concatenate([start, end[released]])
    by_time = np.argsort(moments, kind="stable")
    index = np.empty(len(moments), np.int64)
    index[by_time] = np.arange(len(moments))
    at_end = np.full(len(start), NEVER)
    at_end[released] = index[len(start) :]
    used = np.cumsum(np.concatenate([size, -size[released]])[by_time])
    return Allocations(place, size, start, end, moments[by_time], used, index[: len(start)], at_end)


def reserved(used: Ints) -> Ints:
    """Bytes that the allocator has taken from the device: whole blocks, which it keeps."""
    return np.maximum.accumulate(-(-used // _BLOCK_BYTES)) * _BLOCK_BYTES


def _mebibytes(size: Ints) -> Cells:
    """Exact: all sizes are whole quarters."""
    return decimals(size * 100 >> 20, 2)


def operator_memory(training: Training, framework: Framework, rank: int, owned: Allocations) -> Iterator[bytes]:
    yield (
        b"Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Active Duration(us),"
        b"Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB),"
        b"Release Total Allocated(MB),Release Total Reserved(MB),Release Total Active(MB),Stream Ptr,Device Type\n"
    )
    operators = training.program(rank).operators
    names = [*(framework.host_name(operator) for operator in operators), "aten::empty_strided"]
    taken = reserved(owned.used)
    never = ",".join([framework.never] * 4)
    absent = ",".join([framework.never] * 3)
    for first in range(0, len(owned.start), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        start, end = owned.start[part], owned.end[part]
        count, released = len(start), end != NEVER
        # Of what is never released the figures are not used: `either` leaves them out.
        final = np.where(released, end, start)
        length = decimals(final - start, 3)
        times = rows(decimals(final, 3), "\t,", decimals(final, 3), "\t,", length, ",", length, count=count)
        begin, close = owned.at_start[part], np.maximum(owned.at_end[part], 0)
        release = _totals(owned.used[close], taken[close])
        yield rows(
            choices(names, owned.place[part]),
            ",",
            decimals(owned.size[part] >> 10, 0),
            ",",
            decimals(start, 3),
            "\t,",
            either(released, times, never),
            ",",
            _totals(owned.used[begin], taken[begin]),
            ",",
            either(released, release, absent),
            f",{_STREAM_PTR},NPU:{rank}\n",
            count=count,
        ).joined()


def _totals(used: Ints, taken: Ints) -> Cells:
    allocated = _mebibytes(used)
    return rows(allocated, ",", _mebibytes(taken), ",", allocated, count=len(used))


def memory_record(rank: int, owned: Allocations) -> Iterator[bytes]:
    """The allocator's memory after each event, with that of the graph engine beside it, and the process's."""
    yield (b"Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type\n")
    first = decimal(int(owned.moments[0]), 3)
    engine = decimal(GRAPH_ENGINE_BYTES * 100 >> 20, 2)
    yield f"GE,{first}\t,{engine},{engine},{engine},{_STREAM_PTR},NPU:{rank}\n".encode()
    yield f"APP,{first}\t,,{engine},,,NPU:{rank}\n".encode()
    taken = reserved(owned.used)
    for begin in range(0, len(owned.moments), AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        moments, used, own = owned.moments[part], owned.used[part], taken[part]
        tail = f",{_STREAM_PTR},NPU:{rank}\n"
        together = _totals(used + GRAPH_ENGINE_BYTES, own + GRAPH_ENGINE_BYTES)
        stamp = decimals(moments, 3)
        yield rows(
            "PTA,", stamp, "\t,", _totals(used, own), tail, "PTA+GE,", stamp, "\t,", together, tail, count=len(moments)
        ).joined()


def module_memory(training: Training, rank: int) -> str:
    """Reserved memory of modules at the begin of each step, in MiB."""
    lines = [
        (rank, module, decimal(START_NS + int(begin) * TICK_NS, 3) + "\t", size + step, f"NPU:{rank}")
        for step, begin in enumerate(training.times[rank].host_begin)
        for module, size in _MODULES
    ]
    return csv_text(("Device_id", "Component", "Timestamp(us)", "Total Reserved(MB)", "Device"), lines)
