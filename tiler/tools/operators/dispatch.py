"""Operators of AI CPUs: how long they were dispatched, and how long they ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.ascend.headers import CodedTexts, matches, texts_named, times_named
from tilescope.tiler.facts.ascend.operator_families import CPU_RUNS, FAMILIES
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.facts.wide_sums import WideSums, counts_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.operators.choice import OperatorFilter, allowed_types
from tilescope.tiler.tools.table_places import place_columns

_TOTAL: Final = "total"
_PARTS: Final = (
    ("dispatch", "Dispatch", ("dispatch_time",)),
    ("run", "Run", ("execution_time",)),
    (_TOTAL, "Time", FAMILIES[CPU_RUNS].time),
)


def dispatch_table(
    tables: Sequence[RunTable], operator_filter: OperatorFilter, limit: int, tick_ps: int
) -> Interruptible[Table]:
    """The types that a filter leaves of tables in which a row is a run, the longest of all tables first."""
    places: list[RunTable] = []
    types: list[str] = []
    counts: list[int] = []
    ticks: dict[str, list[int | None]] = {part: [] for part, _, _ in _PARTS}
    for table in tables:
        texts = yield from texts_named(table, FAMILIES[CPU_RUNS].type)
        used, groups = distinct(texts.codes)
        own_types = CodedTexts(texts.words, used)
        by_type = (yield from matches(texts.words, operator_filter.contains))[used]
        chosen = np.flatnonzero(by_type & allowed_types(own_types, operator_filter))
        page = chosen
        for part, _, plain in reversed(_PARTS):  # the whole first: the longest are by it
            times = yield from times_named(table, plain, FAMILIES[CPU_RUNS].exponent)
            sums = WideSums.from_groups(times, groups, len(used))
            if part == _TOTAL:
                page = chosen[np.argsort(-sums.take(chosen).doubles(), kind="stable")[:limit]]
            recorded = counts_of(groups, ~np.ma.getmaskarray(times), len(used))[page].tolist()
            own = zip(sums.take(page).integers(), recorded, strict=True)
            ticks[part] += [nearest_mean(time, tick_ps) if runs else None for time, runs in own]
        types += [texts.words[code] for code in used[page].tolist()]
        places += [table] * len(page)
        counts += np.bincount(groups, minlength=len(used))[page].tolist()
    order = sorted(range(len(types)), key=lambda row: -(ticks[_TOTAL][row] or 0))[:limit]
    columns = [
        Column("type", "Type", "name", [types[row] or None for row in order]),
        Column("count", "Runs", "count", [counts[row] for row in order]),
        *(Column(part, title, "ticks", [ticks[part][row] for row in order]) for part, title, _ in _PARTS),
        *place_columns([places[row] for row in order]),
    ]
    return Table("dispatch", "AI CPU, dispatch and run", columns)
