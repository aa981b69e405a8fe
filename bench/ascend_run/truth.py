"""The truth about a synthetic training, as JSON: told by what made it, not read from its files."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bench.ascend_run import data_files, flops_files, graph_memory
from bench.ascend_run.allocations import NEVER, allocations, reserved
from bench.ascend_run.collective_files import link_sums, step_links, transport
from bench.ascend_run.framework import kernel_type
from bench.ascend_run.operator_files import DISPATCH
from bench.ascend_run.parallel_strategy import shards
from bench.ascend_run.shape import START_NS, TICK_NS
from bench.ascend_run.step_files import average_row, reduce_name, step_parts, step_row
from bench.ascend_run.training import Training
from bench.ascend_run.verdict_figures import THRESHOLDS, figures

_STEP_ROW = ("begin", "end", "length", "forward", "backward", "interval", "fp_and_bp", "tail")
_MAX_OPERATORS = 500  # of larger programs single operators are left out


def truth(training: Training) -> dict[str, Any]:
    """All times in ticks since a rank's timeline began; its counter and its epoch lead to those in files."""
    shape = training.shape
    return {
        "shape": asdict(shape),
        "tick_ns": TICK_NS,
        "start_ns": START_NS,
        "ranks": [_rank(training, rank) for rank in range(shape.ranks)],
        "queues": {
            "data": data_files.data_queue(shape),
            "host": data_files.host_queue(shape),
            "host_length": data_files.HOST_QUEUE_LENGTH,
        },
        "pipeline": {
            "bottleneck": data_files.BOTTLENECK,
            "operations": [
                asdict(operation) | {"sizes": operation.sizes(3 * shape.steps) if operation.fill is not None else None}
                for operation in data_files.PIPELINE
            ],
        },
        "planted": _planted(training),
        "figures": figures(training),
        "thresholds": THRESHOLDS,
    }


def _rank(training: Training, rank: int) -> dict[str, Any]:
    shape, program, times = training.shape, training.program(rank), training.times[rank]
    cover = training.covers[rank]
    planned = graph_memory.planned_tensors(program)
    curve = graph_memory.memory_curve(program, planned)
    cube, vector = flops_files.flops(program)
    rows = [step_row(times, step) for step in range(shape.steps)]
    return {
        "rank": rank,
        "stage": shape.stage(rank),
        "counter": shape.counter(rank),
        "steps": [
            {"step": step + 1}
            | dict(zip(_STEP_ROW, row, strict=True))
            | step_parts(program, times, cover, step)
            | {"request": int(times.request[step])}
            for step, row in enumerate(rows)
        ],
        "host_steps": [
            {"step": step + 1, "begin": int(times.host_begin[step]), "end": int(times.end[step])}
            | {"length": int(times.host_length[step])}
            | step_parts(program, times, cover, step, host=True)
            for step in range(shape.steps)
        ],  # of generation 2, by ranges and by launches alike
        "average": dict(zip(_STEP_ROW, average_row(rows), strict=True)),
        "parts": {
            lane: {"intervals": len(getattr(cover, lane).start), "total": getattr(cover, lane).total}
            for lane in ("computation", "communication", "pure_communication", "free")
        },
        "span": [int(times.start.min()), int((times.start + times.duration).max())],
        "operators": _operators(training, rank),
        "kinds": _kinds(training, rank),
        "dispatch": DISPATCH,
        "flops": {"cube": cube, "vector": vector, "peak": flops_files.PEAK, "vector_peak": flops_files.VECTOR_PEAK},
        "scope_flops": [[*link, count] for link, count in flops_files.scope_flops(program).items()],
        "communications": _communications(training, rank),
        "links": _links(training, rank),
        "allocations": _allocations(training, rank),
        "memory": {"capacity": graph_memory.CAPACITY, "static": graph_memory.STATIC, "peak": max(curve)}
        | {"peak_at": curve.index(max(curve)), "curve": curve if len(curve) <= _MAX_OPERATORS else None},
    }


def _allocations(training: Training, rank: int) -> dict[str, Any]:
    """Memory of generation 2: bytes in use at most, when (ns), and what is never released."""
    owned = allocations(training, rank)
    never = owned.end == NEVER
    peak = int(owned.used.argmax())
    return {
        "count": len(owned.start),
        "never_released": int(never.sum()),
        "never_released_bytes": int(owned.size[never].sum()),
        "peak": int(owned.used[peak]),
        "peak_at_ns": int(owned.moments[peak]),
        "reserved": int(reserved(owned.used).max()),
    }


def _operators(training: Training, rank: int) -> dict[str, Any] | None:
    """Count, total, least and most of each operator."""
    program, times = training.program(rank), training.times[rank]
    if len(program.operators) > _MAX_OPERATORS:
        return None
    return {
        operator.full_name: {
            "kind": operator.kind,
            "core": operator.core,
            "stream": operator.stream,
            "count": len(times.begin),
            "total": int(times.duration[:, place].sum()),
            "least": int(times.duration[:, place].min()),
            "most": int(times.duration[:, place].max()),
            "cube_flops": operator.cube_flops,
            "vector_flops": operator.vector_flops,
            "shards": shards(training.shape, operator),
        }
        for place, operator in enumerate(program.operators)
    }


def _kinds(training: Training, rank: int) -> list[dict[str, Any]]:
    """By type and core."""
    program, times = training.program(rank), training.times[rank]
    places: dict[tuple[str, str], list[int]] = {}
    for place, operator in enumerate(program.operators):
        places.setdefault((operator.kind, operator.core), []).append(place)
    return [
        {
            "kind": kind,
            "type": kernel_type(program.operators[chosen[0]]),  # in generation 2
            "core": core,
            "count": len(chosen) * len(times.begin),
            "total": int(times.duration[:, chosen].sum()),
            "least": int(times.duration[:, chosen].min()),
            "most": int(times.duration[:, chosen].max()),
        }
        for (kind, core), chosen in places.items()
    ]


def _communications(training: Training, rank: int) -> list[dict[str, Any]]:
    """Waits and transfers of each communication, over all steps."""
    program, times = training.program(rank), training.times[rank]
    return [
        {
            "name": program.operators[place].name,
            "reduce_name": reduce_name(program, place),
            "elapsed": int(times.duration[:, place].sum()),
            "wait": int(times.wait[:, number].sum()),
            "linger": int(times.linger[:, number].sum()),
            "transit": int(times.transit[:, number].max(axis=1).sum()),
        }
        for number, place in enumerate(program.communications)
    ]


def _links(training: Training, rank: int) -> list[dict[str, Any]]:
    """Transfers from each rank to this one, over all steps; generation 1 names it peer-rank, generation 2 rank-peer."""
    shape, program, times = training.shape, training.program(rank), training.times[rank]
    parts = [
        step_links(training.sizes[rank], times, rank, number, step)
        for number in range(len(program.communications))
        for step in range(shape.steps)
    ]
    return [
        {"peer": peer, "transport": transport(shape, peer, rank), "ticks": ticks, "bytes": size}
        for (peer, _), (ticks, size) in link_sums(parts).items()
    ]


def _planted(training: Training) -> dict[str, Any]:
    """Faults that were planted."""
    shape = training.shape
    return {
        "slow_rank": shape.slow_rank,
        "slow_link": None if shape.slow_reader is None else [shape.slow_peer, shape.slow_reader],
        "fed_slowly": shape.fed_slowly,
        "starved_step": None if shape.starved_step is None else shape.starved_step + 1,
    }
