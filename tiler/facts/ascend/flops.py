"""FLOPs of AI Cores, by operator and for a whole step.

MindSpore's first profiler writes figures in 10^6, rates in 10^9 a second, use in percent, whatever the headers say;
later versions have cubes and vectors apart. Files of runs say what the hardware counted in each: `aic_cube_fops`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.ascend.headers import CodedTexts, texts_named, times_named
from tilescope.tiler.facts.ascend.operator_families import FAMILIES, KERNEL_DETAILS, OP_SUMMARY
from tilescope.tiler.facts.ascend.operator_groups import FULL_NAMES
from tilescope.tiler.facts.cell_figures import Figures, whole_figures
from tilescope.tiler.facts.tables import Ints, RunTable
from tilescope.tiler.facts.wide_sums import WideSums, counts_of
from tilescope.tiler.query import Interruptible

Doubles = NDArray[np.float64]

FLOPS_EXPONENT: Final = 6

TOTAL: Final = ""
CUBE: Final = "cube"
VECTOR: Final = "vector"
PARTS: Final = (TOTAL, CUBE, VECTOR)

BY_OPERATOR: Final = "flops"
OF_RUNS: Final = (KERNEL_DETAILS, OP_SUMMARY)  # families in which a row is a run

_COUNTED: Final = {
    CUBE: ("aic_cube_fops", "aiv_cube_fops", "cube_fops"),
    VECTOR: ("aic_vector_fops", "aiv_vector_fops", "vector_fops"),
}


@dataclass(frozen=True, slots=True)
class FlopFigures:
    """Columns: FLOPs, FLOP/s and the part of the peak; masked or NaN where a row has none."""

    flops: Figures
    rate: Doubles
    of_peak: Doubles


@dataclass(frozen=True, slots=True)
class OperatorFlops:
    """Operators of a table, and their FLOPs: of a step, or of all runs of the capture."""

    table: RunTable
    names: CodedTexts
    figures: Mapping[str, FlopFigures]

    def __len__(self) -> int:
        return len(self.names.codes)


def has_counted_flops(table: RunTable) -> bool:
    """True for a table of runs in which FLOPs are counted."""
    return any(name.lower() in columns for name in table.columns for columns in _COUNTED.values())


def operator_flops(table: RunTable) -> Interruptible[OperatorFlops]:
    """The operators of a table of FLOPs, or of runs. Yields between columns."""
    if table.entry.family in OF_RUNS:
        return (yield from _counted_flops(table))
    names = yield from texts_named(table, FULL_NAMES)
    return OperatorFlops(table, names, (yield from flop_figures(table)))


def _counted_flops(table: RunTable) -> Interruptible[OperatorFlops]:
    """The operators of which anything is counted, with the sums of their runs. The use of the peak is not recorded."""
    columns = FAMILIES[table.entry.family]
    names = yield from texts_named(table, columns.name)
    used, groups = distinct(names.codes)
    size = len(used)
    times = yield from times_named(table, columns.time, columns.exponent)
    seconds = WideSums.from_groups(times, groups, size).doubles() / 1e12
    parts: dict[str, Figures] = {}
    for part, headers in _COUNTED.items():
        sums = [_no_figures(size)]
        for name in table.columns:
            if name.lower() in headers:
                column = yield from whole_figures((yield from table.column(name)), 0)
                sums.append(_fitting(WideSums.from_groups(column, groups, size), groups, column))
                yield
        parts[part] = _added(sums)
    parts[TOTAL] = _added(list(parts.values()))
    has_any = ~np.ma.getmaskarray(parts[TOTAL])
    figures = {}
    for part in PARTS:
        flops = parts[part][has_any]
        rate = np.full(len(flops), np.nan)
        own = seconds[has_any]
        np.divide(flops.filled(0), own, out=rate, where=(own > 0) & ~np.ma.getmaskarray(flops))
        figures[part] = FlopFigures(flops, rate, np.full(len(flops), np.nan))
    return OperatorFlops(table, CodedTexts(names.words, used[has_any].astype(np.int64)), figures)


def _fitting(sums: WideSums, groups: Ints, column: Figures) -> Figures:
    """Sums of groups in which any row has a figure; masked beyond 64 bits."""
    is_recorded = counts_of(groups, ~np.ma.getmaskarray(column), len(sums.low)) > 0
    fits = np.abs(sums.doubles()) < float(1 << 62)
    values = np.where(fits, (np.where(fits, sums.high, 0) << 32) + sums.low, 0)
    return np.ma.MaskedArray(values, ~is_recorded | ~fits)


def _no_figures(size: int) -> Figures:
    return np.ma.MaskedArray(np.zeros(size, np.int64), True)


def _added(columns: list[Figures]) -> Figures:
    """The sums of rows; masked where no column has a figure, or the sum is beyond 64 bits."""
    masks = np.array([np.ma.getmaskarray(column) for column in columns])
    values = np.array([column.filled(0) for column in columns])
    is_too_large = np.abs(values.astype(np.float64).sum(axis=0)) >= float(1 << 63)
    total: np.ndarray[Any, np.dtype[np.int64]] = values.sum(axis=0)
    return np.ma.MaskedArray(total, masks.all(axis=0) | is_too_large)


def flop_figures(table: RunTable) -> Interruptible[Mapping[str, FlopFigures]]:
    """The figures of all rows, of each part. What has its parts alone is their sum, without a use of the peak."""
    names: dict[tuple[str, str], str] = {}
    for header in table.columns:
        if (place := _place(header)) is not None:
            names.setdefault(place, header)
    figures: dict[str, FlopFigures] = {}
    for part in PARTS:
        flops = _no_figures(len(table))
        doubles: dict[str, Doubles] = {}
        if (name := names.get((part, "flops"))) is not None:
            flops = yield from whole_figures((yield from table.column(name)), FLOPS_EXPONENT)
        for figure in ("rate", "of_peak"):
            doubles[figure] = np.full(len(table), np.nan)
            if (name := names.get((part, figure))) is not None:
                doubles[figure] = (yield from table.column(name)).doubles()
            yield
        figures[part] = FlopFigures(flops, doubles["rate"] * 1e9, doubles["of_peak"] / 100)
    if (TOTAL, "flops") not in names:
        figures[TOTAL] = _sum(figures[CUBE], figures[VECTOR])
    return figures


def _place(column: str) -> tuple[str, str] | None:
    """The part and figure that a column has: `FLOPs` is an amount, `FLOPS` a rate."""
    lower = column.lower()
    part = CUBE if "cube" in lower else VECTOR if "vec" in lower else TOTAL
    if "utilization" in lower:
        return part, "of_peak"
    if "FLOPS" in column:
        return part, "rate"
    return (part, "flops") if "FLOPs" in column else None


def _sum(left: FlopFigures, right: FlopFigures) -> FlopFigures:
    def both(first: Doubles, second: Doubles) -> Doubles:
        return np.where(np.isnan(first), second, first + np.nan_to_num(second))

    flops = _added([left.flops, right.flops])
    return FlopFigures(flops, both(left.rate, right.rate), np.full(len(flops), np.nan))
