"""Tables of operators that count in an answer: one source for each piece of work, which is often in several files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import column_named, texts_named
from tilescope.tiler.facts.ascend.operator_families import (
    CORE_DETAILS,
    CORE_TYPES,
    CPU_RUNS,
    FAMILIES,
    HOST_RUNS,
    SOURCES,
    Source,
)
from tilescope.tiler.facts.ascend.table_places import may_be_same, tables_of_rank, uncovered
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible, QueryReader

_ALL_OF_FRACTIONS: Final = 2  # percents add up to 100, and the fractions of a later version to 1


@dataclass(frozen=True, slots=True)
class CountedTable:
    """A table, and what of an answer it enters: sums by type, the list of operators, or both."""

    table: RunTable
    source: Source | None  # None: of host CPUs, beside all sources
    is_summed: bool = True
    is_listed: bool = True


def counted_tables(reader: QueryReader, rank: int | None, source: Source | None) -> Interruptible[list[CountedTable]]:
    """The tables of a rank, or of all: of a source, or of the most exact one of each place.

    A table without rows, as of a file that was cut off, covers no other.
    """
    counted: list[CountedTable] = []
    for name, families in SOURCES.items():
        if source in (None, name):
            before = [other.table for other in counted]
            tables = tables_of_rank(reader, rank, *families)
            own = [table for table in uncovered(tables, before) if len(table)]
            counted += (yield from _mindspore(own)) if name == "mindspore" else [CountedTable(t, name) for t in own]
    return [*counted, *(CountedTable(table, None) for table in tables_of_rank(reader, rank, HOST_RUNS))]


def sources_there(reader: QueryReader, rank: int | None) -> list[Source]:
    """The sources of which there are tables, the most exact first."""
    return [name for name, families in SOURCES.items() if tables_of_rank(reader, rank, *families)]


def _mindspore(tables: list[RunTable]) -> Interruptible[list[CountedTable]]:
    """MindSpore's tables: AI Cores by type and by operator, AI CPUs run by run.

    In later versions operators say their cores: they are all, and so are types, whose shares are fractions.
    """
    by_family = {family: [t for t in tables if t.entry.family == family] for family in SOURCES["mindspore"]}
    whole = []
    for table in by_family[CORE_DETAILS]:
        if column_named(table, *FAMILIES[CORE_DETAILS].core) and column_named(table, *FAMILIES[CORE_DETAILS].count):
            whole.append(table)
    types = [t for t in by_family[CORE_TYPES] if not any(may_be_same(t, other) for other in whole)]
    whole_types = []
    for table in types:
        if (yield from _is_of_all_cores(table)):
            whole_types.append(table)
    counted = [CountedTable(table, "mindspore", is_listed=False) for table in types]
    for table in by_family[CORE_DETAILS]:
        is_covered = table not in whole and any(may_be_same(table, other) for other in types)
        counted.append(CountedTable(table, "mindspore", is_summed=not is_covered))
    for table in by_family[CPU_RUNS]:
        if not any(may_be_same(table, other) for other in whole):
            is_covered = any(may_be_same(table, other) for other in whole_types)
            counted.append(CountedTable(table, "mindspore", is_summed=not is_covered))
    return counted


def written_shares(table: RunTable) -> Interruptible[dict[str, float]]:
    """The shares that a table of types has itself, by type; nothing of one that has none."""
    shares, are_fractions = yield from _shares(table)
    if are_fractions is None:
        return {}
    types = yield from texts_named(table, FAMILIES[CORE_TYPES].type)
    has_share = np.isfinite(shares)
    codes = types.codes[has_share]
    sums = np.bincount(codes, shares[has_share] / (1 if are_fractions else 100), len(types.words)).tolist()
    return {types.words[code]: sums[code] for code in np.unique(codes).tolist()}


def _is_of_all_cores(table: RunTable) -> Interruptible[bool]:
    """True for a table of types of a later version."""
    _, are_fractions = yield from _shares(table)
    return bool(are_fractions)


def _shares(table: RunTable) -> Interruptible[tuple[NDArray[np.float64], bool | None]]:
    """Shares of the rows as they are written, and whether they are fractions of 1; None: there are no shares."""
    header = column_named(table, "percent")
    if header is None:
        return np.zeros(0), None
    shares = (yield from table.column(header)).doubles()
    return shares, bool(np.nansum(shares) < _ALL_OF_FRACTIONS) if np.isfinite(shares).any() else None
