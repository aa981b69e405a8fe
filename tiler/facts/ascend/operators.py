"""Operators of tables that profilers of Ascend devices write: times and counts, row by row and by type.

A rank has the same work in several files: the most detailed one counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import column_named, tables_of_rank
from tilescope.tiler.facts.table_figures import Figures, group_sums, whole_figures
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible, QueryReader

Codes = NDArray[np.int64]

AI_CORE: Final = "AI_CORE"
AI_CPU: Final = "AI_CPU"

_US: Final = 6  # a microsecond is 10^6 ps
_MS: Final = 9


class OperatorColumns(Struct, frozen=True):
    """Plain names of the columns of a family; without a name each row is a type."""

    time: tuple[str, ...]
    exponent: int  # of ten: picoseconds of its unit
    name: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    core: tuple[str, ...] = ()
    on: str = ""  # the core, where no column says it
    count: tuple[str, ...] = ()
    percent: tuple[str, ...] = ()
    is_mean: bool = False  # the time is that of a single run


FAMILIES: Final[Mapping[str, OperatorColumns]] = {
    "kernel_details": OperatorColumns(("duration",), _US, ("name",), ("type",), ("acceleratorcore",)),
    "op_summary": OperatorColumns(("taskduration",), _US, ("opname",), ("optype",), ("tasktype",)),
    "op_statistic": OperatorColumns(("totaltime",), _US, (), ("optype",), ("coretype",), count=("count",)),
    "aicore_types": OperatorColumns(
        ("total_time", "execution_time"),
        _MS,
        type=("kernel_type", "op_type"),
        on=AI_CORE,
        count=("execution_frequency",),
        percent=("percent",),
    ),
    "aicore_details": OperatorColumns(
        ("execution_time",),
        _MS,
        ("full_kernel_name", "full_op_name", "full_kernel_time"),
        on=AI_CORE,
        count=("execution_frequency",),
        is_mean=True,
    ),
    "aicpu_intermediate": OperatorColumns(("total_time",), _MS, ("kernel_type",), ("kernel_type",), on=AI_CPU),
}

_SAME_WORK: Final = ("kernel_details", "op_summary", "op_statistic")  # the most detailed first


TypeSums = Mapping[tuple[str, str], tuple[int, int]]  # by type and core: runs, picoseconds


@dataclass(frozen=True, slots=True)
class OperatorRows:
    """The rows of one table. Codes are places in the texts, of which the last is empty."""

    table: RunTable
    columns: OperatorColumns
    names: Sequence[str]
    name: Codes
    types: Sequence[str]
    type: Codes
    cores: Sequence[str]
    core: Codes
    time: Figures  # picoseconds of all runs of a row, or of one: `columns.is_mean`
    count: Figures
    share: NDArray[np.float64]  # as the file has it; NaN: it has none

    def type_sums(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Runs and picoseconds by type and core."""
        keys, groups = np.unique(self.type * len(self.cores) + self.core, return_inverse=True)
        counts, times = group_sums(self.count, groups, len(keys)), group_sums(self.time, groups, len(keys))
        named = [(self.types[key // len(self.cores)], self.cores[key % len(self.cores)]) for key in keys.tolist()]
        return {key: (count, time) for key, count, time in zip(named, counts, times, strict=True)}


def operator_tables(reader: QueryReader, rank: int | None) -> list[RunTable]:
    """The tables of operators that count, of one rank or of all."""
    tables = tables_of_rank(reader, rank, *FAMILIES)
    best: dict[tuple[str, int | None], int] = {}
    for table in tables:
        if table.entry.family in _SAME_WORK:
            key, place = (table.entry.host, table.entry.rank), _SAME_WORK.index(table.entry.family)
            best[key] = min(place, best.get(key, place))
    return [
        table
        for table in tables
        if table.entry.family not in _SAME_WORK
        or _SAME_WORK.index(table.entry.family) == best[table.entry.host, table.entry.rank]
    ]


def operator_rows(table: RunTable) -> Interruptible[OperatorRows]:
    """The rows of a table of one of the families. Yields between columns."""
    columns = FAMILIES[table.entry.family]
    names, name = yield from _texts(table, columns.name, "")
    types, type_codes = yield from _texts(table, columns.type, "")
    cores, core = yield from _texts(table, columns.core, columns.on)
    time = yield from _figures(table, columns.time, columns.exponent)
    if columns.count:
        count = yield from _figures(table, columns.count, 0)
    else:
        count = np.ma.MaskedArray(np.ones(len(table), np.int64), False)
    share = np.full(len(table), np.nan)
    if (header := column_named(table, *columns.percent)) is not None:
        share = (yield from table.column(header)).doubles() / 100
    return OperatorRows(table, columns, names, name, types, type_codes, cores, core, time, count, share)


def _texts(table: RunTable, plain: tuple[str, ...], otherwise: str) -> Interruptible[tuple[list[str], Codes]]:
    header = column_named(table, *plain)
    if header is None:
        return [otherwise, ""], np.zeros(len(table), np.int64)
    codes, words = (yield from table.column(header)).coded()
    yield
    return [*words, ""], np.where(codes < 0, len(words), codes).astype(np.int64)


def _figures(table: RunTable, plain: tuple[str, ...], exponent: int) -> Interruptible[Figures]:
    header = column_named(table, *plain)
    if header is None:
        return np.ma.MaskedArray(np.zeros(len(table), np.int64), True)
    figures = whole_figures((yield from table.column(header)), exponent)
    yield
    return figures
