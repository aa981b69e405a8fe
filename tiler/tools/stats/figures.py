"""Sums of groups as columns, and as figures of one row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.schema import TotalKind
from tilescope.tiler.tools.answer import Column, Value
from tilescope.tiler.tools.stats.summary import GroupSums

Ints = NDArray[Any]

# How the columns of ticks become one.
_TOTALS: Final[dict[str, TotalKind]] = {
    "busy": "sum",
    "self": "sum",
    "mean": "none",
    "shortest": "min",
    "p50": "none",
    "p99": "none",
    "longest": "max",
}

# Of the durations of events that start: without one there are none.
_OF_DURATIONS: Final = frozenset({"mean", "shortest", "p50", "p99", "longest"})


def figure_columns(sums: GroupSums, whole: int) -> list[Column]:
    """Columns of some groups; `whole`: the ticks of which each has a share."""
    shares = [int(busy) / whole if whole else None for busy in sums.histogram.busy.tolist()]
    return [
        Column("count", "Count", "count", sums.histogram.count),
        Column("share", "Share", "fraction", shares),
        *(Column(name, _title(name), "ticks", values, total=_TOTALS[name]) for name, values in _ticks(sums)),
    ]


def one_row(sums: GroupSums) -> dict[str, Value]:
    """Figures of the first group, by column."""
    return {"count": int(sums.histogram.count[0]), **{name: values.tolist()[0] for name, values in _ticks(sums)}}


def _title(name: str) -> str:
    return f"{name} ±1%" if name.startswith("p") else name.capitalize()


def _ticks(sums: GroupSums) -> Iterator[tuple[str, Ints]]:
    rows = sums.histogram
    values = (rows.busy, rows.self_busy, sums.mean, rows.shortest, sums.median, sums.tail, rows.longest)
    none = rows.count == 0
    for name, ticks in zip(_TOTALS, values, strict=True):
        yield name, np.ma.MaskedArray(ticks, none) if name in _OF_DURATIONS and none.any() else ticks
