"""Operators of AI CPUs: how long they were dispatched, and how long they ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.facts.ascend.headers import texts_named, times_named
from tilescope.tiler.facts.ascend.operator_families import CPU_RUNS, FAMILIES
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.table_figures import WideSums, counts_of
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.table_places import place_columns

_PARTS: Final = (
    ("dispatch", "Dispatch", ("dispatch_time",)),
    ("run", "Run", ("execution_time",)),
    ("total", "Time", FAMILIES[CPU_RUNS].time),
)


def dispatch_table(tables: Sequence[RunTable], limit: int, tick_ps: int) -> Interruptible[Table]:
    """The types of each table, in which a row is a run, in the order of their names."""
    places: list[RunTable] = []
    types: list[str] = []
    counts: list[int] = []
    ticks: dict[str, list[int | None]] = {part: [] for part, _, _ in _PARTS}
    for table in tables:
        texts = yield from texts_named(table, FAMILIES[CPU_RUNS].type)
        used, groups = distinct(texts.codes)
        page = slice(limit - len(types))
        types += [texts.words[code] for code in used[page].tolist()]
        places += [table] * len(used[page])
        counts += np.bincount(groups, minlength=len(used))[page].tolist()
        for part, _, plain in _PARTS:
            times = yield from times_named(table, plain, FAMILIES[CPU_RUNS].exponent)
            sums = WideSums.from_groups(times, groups, len(used)).take(np.arange(len(used))[page]).integers()
            recorded = counts_of(groups, ~np.ma.getmaskarray(times), len(used))[page].tolist()
            ticks[part] += [nearest_mean(s, tick_ps) if r else None for s, r in zip(sums, recorded, strict=True)]
    columns = [
        Column("type", "Type", "name", [name or None for name in types]),
        Column("count", "Runs", "count", counts),
        *(Column(part, title, "ticks", ticks[part]) for part, title, _ in _PARTS),
        *place_columns(places),
    ]
    return Table("dispatch", "AI CPU, dispatch and run", columns)
