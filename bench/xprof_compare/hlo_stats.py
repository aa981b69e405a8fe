"""Instructions of TPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, rows
from bench.xprof_compare.op_profile import ENDS, KERNELS, MORE, OVERLAP

TOOL = "hlo_stats"
PEER = ("hlo_stats",)

_GIB = 2**30
_OF_EVENTS = "xprof takes FLOPs and bytes of custom calls from metadata; their events say other ones"
_ASYNC = "copies that only start have no rates: xprof divides their bytes by some nanoseconds"


def figures(case: Case) -> Iterator[Figure]:
    """By program and name."""
    theirs = {(row["program_id"], row["hlo_op_name"]): row for row in rows(case.theirs["hlo_stats"])}
    ours = {(row["program"], row["name"]): row for row in case.rows(TOOL, "operations", limit=100_000)}
    custom = frozenset(
        (one["program"], one["name"]) for one in case.truth.get("instructions", ()) if one["counts_itself"]
    )

    def figure(
        name: str,
        of_theirs: Callable[[Any], Any],
        of_ours: Callable[[Any], Any],
        why: str = "",
        which: frozenset[Any] | None = custom,
    ) -> Figure:
        return Figure(
            TOOL,
            name,
            {key: of_theirs(row) for key, row in theirs.items()},
            {key: of_ours(row) for key, row in ours.items()},
            KERNELS if case.is_gpu and why else why,
            None if case.is_gpu and why else which,
            more=MORE if case.is_gpu else "",
        )

    of_gpu = None if case.is_gpu else frozenset[Any]()
    starts = frozenset(key for key, row in ours.items() if row["bound_by"] == "async")
    moved = f"{_OF_EVENTS}; {_ASYNC}"
    yield figure("occurrences", lambda row: int(row["occurrences"]), lambda row: row["count"], KERNELS, of_gpu)
    yield figure("total time (ps)", lambda row: round(row["total_time"] * 1e6), lambda row: row["total"] * case.tick_ps)
    yield figure(
        "self time (ps)", lambda row: round(row["total_self_time"] * 1e6), lambda row: row["self"] * case.tick_ps
    )
    known = sum(core["last"] - core["first"] for core in case.truth["cores"]) if case.truth else 0
    yield Figure(
        TOOL,
        "share",
        {key: row["total_self_time_percent"] / 100 for key, row in theirs.items()},
        {key: row["share"] for key, row in ours.items()},
        OVERLAP if case.is_gpu else ENDS if known else "",
        truth={key: row["self"] / known for key, row in ours.items()} if known else {},
        more=MORE if case.is_gpu else "",
    )
    yield figure("category", lambda row: row["category"], lambda row: row["category"])
    yield figure("expression", lambda row: row["hlo_op_expression"], lambda row: row["expression"])
    yield figure("framework", lambda row: row["tf_op_name"].rstrip(":"), lambda row: row["framework"])
    yield figure("waits for copies", lambda row: row["dma_stall_percent"], lambda row: row["stalled"])
    yield figure(
        "GFLOP/s", lambda row: row["normalized_flop_rate"], lambda row: (row["flop_rate"] or 0) / 1e9, _OF_EVENTS
    )
    yield figure(
        "model GFLOP/s", lambda row: row["model_flop_rate"], lambda row: (row["model_flop_rate"] or 0) / 1e9, _OF_EVENTS
    )
    yield figure(
        "GiB/s",
        lambda row: row["measured_memory_bw"],
        lambda row: (row["byte_rate"] or 0) / _GIB,
        moved,
        custom | starts,
    )
    yield figure(
        "HBM GiB/s", lambda row: row["hbm_bw"], lambda row: (row["hbm_rate"] or 0) / _GIB, moved, custom | starts
    )
    yield figure("intensity", lambda row: row["operational_intensity"], lambda row: row["intensity"], _OF_EVENTS)
    unbound = frozenset(key for key, row in theirs.items() if row["bound_by"] == "Unknown")
    yield figure(
        "bound by",
        lambda row: "" if row["bound_by"] == "Unknown" else row["bound_by"].lower(),
        lambda row: (row["bound_by"] or "").lower(),
        moved,
        unbound | custom | starts,
    )
