"""Tables of how much a memory grows in a range: by operator of PyTorch, with the operators in it, and by module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.facts.memory import MemoryPool
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.stacks.frame_kinds import short_module
from tilescope.tiler.facts.tables import Ints
from tilescope.tiler.schema import Kind
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.windows import Windows

_OUTSIDE: Final = "in no {}"


@dataclass(slots=True)
class _Growth:
    """Allocations and frees, and the bytes of each."""

    made: int = 0
    freed: int = 0
    made_bytes: int = 0
    freed_bytes: int = 0

    def add(self, other: _Growth) -> None:
        """Adds others."""
        self.made += other.made
        self.freed += other.freed
        self.made_bytes += other.made_bytes
        self.freed_bytes += other.freed_bytes

    @property
    def bytes(self) -> int:
        """Bytes by which the memory grows; below 0: by which it shrinks."""
        return self.made_bytes - self.freed_bytes


def growth_tables(memory: MemoryPool, windows: Windows, limit: int) -> list[Table]:
    """Tables by operator and by module, where frames around its events were recorded."""
    owners = memory.owners
    events = memory.events_in(windows)
    if owners is None or not len(events):
        return []
    tables = []
    sums = _sums(memory, events, owners.operators[events].astype(np.int64))
    if sums.keys() - {0}:
        tables.append(_operators_table(memory, owners.chains, sums, limit))
    module = owners.module[events].astype(np.int64)
    if (module >= 0).any():
        tables.append(_modules_table(memory, _sums(memory, events, module), limit))
    return tables


def _sums(memory: MemoryPool, events: Ints, groups: Ints) -> dict[int, _Growth]:
    """Sums of some events by group."""
    order = np.argsort(groups, kind="stable")
    events, groups = events[order], groups[order]
    borders = np.flatnonzero(np.diff(groups, prepend=np.iinfo(np.int64).min))
    sums = {}
    for first, part in zip(borders.tolist(), np.split(events, borders[1:]), strict=True):
        made, freed = part[memory.is_made[part]], part[memory.is_free[part]]
        sums[int(groups[first])] = _Growth(
            len(made),
            len(freed),
            sum_of(np.maximum(memory.size[made], 0)),
            sum_of(np.maximum(memory.size[freed], 0)),
        )
    return sums


def _operators_table(
    memory: MemoryPool, chains: Sequence[Sequence[int]], sums: Mapping[int, _Growth], limit: int
) -> Table:
    own: dict[int, _Growth] = defaultdict(_Growth)  # by text, -1 that of none
    total: dict[int, _Growth] = defaultdict(_Growth)
    for number, growth in sums.items():
        chain = chains[number]
        own[chain[-1] if chain else -1].add(growth)
        for operator in set(chain) or {-1}:
            total[operator].add(growth)
    rows = sorted(total, key=lambda operator: (-abs(total[operator].bytes), -total[operator].made_bytes, operator))
    names = [_OUTSIDE.format("operator") if row < 0 else memory.texts[row] for row in rows]

    def figures(name: str, title: str, kind: Kind, value: Callable[[_Growth], int]) -> list[Column]:
        return [
            Column(f"{name}_self", f"{title}, self", kind, [value(own[row]) for row in rows[:limit]]),
            Column(name, title, kind, [value(total[row]) for row in rows[:limit]], total="none"),
        ]

    columns = [
        Column("operation", "Operation", "name", names[:limit]),
        *figures("growth", "Growth", "bytes", lambda growth: growth.bytes),
        *figures("allocated", "Allocated", "bytes", lambda growth: growth.made_bytes),
        *figures("freed", "Freed", "bytes", lambda growth: growth.freed_bytes),
        *figures("allocations", "Allocations", "count", lambda growth: growth.made),
        *figures("frees", "Frees", "count", lambda growth: growth.freed),
        query_column(None if row < 0 else name for row, name in zip(rows[:limit], names, strict=False)),
    ]
    rest = _added(own[row] for row in rows[limit:]) if len(rows) > limit else None
    table_sums = _added(own[row] for row in rows)
    return Table("growth", "Growth in the range, by operator", columns, totals=table_sums, rest=rest)


def _modules_table(memory: MemoryPool, sums: Mapping[int, _Growth], limit: int) -> Table:
    rows = sorted(sums, key=lambda module: (-abs(sums[module].bytes), -sums[module].made_bytes, module))
    names = [_OUTSIDE.format("module") if row < 0 else memory.texts[row] for row in rows]
    growths = [sums[row] for row in rows]
    listed = growths[:limit]
    columns = [
        Column("module", "Module", "name", [short_module(name) for name in names[:limit]]),
        Column("growth_self", "Growth", "bytes", [growth.bytes for growth in listed]),
        Column("allocated_self", "Allocated", "bytes", [growth.made_bytes for growth in listed]),
        Column("freed_self", "Freed", "bytes", [growth.freed_bytes for growth in listed]),
        Column("allocations_self", "Allocations", "count", [growth.made for growth in listed]),
        Column("frees_self", "Frees", "count", [growth.freed for growth in listed]),
        query_column(None if row < 0 else name for row, name in zip(rows[:limit], names, strict=False)),
    ]
    rest = _added(growths[limit:]) if len(growths) > limit else None
    return Table("modules", "Growth in the range, by innermost module", columns, totals=_added(growths), rest=rest)


def _added(growths: Iterable[_Growth]) -> dict[str, Value]:
    added = _Growth()
    for growth in growths:
        added.add(growth)
    return {
        "growth_self": added.bytes,
        "allocated_self": added.made_bytes,
        "freed_self": added.freed_bytes,
        "allocations_self": added.made,
        "frees_self": added.freed,
    }
