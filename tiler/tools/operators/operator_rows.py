"""The operators that take most time, one by one, with shapes, and what hardware counted in their longest run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

import numpy as np
from msgspec import Struct

from tilescope.tiler.facts.ascend.headers import column_named, texts_named
from tilescope.tiler.facts.ascend.operator_families import CORE_DETAILS, KERNEL_DETAILS, OP_SUMMARY
from tilescope.tiler.facts.ascend.operator_groups import FRAMEWORK, FULL_NAMES, OperatorGroups
from tilescope.tiler.facts.ascend.table_places import may_be_same
from tilescope.tiler.facts.first_places import first_places
from tilescope.tiler.facts.tables import Ints, RunTable, run_tables
from tilescope.tiler.plain_headers import plain_header
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.operators.choice import ChosenOperators
from tilescope.tiler.tools.table_places import place_columns, search_column, unquoted

DETAILS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "stream": ("Stream", ("streamid", "stream_id")),
    "block_dim": ("Block dim", ("blockdim", "block_dim")),
    "input_shapes": ("Input shapes", ("inputshapes",)),
    "input_types": ("Input types", ("inputdatatypes",)),
    "input_formats": ("Input formats", ("inputformats",)),
    "output_shapes": ("Output shapes", ("outputshapes",)),
    "output_types": ("Output types", ("outputdatatypes",)),
    "output_formats": ("Output formats", ("outputformats",)),
}

# Columns of numbers that are no counts of the hardware: all others are, whatever a version calls them.
_NO_METRICS: Final = frozenset(
    {
        *("stepid", "modelid", "taskid", "streamid", "deviceid", "inferid", "contextid", "opstate", "hf32eligible"),
        *("starttime", "taskstarttime", "duration", "taskduration", "waittime", "taskwaittime"),
        *("blockdim", "blocknum", "mixblockdim", "mixblocknum"),
    }
)

_RUNS: Final = (KERNEL_DETAILS, OP_SUMMARY)


class OperatorRow(Struct, frozen=True):
    """An operator that is listed: its place in the operators of a table."""

    groups: OperatorGroups
    place: int

    @property
    def name(self) -> str:
        """Its full name."""
        return self.groups.names.words[int(self.groups.names.codes[self.place])]


def longest(chosen: Sequence[ChosenOperators], limit: int) -> list[OperatorRow]:
    """The operators with most time of all tables."""
    places = [np.flatnonzero(part.are_listed) for part in chosen]
    if not places:
        return []
    times = [part.groups.total.take(own).doubles() for part, own in zip(chosen, places, strict=True)]
    tables = np.repeat(np.arange(len(chosen)), [len(own) for own in places])
    order = first_places(-np.concatenate(times), limit)
    pairs = zip(tables[order].tolist(), np.concatenate(places)[order].tolist(), strict=True)
    return [OperatorRow(chosen[table].groups, place) for table, place in pairs]


class OperatorDetails(NamedTuple):
    """Cells of the columns of DETAILS of each row, and names that the framework's table beside theirs lacks."""

    cells: Sequence[Mapping[str, str | None]]
    lacking: Set[str]


def operators_table(
    reader: QueryReader, rows: Sequence[OperatorRow], cells: Sequence[Mapping[str, str | None]]
) -> Table:
    """The rows with their details."""
    count, total, mean = _figures(rows, reader.tick_ps)
    columns = [
        Column("name", "Operator", "name", [row.name or None for row in rows]),
        Column("type", "Type", "text", [_word(row.groups.types, row.place) for row in rows]),
        Column("core", "Core", "text", [_word(row.groups.cores, row.place) for row in rows]),
        Column("count", "Runs", "count", count),
        Column("total", "Time", "ticks", total),
        Column("mean", "Mean", "ticks", mean, total="none"),
        *(
            Column(detail, title, "text", [texts.get(detail) for texts in cells])
            for detail, (title, _) in DETAILS.items()
        ),
        *place_columns([row.groups.table for row in rows]),
        search_column(reader, [row.name for row in rows]),
    ]
    return Table("operators", "By operator", columns)


def _word(texts: tuple[Sequence[str], Ints], place: int) -> str | None:
    words, codes = texts
    return words[codes[place]] or None


def _figures(rows: Sequence[OperatorRow], tick_ps: int) -> tuple[list[int | None], list[int | None], list[int | None]]:
    """Runs, ticks, and the mean ticks of those with a time."""
    counts: list[int | None] = []
    totals: list[int | None] = []
    means: list[int | None] = []
    for row in rows:
        which = np.array([row.place])
        (count,), (total,), (timed,) = (
            sums.take(which).integers() for sums in (row.groups.count, row.groups.total, row.groups.timed)
        )
        counts.append(count if row.groups.has_count[row.place] else None)
        totals.append(nearest_mean(total, tick_ps) if row.groups.has_total[row.place] else None)
        means.append(nearest_mean(total, timed * tick_ps) if timed > 0 else None)
    return counts, totals, means


def metrics_table(rows: Sequence[OperatorRow]) -> Interruptible[Table]:
    """The counts of the hardware, by the headers of the files, of the longest run of each operator."""
    values: dict[int, list[tuple[str, float]]] = defaultdict(list)
    for table, places, own in _by_table(rows):
        if table.entry.family in _RUNS:
            for name in table.columns:
                if table.entry.columns[table.places[name]].numbers and _is_metric(name):
                    order = np.argsort(own, kind="stable")
                    doubles = (yield from table.part(name, own[order])).doubles()
                    for place, value in zip(order.tolist(), doubles.tolist(), strict=True):
                        if np.isfinite(value):
                            values[places[place]].append((name, value))
    listed = [(rows[place], *pair) for place in sorted(values) for pair in values[place]]
    columns = [
        Column("name", "Operator", "name", [row.name or None for row, _, _ in listed]),
        Column("metric", "Metric", "text", [metric for _, metric, _ in listed]),
        Column("value", "In its longest run", "number", [value for _, _, value in listed], total="none"),
        *place_columns([row.groups.table for row, _, _ in listed]),
    ]
    return Table("metrics", "Counted by hardware", columns)


def _is_metric(column: str) -> bool:
    """True unless it is one of the other columns: `Device_id` as well as `Device ID`."""
    return plain_header(column).replace("_", "") not in _NO_METRICS


def _by_table(rows: Sequence[OperatorRow]) -> list[tuple[RunTable, list[int], Ints]]:
    """The tables of rows, with the places of these among them, and their rows in the table."""
    by_table: dict[int, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        by_table[row.groups.table.entry.id].append(place)
    return [
        (rows[places[0]].groups.table, places, np.array([rows[p].groups.row[rows[p].place] for p in places], np.int64))
        for places in by_table.values()
    ]


def operator_details(reader: QueryReader, rows: Sequence[OperatorRow]) -> Interruptible[OperatorDetails]:
    """Details of each row; those of MindSpore's first tables are in the framework's."""
    cells: list[dict[str, str | None]] = [{} for _ in rows]
    lacking: set[str] = set()
    for table, places, own in _by_table(rows):
        yield from _fill(table, own, [cells[place] for place in places])
        if table.entry.family == CORE_DETAILS:
            names: dict[str, dict[str, str | None]] = {}
            for place in places:  # an operator of two cores has the same details
                cells[place] = names.setdefault(rows[place].name, cells[place])
            beside = [other for other in run_tables(reader, FRAMEWORK) if may_be_same(table, other)]
            filled: set[str] = set()
            for framework in beside:
                filled |= yield from _fill_from_framework(framework, names)
            lacking |= names.keys() - filled if beside else set()
    return OperatorDetails(cells, lacking)


def _fill(table: RunTable, rows: Ints, cells: Sequence[dict[str, str | None]]) -> Interruptible[None]:
    for detail, (_, plain) in DETAILS.items():
        header = column_named(table, *plain)
        if header is not None:
            for texts, text in zip(cells, (yield from table.texts(header, rows)), strict=True):
                texts[detail] = unquoted(text)


def _fill_from_framework(table: RunTable, cells: Mapping[str, dict[str, str | None]]) -> Interruptible[set[str]]:
    """Details of operators by their full names, from their first rows; shapes are in `op_info`. The names of these."""
    names = yield from texts_named(table, FULL_NAMES)
    is_listed = np.fromiter((word in cells for word in names.words), np.bool_, len(names.words))
    rows = np.flatnonzero(is_listed[names.codes])
    used, first = np.unique(names.codes[rows], return_index=True)
    rows, own = rows[first], [cells[names.words[code]] for code in used.tolist()]
    yield
    yield from _fill(table, rows, own)
    header = column_named(table, "op_info")
    if header is not None:
        for texts, information in zip(own, (yield from table.texts(header, rows)), strict=True):
            texts.update(_sides(information or ""))
            yield
    return {names.words[code] for code in used.tolist()}


def _sides(information: str) -> dict[str, str | None]:
    """Shapes, types and formats of `{"input_0": {"format": …, "data_type": …, "shape": …}, …}`, in any case."""
    try:
        members: Any = json.loads(information)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(members, dict):
        return {}
    cells: dict[str, str | None] = {}
    for side in ("input", "output"):
        values = [value for key, value in members.items() if key.lower().startswith(side) and isinstance(value, dict)]
        for detail, member in (("shapes", "shape"), ("types", "data_type"), ("formats", "format")):
            cells[f"{side}_{detail}"] = ";".join(_text(value.get(member)) for value in values) or None
    return cells


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
