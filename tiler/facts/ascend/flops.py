"""FLOPs of tables of MindSpore's first profiler: of AI Cores, by operator and for a whole step.

Figures are in 10^6, rates in 10^9 a second, use in percent, whatever the headers say; later versions have cubes and
vectors apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.table_figures import Figures, whole_figures
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible

Doubles = NDArray[np.float64]

FLOPS_EXPONENT: Final = 6

TOTAL: Final = ""
CUBE: Final = "cube"
VECTOR: Final = "vector"
PARTS: Final = (TOTAL, CUBE, VECTOR)


@dataclass(frozen=True, slots=True)
class FlopFigures:
    """Columns: FLOPs, FLOP/s and the part of the peak; masked or NaN where a row has none."""

    flops: Figures
    rate: Doubles
    of_peak: Doubles


def flop_figures(table: RunTable) -> Interruptible[Mapping[str, FlopFigures]]:
    """The figures of all rows, of each part. What has its parts alone is their sum, without a use of the peak."""
    names: dict[tuple[str, str], str] = {}
    for header in table.columns:
        if (place := _place(header)) is not None:
            names.setdefault(place, header)
    figures: dict[str, FlopFigures] = {}
    for part in PARTS:
        flops = np.ma.MaskedArray(np.zeros(len(table), np.int64), True)
        doubles: dict[str, Doubles] = {}
        if (name := names.get((part, "flops"))) is not None:
            flops = whole_figures((yield from table.column(name)), FLOPS_EXPONENT)
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

    first, second = left.flops.filled(0), right.flops.filled(0)
    is_too_large = np.abs(first.astype(np.float64) + second) >= float(1 << 63)
    is_missing = np.ma.getmaskarray(left.flops) & np.ma.getmaskarray(right.flops)
    flops = np.ma.MaskedArray(first + second, is_missing | is_too_large)
    return FlopFigures(flops, both(left.rate, right.rate), np.full(len(flops), np.nan))
