"""Damaged copies of a job's files, which a reader must name and must not fall over."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bench.kineto_run.job import write_job
from bench.kineto_run.shape import KinetoShape

Trace = dict[str, Any]

DEEP: Final = 1_000_000  # frames in each other
MANY: Final = 100_000  # ranks
_PID: Final = 4000


@dataclass(frozen=True, slots=True)
class Variant:
    """One damage; of the trace of each rank, by number."""

    name: str
    damage: Callable[[Trace, int], None]


def _equal_pids(trace: Trace, rank: int) -> None:
    """The program has the pid of its GPU, as in a container, and the pids of all ranks are the same."""
    gpus = [event["pid"] for event in trace["traceEvents"] if event.get("cat") == "kernel"]
    for event in trace["traceEvents"]:
        if event["pid"] == _PID + rank:
            event["pid"] = gpus[0]


def _correlations(trace: Trace, rank: int) -> None:
    """Kernels of odd ranks have correlations that only launches of other ranks have."""
    for event in trace["traceEvents"] if rank % 2 else ():
        if event.get("cat") == "kernel":
            event["args"]["correlation"] += 10_000_000


def _parents(change: Callable[[int], int | None]) -> Callable[[Trace, int], None]:
    def damage(trace: Trace, rank: int) -> None:
        for event in trace["traceEvents"]:
            if event.get("cat") == "python_function":
                event["args"]["Python parent id"] = change(event["args"]["Python id"])

    return damage


def _unknown_frees(trace: Trace, rank: int) -> None:
    """Frees are of addresses that nothing allocated."""
    for event in trace["traceEvents"]:
        if event.get("name") == "[memory]" and event["args"]["Bytes"] < 0:
            event["args"]["Addr"] += 1


def _of_communication(trace: Trace, change: Callable[[Trace], None]) -> None:
    for event in trace["traceEvents"]:
        if "Process Group Ranks" in event.get("args", {}):
            change(event["args"])


def _cut_lists(trace: Trace, rank: int) -> None:
    _of_communication(trace, lambda args: args.update({"Process Group Ranks": "[0, 1, ..., 7]"}))


def _unknown_types(trace: Trace, rank: int) -> None:
    _of_communication(trace, lambda args: args.update(dtype="Float3_e1m1"))


def _huge_counts(trace: Trace, rank: int) -> None:
    _of_communication(trace, lambda args: args.update({"In msg nelems": 2**63 - 1, "Seq": -1}))


def _unnested(trace: Trace, rank: int) -> None:
    """Operators end a little after those around them."""
    for event in trace["traceEvents"]:
        if event.get("cat") == "cpu_op" and event["name"] == "aten::addmm":
            event["dur"] += 5


def _many_ranks(trace: Trace, rank: int) -> None:
    info = trace["distributedInfo"]
    info["world_size"] = MANY
    info["pg_config"][0] |= {"pg_size": MANY, "ranks": list(range(MANY))}


def _no_ends(trace: Trace, rank: int) -> None:
    """Memory is allocated and never given back, in sizes that no memory has."""
    events = trace["traceEvents"]
    trace["traceEvents"] = [e for e in events if e.get("name") != "[memory]" or e["args"]["Bytes"] > 0]
    for event in trace["traceEvents"]:
        if event.get("name") == "[memory]":
            event["args"] |= {"Bytes": 2**62, "Total Allocated": 2**63 - 1}


def deep_frames(frames: int) -> Callable[[Trace, int], None]:
    """Frames of Python that lie in each other, in the trace of rank 0."""

    def damage(trace: Trace, rank: int) -> None:
        if rank:
            return
        trace["traceEvents"] += [
            {
                "ph": "X",
                "cat": "python_function",
                "name": f"deep.py({depth % 7}): recurse",
                "pid": _PID,
                "tid": 1,
                "ts": 2000 + depth / 1000,
                "dur": 2 * (frames - depth) / 1000,
                "args": {"Python id": 10_000_000 + depth, "Python parent id": 9_999_999 + depth if depth else None},
            }
            for depth in range(frames)
        ]

    return damage


VARIANTS: Final = (
    Variant("equal_pids", _equal_pids),
    Variant("correlations_of_another_rank", _correlations),
    Variant("python_parents_in_a_cycle", _parents(lambda number: number)),
    Variant("python_parents_that_are_missing", _parents(lambda number: number + 5_000_000)),
    Variant("frees_of_unknown_addresses", _unknown_frees),
    Variant("lists_of_ranks_that_are_cut", _cut_lists),
    Variant("unknown_types_of_data", _unknown_types),
    Variant("huge_counts", _huge_counts),
    Variant("operators_that_do_not_nest", _unnested),
    Variant("ranks_without_bound", _many_ranks),
    Variant("memory_without_bound", _no_ends),
    Variant("frames_without_bound", deep_frames(DEEP)),
)


def write_hostile(folder: Path, shape: KinetoShape, variant: Variant) -> None:
    """Writes a small job with one damage into a folder, which is made."""
    write_job(folder, replace(shape, cycles=1))
    for path in sorted(folder.glob("*.json")):
        trace: Trace = json.loads(path.read_text())
        variant.damage(trace, trace["distributedInfo"]["rank"])
        path.write_text(json.dumps(trace))
