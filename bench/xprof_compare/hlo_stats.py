"""Instructions of TPUs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any

from bench.xprof_compare import expected
from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, Reason, rows, scaled
from bench.xprof_compare.op_profile import ENDS, KERNELS, MORE, NAMESAKES, OF_EVENTS, OVERLAP
from bench.xprof_compare.times import times

TOOL = "hlo_stats"
PEER = ("hlo_stats",)

NETWORK = "xprof knows no network: it says that a collective is bound by the memory that it uses most"
ASYNC = "copies that only start have no rates: xprof divides their bytes by some nanoseconds"
GIB = 2**30


def namesakes(keys: Collection[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Instructions, by program and name, whose names several programs have."""
    programs = Counter(name for program, name in keys if program)
    return frozenset(key for key in keys if programs[key[1]] > 1)


def operations_in_graphs(case: Case) -> frozenset[str]:
    """Operations of frameworks with an instruction that only a graph runs: xprof has none of these."""
    theirs = {(row["program_id"], row["hlo_op_name"]) for row in rows(case.theirs["hlo_stats"])}
    instructions = [row for row in case.rows(TOOL, "operations", limit=100_000) if row["program"] is not None]
    return frozenset(
        row["framework"] or row["name"] for row in instructions if (row["program"], row["name"]) not in theirs
    )


def figures(case: Case) -> Iterator[Figure]:
    """By program and name."""
    theirs = {(row["program_id"], row["hlo_op_name"]): row for row in rows(case.theirs["hlo_stats"])}
    ours = {(row["program"], row["name"]): row for row in case.rows(TOOL, "operations", limit=100_000)}
    did = expected.instructions(case.truth) if case.truth else {}
    instructions = {
        (instruction["program"], instruction["name"]): instruction for instruction in case.truth.get("instructions", ())
    }

    def figure(
        name: str,
        of_theirs: Callable[[Any], Any],
        of_ours: Callable[[Any], Any],
        of_truth: Callable[[expected.Did], Any] | None,
        *reasons: Reason,
        field: str = "",
        network: bool = False,
    ) -> Figure:
        truth = {key: of_truth(sums) for key, sums in did.items()} if of_truth else {}
        if network and case.truth:
            truth |= dict.fromkeys(expected.exchanging(case.truth), "network")
        if field:
            truth = {key: instruction[field] for key, instruction in instructions.items()}
        return Figure(
            TOOL,
            name,
            {key: of_theirs(row) for key, row in theirs.items()},
            {key: of_ours(row) for key, row in ours.items()},
            reasons,
            truth if case.truth else None,
            more=Reason(MORE) if case.is_gpu else None,
        )

    span = expected.span(case.truth) if case.truth else 0
    peaks = case.truth.get("peaks", {})
    counts = [Reason(KERNELS)] if case.is_gpu else []
    custom = Reason(OF_EVENTS, expected.counting_themselves(case.truth)) if case.truth else None
    costs = counts or ([custom] if custom else [])
    starts = frozenset(key for key, row in ours.items() if row["bound_by"] == "async")
    moved = [*costs, Reason(ASYNC, starts)]
    exchanging = frozenset(key for key, row in ours.items() if row["bound_by"] == "Network")
    yield from times(figure, case.tick_ps, *counts, lengths=Reason(NAMESAKES, namesakes(ours)))
    ends = [Reason(OVERLAP)] if case.is_gpu else [Reason(ENDS)] if case.truth else []
    yield figure(
        "share",
        lambda row: row["total_self_time_percent"] / 100,
        lambda row: row["share"],
        lambda sums: sums.own / span,
        *ends,
    )
    yield figure("category", lambda row: row["category"], lambda row: row["category"], None, field="category")
    yield figure("expression", lambda row: row["hlo_op_expression"], lambda row: row["expression"], None)
    yield figure(
        "framework", lambda row: row["tf_op_name"].rstrip(":"), lambda row: row["framework"], None, field="framework"
    )
    yield figure("waits for copies", lambda row: row["dma_stall_percent"], lambda row: row["stalled"], None)
    yield figure(
        "GFLOP/s",
        lambda row: row["normalized_flop_rate"],
        lambda row: scaled(row["flop_rate"], 1e-9),
        lambda sums: sums.per_ns(sums.flops),
        *costs,
    )
    yield figure(
        "model GFLOP/s",
        lambda row: row["model_flop_rate"],
        lambda row: scaled(row["model_flop_rate"], 1e-9),
        lambda sums: sums.per_ns(sums.flops),
        *costs,
    )
    yield figure(
        "GiB/s",
        lambda row: row["measured_memory_bw"],
        lambda row: scaled(row["byte_rate"], 1 / GIB),
        lambda sums: sums.gib_per_s(sums.bytes),
        *moved,
    )
    yield figure(
        "HBM GiB/s",
        lambda row: row["hbm_bw"],
        lambda row: scaled(row["hbm_rate"], 1 / GIB),
        lambda sums: sums.gib_per_s(sums.hbm_if_alone),
        *moved,
    )
    yield figure(
        "intensity",
        lambda row: row["operational_intensity"],
        lambda row: row["intensity"],
        lambda sums: sums.intensity,
        *costs,
    )
    yield figure(
        "bound by",
        lambda row: "" if row["bound_by"] == "Unknown" else row["bound_by"].lower(),
        lambda row: (row["bound_by"] or "").lower(),
        lambda sums: sums.bound_by(peaks),
        *moved,
        Reason(NETWORK, exchanging),
        network=True,
    )
