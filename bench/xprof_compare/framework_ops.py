"""Operations as the framework calls them, of devices and hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, rows
from bench.xprof_compare.op_profile import KERNELS

TOOL = "framework_ops"
PEER = ("framework_op_stats",)


def figures(case: Case) -> Iterator[Figure]:
    """By name. Rates are compared where no custom call says itself what it does."""
    whole = list(rows(case.theirs["framework_op_stats"][0]))
    tables = {table.id for table in case.ask(TOOL).tables}
    for place in ("Device", "Host"):
        if place.lower() not in tables:
            continue
        theirs = {row["operation"]: row for row in whole if row["host_or_device"] == place and row["type"] != "IDLE"}
        ours = {row["name"]: row for row in case.rows(TOOL, place.lower(), limit=100_000) if row["count"]}
        why = KERNELS if case.is_gpu and place == "Device" else ""
        yield from _figures(why, case.tick_ps, place.lower(), theirs, ours)


def _figures(why: str, tick_ps: int, place: str, theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[Figure]:
    def figure(name: str, of_theirs: Callable[[Any], Any], of_ours: Callable[[Any], Any]) -> Figure:
        return Figure(
            TOOL,
            f"{place}: {name}",
            {key: of_theirs(row) for key, row in theirs.items()},
            {key: of_ours(row) for key, row in ours.items()},
            why,
            more="what xprof leaves out: kernels and host operations without a framework's path",
        )

    yield figure("type", lambda row: row["type"], lambda row: row["type"])
    yield figure("occurrences", lambda row: int(row["occurrences"]), lambda row: row["count"])
    yield figure("total time (ps)", lambda row: round(row["total_time"] * 1e6), lambda row: row["total"] * tick_ps)
    yield figure("self time (ps)", lambda row: round(row["total_self_time"] * 1e6), lambda row: row["self"] * tick_ps)
