"""Operators of a table: its rows of the same name, type and core, as columns with exact sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.ascend.headers import (
    CodedTexts,
    column_named,
    figures_named,
    texts_named,
    times_named,
    unread_cells,
)
from tilescope.tiler.facts.ascend.operator_families import CORE_DETAILS, FAMILIES, OperatorColumns
from tilescope.tiler.facts.ascend.table_places import may_be_same
from tilescope.tiler.facts.cell_figures import Figures
from tilescope.tiler.facts.tables import Ints, RunTable, run_tables
from tilescope.tiler.facts.wide_sums import WideSums, counts_of
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache

FRAMEWORK: Final = "framework_raw"
FULL_NAMES: Final = ("full_kernel_name", "full_op_name", "op_full_name")

_AT_ONCE: Final = 1 << 16
_FEW: Final = 1 << 16  # numbers that need not be made compact before they are combined with more texts
_INT64: Final = float(1 << 63)


@dataclass(frozen=True, slots=True)
class OperatorGroups:
    """Columns of shape (n,). Codes are places in the texts; times are picoseconds."""

    table: RunTable
    has_names: bool
    names: CodedTexts
    types: CodedTexts
    cores: CodedTexts
    row: Ints  # of the longest run
    count: WideSums  # runs
    has_count: NDArray[np.bool_]
    total: WideSums  # of runs with a time
    timed: WideSums  # these runs
    has_total: NDArray[np.bool_]  # False: no time, or the times are means of runs that are not counted
    unread: int  # times and counts of rows that are no numbers, or beyond 64 bits

    def __len__(self) -> int:
        return len(self.row)


def operator_groups(reader: QueryReader, table: RunTable, *, are_named: bool = True) -> Interruptible[OperatorGroups]:
    """The operators of a table of one of the families, worked out once. Yields between columns.

    Unless `are_named`, those of a type on a core may be one, without a name: names take most of the time.
    """
    for key in {(table.entry.id, True), (table.entry.id, are_named)}:
        kept = _GROUPS.get(reader, key)
        if kept is not None:
            return kept
    columns = FAMILIES[table.entry.family]
    types = yield from texts_named(table, columns.type)
    if not are_named and bool(_without_word(types).any()):
        return (yield from operator_groups(reader, table))  # their types are in their names
    names = (yield from texts_named(table, columns.name)) if are_named else (yield from texts_named(table, ()))
    cores = yield from texts_named(table, columns.core, columns.on)
    time = yield from times_named(table, columns.time, columns.exponent)
    count = yield from _counts(table, columns)
    total, timed, is_total = _totals(columns, time, count)
    yield
    groups, size = yield from same_texts(names, types, cores)
    row = _longest(time, groups, size)
    yield
    names = CodedTexts(names.words, names.codes[row])
    types = CodedTexts(types.words, types.codes[row])
    made = OperatorGroups(
        table=table,
        has_names=are_named and bool(columns.name),
        names=names,
        types=(yield from _named_types(reader, table, names, types)),
        cores=CodedTexts(cores.words, cores.codes[row]),
        row=row,
        count=WideSums.from_groups(count, groups, size),
        has_count=counts_of(groups, ~np.ma.getmaskarray(count), size) > 0,
        total=WideSums.from_groups(total, groups, size),
        timed=WideSums.from_groups(timed, groups, size),
        has_total=counts_of(groups, is_total, size) > 0,
        unread=(yield from unread_cells(table, columns.time, time))
        + (yield from unread_cells(table, columns.count, count)),
    )
    return _GROUPS.keep(reader, (table.entry.id, are_named), made)


def same_texts(*columns: CodedTexts) -> Interruptible[tuple[Ints, int]]:
    """Numbers of rows, the same where all texts are, and how many there are. Products of all columns may not fit."""
    first, *others = columns
    groups, size = first.codes, len(first.words)  # some of these numbers may be unused
    is_compact = False
    for texts in others:
        if size * len(texts.words) > _FEW:
            if not is_compact:
                groups, size = _compact(groups)
                yield
            is_compact = True
            row = np.zeros(size, np.int64)
            row[groups] = np.arange(len(groups))  # one of each
            if np.array_equal(texts.codes[row][groups], texts.codes):  # operators of a name are of one type, as a rule
                continue
        groups, size = groups * len(texts.words) + texts.codes, size * len(texts.words)
        is_compact = False
        yield
    return (groups, size) if is_compact else _compact(groups)


def _compact(numbers: Ints) -> tuple[Ints, int]:
    used, groups = distinct(numbers)
    return groups, len(used)


def _size_bytes(groups: OperatorGroups) -> int:
    words = (*groups.names.words, *groups.types.words)
    return 100 * len(groups) + sum(map(len, words)) + 60 * len(words)


_GROUPS: Final[KeyedRunCache[tuple[int, bool], OperatorGroups]] = KeyedRunCache(
    "operator_groups", "Operators of the tables beside events", _size_bytes
)


def _counts(table: RunTable, columns: OperatorColumns) -> Interruptible[Figures]:
    """The runs of each row."""
    if not columns.count:
        return np.ma.MaskedArray(np.ones(len(table), np.int64), False)
    return (yield from figures_named(table, columns.count, 0))


def _totals(columns: OperatorColumns, time: Figures, count: Figures) -> tuple[Figures, Figures, NDArray[np.bool_]]:
    """The time of the runs of each row that have one, how many these are, and whether that is the time of all runs."""
    no_time, no_count = np.ma.getmaskarray(time), np.ma.getmaskarray(count)
    if not columns.is_mean:
        return time, np.ma.MaskedArray(count.filled(0), no_time), ~no_time
    runs = np.where(no_count, 1, count.filled(1))  # the mean of runs that are not counted is that of a single one
    is_too_large = np.abs(time.filled(0).astype(np.float64) * runs) >= _INT64
    total = np.ma.MaskedArray(time.filled(0) * np.where(is_too_large, 0, runs), no_time | is_too_large)
    return total, np.ma.MaskedArray(runs, total.mask), ~total.mask & ~no_count


def _longest(time: Figures, groups: Ints, size: int) -> Ints:
    """The row of each group with the longest time, the first of several; a row without a time comes behind all."""
    times = time.filled(np.iinfo(np.int64).min)
    longest = np.full(size, np.iinfo(np.int64).min)
    np.maximum.at(longest, groups, times)
    rows = np.flatnonzero(times == longest[groups])[::-1]
    row = np.zeros(size, np.int64)
    row[groups[rows]] = rows  # the first row of a group is put there last
    return row


def type_in_name(name: str) -> str:
    """The type that a full name of MindSpore ends with: `Cast` of `Default/net/Cast-op6`."""
    last = name.rpartition("/")[2]
    kind, mark, number = last.rpartition("-op")
    return kind if mark and number.isdecimal() else last


def _without_word(texts: CodedTexts) -> NDArray[np.bool_]:
    """True for rows whose text is empty."""
    are_empty: NDArray[np.bool_] = np.array([not word for word in texts.words], np.bool_)[texts.codes]
    return are_empty


def _named_types(
    reader: QueryReader, table: RunTable, names: CodedTexts, types: CodedTexts
) -> Interruptible[CodedTexts]:
    """The types; where there is none, that of the framework's table, or that in the name."""
    empty = _without_word(types)
    if not empty.any():
        return types
    framework: Mapping[str, str] = {}
    if table.entry.family == CORE_DETAILS:
        framework = yield from _framework_types(reader, table)
    codes = types.codes.copy()
    places = {word: place for place, word in enumerate(types.words)}
    different = len(places)
    rows = np.flatnonzero(empty)
    for first in range(0, len(rows), _AT_ONCE):
        part = rows[first : first + _AT_ONCE]
        own = [names.words[code] for code in names.codes[part].tolist()]
        kinds = [framework.get(name) or type_in_name(name) for name in own]
        codes[part] = [places.setdefault(kind, len(types.words) + len(places) - different) for kind in kinds]
        yield
    words = [*types.words, *islice(places, different, None)]
    return CodedTexts(words, codes)


def _framework_types(reader: QueryReader, table: RunTable) -> Interruptible[dict[str, str]]:
    """Types by full name, of the framework's table of the same place."""
    kinds: dict[str, str] = {}
    for framework in run_tables(reader, FRAMEWORK):
        if may_be_same(table, framework) and column_named(framework, *FULL_NAMES):
            names = yield from texts_named(framework, FULL_NAMES)
            types = yield from texts_named(framework, ("op_type", "kernel_type"))
            used, first = np.unique(names.codes, return_index=True)
            own = zip(used.tolist(), types.codes[first].tolist(), strict=True)
            kinds = {names.words[name]: types.words[kind] for name, kind in own} | kinds
            yield
    return kinds
