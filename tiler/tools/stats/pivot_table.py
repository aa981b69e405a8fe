"""Sums by two groupings as a tree: the groups of the first, the busiest first, and in each those of the second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.records.histogram import join_rows
from tilescope.tiler.records.spread import DurationSpread
from tilescope.tiler.tools.answer import Column, Note, Table, values_of
from tilescope.tiler.tools.row_query import QUERY, category_query, name_query
from tilescope.tiler.tools.stats.figures import figure_columns, one_row
from tilescope.tiler.tools.stats.pivot import PairSums, Side
from tilescope.tiler.tools.stats.summary import GroupSums

Ints = NDArray[np.int64]

# Columns that say what a group is called; that of an argument is the only one.
_LABELS: Final = {
    "name": "name",
    "category": "category",
    "track": "name",
    "process": "process",
    "host": "host",
}


@dataclass(frozen=True, slots=True)
class PivotTable:
    """The table, and notes on what it leaves out."""

    table: Table
    notes: list[Note]


def pivot_table(pairs: PairSums, sides: Sequence[Side], limit: int) -> PivotTable:
    """At most `limit` groups, and as many pairs below theirs: the busiest. Other groups only where they have one."""
    groups = pairs.of_first()
    number = groups.histogram.name
    place_of = np.zeros(int(number.max(initial=-1)) + _BEFORE + 1, np.int64)  # numbers begin at -2
    place_of[number + _BEFORE] = np.arange(len(number))
    listed = np.arange(min(limit, len(pairs.sums)))
    group_of = place_of[pairs.first[listed] + _BEFORE]
    # Parents first: of each group its row, then its pairs, which are the busiest first already.
    shown = np.union1d(np.arange(min(limit, len(groups))), group_of)
    rank = np.append(shown, group_of)
    level = np.append(np.zeros(len(shown), np.int64), np.ones(len(listed), np.int64))
    order = np.lexsort((np.append(shown, listed), level, rank))
    sums = _joined(groups, shown, pairs.sums, listed, order)
    row_of_group = np.zeros(len(groups), np.int64)
    row_of_group[rank[order][level[order] == 0]] = np.flatnonzero(level[order] == 0)
    parent = np.where(level[order] == 0, -1, row_of_group[rank[order]])
    whole = int(pairs.sums.total().histogram.busy[0])
    columns = [
        *_labels(sides, number[shown], pairs.second[listed], order),
        *figure_columns(sums, whole),
        Column("parent", "Parent", "id", parent),
    ]
    n_left = len(pairs.sums) - len(listed)
    left_out = plural(n_left, "pair of groups is", "pairs of groups are")
    notes = [Note("info", f"{left_out} left out: those with the least time")] if n_left else []
    totals = one_row(pairs.sums.total())
    table = Table("pivot", f"{sides[0].groups.title}, then {sides[1].groups.title.lower()}", columns, "parent", totals)
    return PivotTable(table, notes)


_BEFORE: Final = 2


def _joined(groups: GroupSums, shown: Ints, pairs: GroupSums, listed: Ints, order: Ints) -> GroupSums:
    spreads = [groups.spread.take(shown), pairs.spread.take(listed)]
    spread = DurationSpread(
        *(np.concatenate([getattr(s, column) for s in spreads]) for column in DurationSpread.__struct_fields__)
    )
    return GroupSums(
        join_rows([groups.histogram.take(shown), pairs.histogram.take(listed)]).take(order), spread.take(order)
    )


def _labels(sides: Sequence[Side], first: Ints, second: Ints, order: Ints) -> list[Column]:
    """Columns that say what the rows are: a name in both levels; category, track and search where groups have these."""
    described = [_described(side, numbers) for side, numbers in zip(sides, (first, second), strict=True)]
    texts = [text for description in described for text in description.text]
    columns = [Column("name", "Group", "name", _in_order(texts, order))]
    if any(side.by == "name" for side in sides):
        categories = [text for description in described for text in description.category]
        columns.append(Column("category", "Category", "text", _in_order(categories, order)))
    if any(side.by in ("name", "category") for side in sides):
        queries = [query for description in described for query in description.query]
        columns.append(Column(QUERY, "Search", "text", _in_order(queries, order)))
    if any(description.track is not None for description in described):
        tracks = [
            track
            for description, numbers in zip(described, (first, second), strict=True)
            for track in description.track or [None] * len(numbers)
        ]
        columns.insert(1, Column("track", "Track", "track", _in_order(tracks, order)))
    return columns


@dataclass(frozen=True, slots=True)
class _Description:
    text: list[str]
    category: list[str | None]
    query: list[str | None]
    track: list[Any] | None


def _described(side: Side, numbers: Ints) -> _Description:
    columns = {column.id: column for column in side.groups.columns(numbers)}
    label = columns[_LABELS[side.by]] if side.by in _LABELS else next(iter(columns.values()))
    texts = ["none" if value is None else str(value) for value in values_of(label)]
    categories: list[str | None] = [None] * len(numbers)
    queries: list[str | None] = [None] * len(numbers)
    if side.by == "name":
        named = [str(value) for value in values_of(columns["category"])]
        queries = [name_query(text, category) for text, category in zip(texts, named, strict=True)]
        categories = [*named]
    elif side.by == "category":
        queries = [category_query(text) for text in texts]
    track = columns.get("track")
    return _Description(texts, categories, queries, None if track is None else list(values_of(track)))


def _in_order(values: Sequence[Any], order: Ints) -> list[Any]:
    return [values[row] for row in order.tolist()]
