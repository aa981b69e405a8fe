"""Operators one by one: runs of the same name, type and core, with what their longest run says of itself."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tilescope.tiler.facts.ascend.headers import column_named
from tilescope.tiler.facts.ascend.operators import OperatorRows, TypeSums, operator_rows
from tilescope.tiler.facts.table_figures import group_sums, whole_figures
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.plain_headers import plain_name
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache

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

_METRIC: Final = re.compile(r"ai[cv]|aicore|mac|vec|mte|scalar|icache|memory|cube", re.IGNORECASE)
_NUMBER_BEHIND: Final = re.compile(r"-op\d+$")
_MS: Final = 9


@dataclass(frozen=True, slots=True)
class OperatorInstance:
    """One operator of one file; times in picoseconds, None: not recorded."""

    table: RunTable
    row: int  # of its longest run
    name: str
    type: str
    core: str
    count: int | None
    total: int | None
    mean: int | None

    @property
    def rank(self) -> int | None:
        """The rank of its file."""
        return self.table.entry.rank

    @property
    def weight(self) -> int:
        """The time by which it is sorted."""
        return (self.mean or 0) if self.total is None else self.total


def type_in_name(name: str) -> str:
    """The type that a full name of MindSpore ends with: `Cast` of `Default/net/Cast-op6`."""
    return _NUMBER_BEHIND.sub("", name.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class TableOperators:
    """The operators of a table, and what its rows come to by type and core: runs, picoseconds, shares of the file."""

    table: RunTable
    operators: Sequence[OperatorInstance]
    sums: TypeSums
    shares: Mapping[tuple[str, str], float]


def table_operators(reader: QueryReader, table: RunTable) -> Interruptible[TableOperators]:
    """The operators of a table, worked out once. Yields between columns."""
    kept = _OPERATORS.get(reader, table.entry.id)
    if kept is not None:
        return kept
    rows = yield from operator_rows(table)
    operators = _instances(rows) if rows.columns.name else []
    yield
    if rows.columns.is_mean:
        sums: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
        for each in operators:
            count, time = sums[each.type, each.core]
            sums[each.type, each.core] = count + (each.count or 0), time + each.weight
    else:
        sums = rows.type_sums()
    named = zip(rows.type.tolist(), rows.core.tolist(), rows.share.tolist(), strict=True)
    shares = {(rows.types[name], rows.cores[core]): share for name, core, share in named if share == share}
    return _OPERATORS.keep(reader, table.entry.id, TableOperators(table, operators, sums, shares))


_OPERATOR_BYTES: Final = 500  # of one, with its texts

_OPERATORS: Final[KeyedRunCache[int, TableOperators]] = KeyedRunCache(
    "table_operators", "operators of tables", lambda kept: _OPERATOR_BYTES * (len(kept.operators) + len(kept.sums) + 1)
)


def _instances(rows: OperatorRows) -> list[OperatorInstance]:
    """The operators of a table, by name, type and core."""
    keys = (rows.name * len(rows.types) + rows.type) * len(rows.cores) + rows.core
    if rows.columns.is_mean:  # each row is an operator
        groups, first = np.arange(len(keys)), np.arange(len(keys))
    else:
        order = np.lexsort(
            (np.where(np.ma.getmaskarray(rows.time), np.inf, -rows.time.filled(0).astype(np.float64)), keys)
        )
        _, first, groups = np.unique(keys[order], return_index=True, return_inverse=True)
        first = order[first]
        back = np.empty(len(order), np.int64)
        back[order] = groups
        groups = back
    counts, times = group_sums(rows.count, groups, len(first)), group_sums(rows.time, groups, len(first))
    has_count = ~np.ma.getmaskarray(rows.count)[first]
    has_time = ~np.ma.getmaskarray(rows.time)[first]  # a run without a time comes behind all others
    made = []
    figures = zip(first.tolist(), counts, times, has_count.tolist(), has_time.tolist(), strict=True)
    for row, count, time, counted, timed in figures:
        total, mean = (None, None) if not timed else (None, time) if rows.columns.is_mean else (time, None)
        if rows.columns.is_mean and counted and timed:
            total = time * count
        elif total is not None and count > 0:
            mean = (2 * total + count) // (2 * count)
        name, core = rows.names[int(rows.name[row])], rows.cores[int(rows.core[row])]
        kind = rows.types[int(rows.type[row])] or type_in_name(name)
        made.append(OperatorInstance(rows.table, row, name, kind, core, count if counted else None, total, mean))
    return made


def framework_rows(tables: Sequence[RunTable]) -> Interruptible[dict[tuple[int | None, str], tuple[RunTable, int]]]:
    """The place of each operator in `framework_raw`, by rank and full name."""
    places: dict[tuple[int | None, str], tuple[RunTable, int]] = {}
    for table in tables:
        name = column_named(table, "full_kernel_name", "full_op_name")
        if name is not None:
            for row, text in enumerate((yield from table.column(name)).texts()):
                if text is not None:
                    places.setdefault((table.entry.rank, text), (table, row))
            yield
    return places


def details(table: RunTable, row: int) -> Interruptible[dict[str, str | None]]:
    """The columns of DETAILS of a row, as texts; shapes of `framework_raw` are in its `op_info`."""
    cells: dict[str, str | None] = {}
    for detail, (_, plain) in DETAILS.items():
        cells[detail] = yield from _cell(table, row, *plain)
    information = yield from _cell(table, row, "op_info")
    if information is not None:
        cells |= _sides(information)
    return cells


def metrics(table: RunTable, row: int) -> Interruptible[dict[str, float]]:
    """Counts of the hardware of a row, by the names of the header."""
    counted = {}
    for name in table.columns:
        if _METRIC.match(name) and plain_name(name) not in ("memory", "memorylimit"):
            value = float((yield from table.column(name)).rows(np.array([row])).doubles()[0])
            if np.isfinite(value):
                counted[name] = value
    return counted


def time_of(table: RunTable, row: int, *plain: str) -> Interruptible[int | None]:
    """A time in ms of a row, as picoseconds."""
    header = column_named(table, *plain)
    if header is None:
        return None
    value: int | None = whole_figures((yield from table.column(header)).rows(np.array([row])), _MS).tolist()[0]
    return value


def _cell(table: RunTable, row: int, *plain: str) -> Interruptible[str | None]:
    header = column_named(table, *plain)
    return None if header is None else (yield from table.column(header)).rows(np.array([row])).texts()[0]


def _sides(information: str) -> dict[str, str | None]:
    """Shapes, types and formats of `{"input_0": {"format": …, "data_type": …, "shape": …}, …}`."""
    try:
        members: Any = json.loads(information)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(members, dict):
        return {}
    cells: dict[str, str | None] = {}
    for side in ("input", "output"):
        values = [value for key, value in members.items() if key.startswith(side) and isinstance(value, dict)]
        for what, member in (("shapes", "shape"), ("types", "data_type"), ("formats", "format")):
            cells[f"{side}_{what}"] = ";".join(_text(value.get(member)) for value in values) or None
    return cells


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
