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
from tilescope.tiler.facts.ascend.headers import CodedTexts, column_named, texts_named, times_named, unread_rows
from tilescope.tiler.facts.ascend.operator_families import FAMILIES, KERNEL_DETAILS, OP_SUMMARY
from tilescope.tiler.facts.ascend.operator_groups import FULL_NAMES
from tilescope.tiler.facts.cell_figures import Figures, whole_figures
from tilescope.tiler.facts.tables import RunTable
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
class TableFlops:
    """FLOPs of the rows of a table, of each part."""

    table: RunTable
    figures: Mapping[str, FlopFigures]
    unread: int  # figures that are no numbers, and sums beyond 64 bits


@dataclass(frozen=True, slots=True)
class OperatorFlops(TableFlops):
    """Operators of a table, and their FLOPs: of a step, or of all runs of the capture."""

    names: CodedTexts

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
    flops = yield from table_flops(table)
    return OperatorFlops(table, flops.figures, flops.unread, names)


def _counted_flops(table: RunTable) -> Interruptible[OperatorFlops]:
    """The operators of which anything is counted, with the sums of their runs. The use of the peak is not recorded.

    An operator has a rate if all of its runs with FLOPs have a time.
    """
    columns = FAMILIES[table.entry.family]
    names = yield from texts_named(table, columns.name)
    used, groups = distinct(names.codes)
    size, unread = len(used), 0
    has_flops = np.zeros(len(table), np.bool_)
    sums = {part: WideSums(np.zeros(size, np.int64), np.zeros(size, np.int64)) for part in PARTS}
    are_recorded = {part: np.zeros(size, np.bool_) for part in PARTS}
    for part, headers in _COUNTED.items():
        for name in table.columns:
            if name.lower() in headers:
                column = yield from whole_figures((yield from table.column(name)), 0)
                has_none = np.ma.getmaskarray(column)
                unread += yield from unread_rows(table, name, has_none)
                has_flops |= ~has_none
                for into in (part, TOTAL):
                    sums[into] = sums[into].plus(WideSums.from_groups(column, groups, size))
                    are_recorded[into] |= counts_of(groups, ~has_none, size) > 0
                yield
    parts = {part: _fitting(sums[part], are_recorded[part]) for part in PARTS}
    has_any = are_recorded[TOTAL]
    unread += int(np.count_nonzero(has_any & np.ma.getmaskarray(parts[TOTAL])))
    times = yield from times_named(table, columns.time, columns.exponent)
    is_timed = has_flops & ~np.ma.getmaskarray(times)
    seconds = WideSums.from_groups(np.ma.MaskedArray(times.data, ~is_timed), groups, size).doubles() / 1e12
    seconds[counts_of(groups, is_timed, size) < counts_of(groups, has_flops, size)] = 0
    if (header := column_named(table, *columns.time)) is not None:
        unread += yield from unread_rows(table, header, has_flops & ~is_timed)
    figures = {}
    for part in PARTS:
        flops = parts[part][has_any]
        rate = np.full(len(flops), np.nan)
        own = seconds[has_any]
        np.divide(flops.filled(0), own, out=rate, where=(own > 0) & ~np.ma.getmaskarray(flops))
        figures[part] = FlopFigures(flops, rate, np.full(len(flops), np.nan))
    return OperatorFlops(table, figures, unread, CodedTexts(names.words, used[has_any].astype(np.int64)))


def _fitting(sums: WideSums, are_recorded: NDArray[np.bool_]) -> Figures:
    """Sums of which any figure is recorded; masked beyond 64 bits."""
    fits = np.abs(sums.doubles()) < float(1 << 62)
    values = np.where(fits, (np.where(fits, sums.high, 0) << 32) + sums.low, 0)
    return np.ma.MaskedArray(values, ~are_recorded | ~fits)


def _no_figures(size: int) -> Figures:
    return np.ma.MaskedArray(np.zeros(size, np.int64), True)


def _added(columns: list[Figures]) -> Figures:
    """The sums of rows; masked where no column has a figure, or the sum is beyond 64 bits."""
    masks = np.array([np.ma.getmaskarray(column) for column in columns])
    values = np.array([column.filled(0) for column in columns])
    is_too_large = np.abs(values.astype(np.float64).sum(axis=0)) >= float(1 << 63)
    total: np.ndarray[Any, np.dtype[np.int64]] = values.sum(axis=0)
    return np.ma.MaskedArray(total, masks.all(axis=0) | is_too_large)


def table_flops(table: RunTable) -> Interruptible[TableFlops]:
    """The figures of all rows, of each part. What has its parts alone is their sum, without a use of the peak."""
    names: dict[tuple[str, str], str] = {}
    for header in table.columns:
        if (place := _place(header)) is not None:
            names.setdefault(place, header)
    figures: dict[str, FlopFigures] = {}
    unread = 0
    for part in PARTS:
        flops = _no_figures(len(table))
        doubles: dict[str, Doubles] = {}
        if (name := names.get((part, "flops"))) is not None:
            flops = yield from whole_figures((yield from table.column(name)), FLOPS_EXPONENT)
            unread += yield from unread_rows(table, name, np.ma.getmaskarray(flops))
        for figure in ("rate", "of_peak"):
            doubles[figure] = np.full(len(table), np.nan)
            if (name := names.get((part, figure))) is not None:
                doubles[figure] = (yield from table.column(name)).doubles()
                unread += yield from unread_rows(table, name, np.isnan(doubles[figure]))
            yield
        figures[part] = FlopFigures(flops, doubles["rate"] * 1e9, doubles["of_peak"] / 100)
    if (TOTAL, "flops") not in names:
        cube, vector = figures[CUBE], figures[VECTOR]
        figures[TOTAL] = _sum(cube, vector)
        has_none = [np.ma.getmaskarray(each.flops) for each in (figures[TOTAL], cube, vector)]
        unread += int(np.count_nonzero(has_none[0] & ~(has_none[1] & has_none[2])))
    return TableFlops(table, figures, unread)


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
