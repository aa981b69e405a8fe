"""Kernels of GPUs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, rows

TOOL = "kernels"
PEER = ("kernel_stats",)


def figures(case: Case) -> Iterator[Figure]:
    """By name: launches that differ are summed up."""
    theirs = list(rows(case.theirs["kernel_stats"]))
    if not theirs:
        return
    ours = case.rows(TOOL, "kernels", limit=100_000)
    yield Figure(TOOL, "occurrences", _sums(theirs, "kernel_name", "occurrences"), _sums(ours, "name", "count"))
    tick_ps = case.tick_ps
    yield Figure(
        TOOL,
        "total time (ns)",
        _sums(theirs, "kernel_name", "total_duration_us", 1000),
        {name: round(ticks * tick_ps / 1000) for name, ticks in _sums(ours, "name", "total").items()},
    )


def _sums(kernels: list[dict[str, Any]], name: str, figure: str, scale: int = 1) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for row in kernels:
        totals[row[name]] += round(row[figure] * scale)
    return dict(totals)
