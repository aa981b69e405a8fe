"""Tables of what is allocated in a range: by operation, and one by one with the time at which it is freed."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.memory import MemoryPool
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.stacks.frame_kinds import short_module
from tilescope.tiler.facts.tables import Ints
from tilescope.tiler.facts.wide_sums import WideSums
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.windows import Windows
from tilescope.tiler.words import Words

_NAMELESS: Final = "not recorded"


def lifetime_tables(memory: MemoryPool, windows: Windows, limit: int) -> list[Table]:
    """Both tables; the first where operations have names, none where nobody knows what is freed."""
    made = memory.made_in(windows)
    if not memory.has_addresses or not len(made):
        return []
    freed_at = memory.freed_at(made)
    tables = [_lifetimes(memory, made, freed_at, limit)]
    if (memory.operation[made] >= 0).any():
        tables.insert(0, _operations(memory, made, freed_at, limit))
    return tables


def _operations(memory: MemoryPool, made: Ints, freed_at: Ints, limit: int) -> Table:
    """Allocations by operation, those that allocate most first."""
    used, groups = distinct(memory.operation[made].astype(np.int64) + 1)
    n = len(used)
    size, stays, is_freed = np.maximum(memory.size[made], 0), memory.stays(made), freed_at >= 0
    ticks = np.where(is_freed, freed_at - memory.start[made], 0)
    allocated = WideSums.from_groups(np.ma.MaskedArray(size), groups, n)
    kept = WideSums.from_groups(np.ma.MaskedArray(size, ~stays), groups, n)
    lengths = WideSums.from_groups(np.ma.MaskedArray(ticks), groups, n)
    count, kept_count = np.bincount(groups, minlength=n), np.bincount(groups[stays], minlength=n)
    largest = np.zeros(n, np.int64)
    np.maximum.at(largest, groups, size)
    order = np.lexsort((used, -allocated.doubles()))
    rows, others = order[:limit], order[limit:]
    names = [memory.texts[code - 1] if code else _NAMELESS for code in used[rows].tolist()]
    freed = np.bincount(groups[is_freed], minlength=n)[rows].tolist()
    means: list[Value] = [
        round(length / frees) if frees else None
        for length, frees in zip(lengths.take(rows).integers(), freed, strict=True)
    ]
    columns = [
        Column("operation", "Operation", "name", names),
        Column("allocated", "Allocated", "bytes", allocated.take(rows).integers()),
        Column("allocations", "Allocations", "count", count[rows]),
        Column("largest", "Largest", "bytes", largest[rows], total="max"),
        Column("lifetime", "Mean lifetime", "ticks", means, total="none"),
        Column("never_freed", "Never freed", "count", kept_count[rows]),
        Column("never_freed_bytes", "Bytes never freed", "bytes", kept.take(rows).integers()),
        query_column(names),
    ]

    def sums(which: Ints) -> dict[str, Value]:
        return {
            "allocated": sum(allocated.take(which).integers()),
            "allocations": int(count[which].sum()),
            "never_freed": int(kept_count[which].sum()),
            "never_freed_bytes": sum(kept.take(which).integers()),
        }

    rest = sums(others) if len(others) else None
    return Table("operations", "Allocated in the range, by operation", columns, totals=sums(order), rest=rest)


def _lifetimes(memory: MemoryPool, made: Ints, freed_at: Ints, limit: int) -> Table:
    """Allocations one by one, the largest first, of equal ones that which is made first."""
    size = np.maximum(memory.size[made], 0)
    rows = _largest(size, limit)
    start, end = memory.start[made[rows]], freed_at[rows]
    is_open = end < 0  # it stays, or nobody knows
    places = zip(memory.track[made[rows]].tolist(), memory.ordinal[made[rows]].tolist(), strict=True)
    columns = [
        Column("operation", "Operation", "name", Words(memory.operation[made[rows]], memory.texts)),
        *_frames(memory, made[rows]),
        Column("size", "Size", "bytes", size[rows]),
        Column("start", "Allocated at", "time", start, total="min"),
        Column("end", "Freed at", "time", np.ma.MaskedArray(end, is_open), total="max"),
        Column("duration", "Lives for", "ticks", np.ma.MaskedArray(end - start, is_open), total="none"),
        Column("never_freed", "Never freed", "flag", memory.stays(made[rows]).tolist()),
        Column(
            "event", "Event", "event", [f"{track}.{ordinal}" if ordinal >= 0 else None for track, ordinal in places]
        ),
        Column(
            "track", "Track", "track", [track if track >= 0 else None for track in memory.track[made[rows]].tolist()]
        ),
    ]
    total, listed = sum_of(size), sum_of(size[rows])
    rest: dict[str, Value] | None = {"size": total - listed} if len(rows) < len(made) else None
    return Table("lifetimes", "Allocated in the range, one by one", columns, totals={"size": total}, rest=rest)


def _frames(memory: MemoryPool, events: Ints) -> list[Column]:
    """Columns of the module and the function around events; none where nobody says them."""
    owners = memory.owners
    if owners is None:
        return []
    module, function = owners.module[events], owners.function[events]
    columns = []
    if (owners.module >= 0).any():
        columns.append(Column("module", "Module", "text", Words(module, [short_module(text) for text in memory.texts])))
    if (owners.function >= 0).any():
        columns.append(Column("function", "Function", "text", Words(function, memory.texts)))
    return columns


def _largest(size: Ints, limit: int) -> Ints:
    """Rows with the largest sizes, so many of them, in descending order: of equal ones the first ones first."""
    if 0 < limit < len(size):
        least = np.partition(size, len(size) - limit)[len(size) - limit]
        larger, alike = np.flatnonzero(size > least), np.flatnonzero(size == least)
        rows = np.concatenate([larger, alike[: limit - len(larger)]])
    else:
        rows = np.arange(min(limit, len(size)))
    return rows[np.lexsort((rows, -size[rows]))]
