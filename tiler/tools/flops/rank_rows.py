"""The FLOPs of a step of each rank, or where no file has those of steps, of all runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.flops import OF_RUNS, TOTAL, OperatorFlops, TableFlops
from tilescope.tiler.facts.ascend.table_places import uncovered
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Column, Fact, Table
from tilescope.tiler.tools.operations import OF_PEAK
from tilescope.tiler.tools.table_places import place_columns

A_STEP: Final = "a step"
ALL_RUNS: Final = "all runs"


class RankFlops(Struct, frozen=True):
    """The figures of a file; None: not recorded."""

    table: RunTable
    span: str
    flops: int | None
    rate: float | None
    of_peak: float | None


def rank_flops(summaries: Sequence[TableFlops], operators: Sequence[OperatorFlops]) -> Interruptible[list[RankFlops]]:
    """The rows of summaries, and the sum of the operators of each file whose rank has none."""
    rows: list[RankFlops] = []
    for summary in summaries:
        figures = summary.figures[TOTAL]
        for row in range(len(figures.flops)):
            flops: int | None = figures.flops[row : row + 1].tolist()[0]
            rate, of_peak = number(figures.rate[row]), number(figures.of_peak[row])
            if (flops, rate, of_peak) != (None, None, None):
                rows.append(RankFlops(summary.table, A_STEP, flops, rate, of_peak))
            yield
    alone = {table.entry.id for table in uncovered([each.table for each in operators], [row.table for row in rows])}
    for each in operators:
        if each.table.entry.id in alone:
            column = each.figures[TOTAL].flops
            is_recorded = not np.ma.getmaskarray(column).all()
            span = ALL_RUNS if each.table.entry.family in OF_RUNS else A_STEP
            rows.append(RankFlops(each.table, span, sum_of(column.filled(0)) if is_recorded else None, None, None))
            yield
    return rows


def ranks_table(rows: Sequence[RankFlops]) -> Table:
    """A row for each file."""
    columns = [
        Column("span", "FLOPs of", "text", [row.span for row in rows]),
        Column("flops", "FLOPs", "flops", [row.flops for row in rows]),
        Column("rate", "FLOP rate", "rate", [row.rate for row in rows], "FLOP/s"),
        Column("of_peak", "Utilization", "fraction", [row.of_peak for row in rows], OF_PEAK, total="none"),
        *place_columns([row.table for row in rows]),
    ]
    return Table("ranks", "By rank", columns)


def rank_facts(rows: Sequence[RankFlops]) -> list[Fact]:
    """Sums over the ranks, and the mean of their utilization."""
    flops = [row.flops for row in rows if row.flops is not None]
    rates = [row.rate for row in rows if row.rate is not None]
    of_peak = [row.of_peak for row in rows if row.of_peak is not None]
    spans = " and ".join(sorted({row.span for row in rows}, reverse=True))
    kind = f"of {spans}" if len(rows) < 2 else f"of {spans}, {plural(len(rows), 'file', 'files')} together"
    mean = "" if len(of_peak) < 2 else "mean, "
    return [
        Fact("ranks", "Files", len(rows), "count"),
        Fact("flops", "FLOPs", sum(flops) if flops else None, "flops", kind if flops else "not recorded"),
        Fact("rate", "FLOP rate, FLOP/s", sum(rates) if rates else None, "rate", _recorded_in(len(rates), len(rows))),
        Fact(
            "of_peak",
            "Utilization",
            sum(of_peak) / len(of_peak) if of_peak else None,
            "fraction",
            mean + _recorded_in(len(of_peak), len(rows)),
        ),
    ]


def _recorded_in(files: int, all_files: int) -> str:
    if not files:
        return "no file has that of a step"
    return "" if all_files == 1 else f"of {files:,} of {plural(all_files, 'file', 'files')}"


def number(value: float) -> float | None:
    """A double, or None for one that is not finite."""
    return float(value) if np.isfinite(value) else None
