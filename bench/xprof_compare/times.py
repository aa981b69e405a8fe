"""Number and duration of operations: figures that several tables have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from bench.xprof_compare.expected import Did
from bench.xprof_compare.figures import Figure, Reason


class MakesFigure(Protocol):
    """Maker of a figure of a table: its name, its value in rows of theirs and ours, and in truth."""

    def __call__(
        self,
        name: str,
        of_theirs: Callable[[Any], Any],
        of_ours: Callable[[Any], Any],
        of_truth: Callable[[Did], Any] | None,
        /,
        *reasons: Reason,
    ) -> Figure: ...


def times(figure: MakesFigure, tick_ps: int, *counts: Reason, lengths: Reason | None = None) -> Iterator[Figure]:
    """Occurrences, total and self time. `counts` and `lengths`: why numbers of occurrences, and times, may differ."""
    reasons = () if lengths is None else (lengths,)
    yield figure(
        "occurrences", lambda row: int(row["occurrences"]), lambda row: row["count"], lambda sums: sums.count, *counts
    )
    yield figure(
        "total time (ps)",
        lambda row: round(row["total_time"] * 1e6),
        lambda row: row["total"] * tick_ps,
        lambda sums: sums.total,
        *reasons,
    )
    yield figure(
        "self time (ps)",
        lambda row: round(row["total_self_time"] * 1e6),
        lambda row: row["self"] * tick_ps,
        lambda sums: sums.own,
        *reasons,
    )
