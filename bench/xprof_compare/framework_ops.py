"""Operations as the framework calls them, of devices and hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bench.xprof_compare import expected
from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, Reason, rows
from bench.xprof_compare.hlo_stats import operations_in_graphs
from bench.xprof_compare.op_profile import GRAPHS, KERNELS
from bench.xprof_compare.times import times

TOOL = "framework_ops"
PEER = ("framework_op_stats", "hlo_stats")

_PATHLESS = "kernels without a framework's path"
_LISTED = 499  # and idle time
_MORE = f"xprof lists {_LISTED + 1} rows at most"


def figures(case: Case) -> Iterator[Figure]:
    """By name. Rates are those of their instructions, which `hlo_stats` compares."""
    whole = list(rows(case.theirs["framework_op_stats"][0]))
    tables = {table.id for table in case.ask(TOOL).tables}
    truth = {"device": expected.by_framework, "host": expected.host_operations}
    for place in ("Device", "Host"):
        if place.lower() in tables:
            theirs = {
                row["operation"]: row for row in whole if row["host_or_device"] == place and row["type"] != "IDLE"
            }
            did = truth[place.lower()](case.truth) if case.truth else None
            yield from _figures(case, place.lower(), theirs, did)


def _figures(
    case: Case, place: str, theirs: Mapping[str, Any], did: Mapping[str, expected.Did] | None
) -> Iterator[Figure]:
    ours = {row["name"]: row for row in case.rows(TOOL, place, limit=100_000) if row["count"]}

    more = Reason(_PATHLESS) if case.is_gpu and place == "device" else None
    if len(theirs) >= _LISTED:
        more = Reason(_MORE)

    def figure(
        name: str,
        of_theirs: Callable[[Any], Any],
        of_ours: Callable[[Any], Any],
        of_truth: Callable[[expected.Did], Any] | None,
        *reasons: Reason,
    ) -> Figure:
        known_of = {key: of_truth(sums) for key, sums in did.items()} if did and of_truth else {}
        return Figure(
            TOOL,
            f"{place}: {name}",
            {key: of_theirs(row) for key, row in theirs.items()},
            {key: of_ours(row) for key, row in ours.items()},
            reasons,
            None if did is None else known_of,
            more=more,
        )

    counts = [Reason(KERNELS)] if case.is_gpu and place == "device" else []
    yield figure("type", lambda row: row["type"], lambda row: row["type"], None)
    in_graphs = operations_in_graphs(case) if place == "device" and case.runs_graphs else frozenset()
    yield from times(figure, case.tick_ps, *counts, lengths=Reason(GRAPHS, in_graphs))
