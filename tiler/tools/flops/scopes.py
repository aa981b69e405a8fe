"""The scopes of a network as a tree: from the links that MindSpore writes, or from the full names of operators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tilescope.tiler.tools.answer import Column, Table

MAX_SCOPES: Final = 65_536

_TOTAL: Final = "Total"  # as MindSpore calls the row above all
_DEEPEST: Final = 100


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """A scope, below another row, with the FLOPs of all that lies in it."""

    name: str
    parent: int  # a row, -1: none
    level: int
    flops: int
    rank: int | None


@dataclass(slots=True)
class ScopeTree:
    """Rows of all ranks, parents first."""

    rows: list[ScopeRow] = field(default_factory=list)
    left_out: int = 0  # scopes of which the links do not say in which other they lie

    def add_links(self, links: Iterable[tuple[str, str, int]], rank: int | None) -> None:
        """The tree of links (scope, scope in it, FLOPs). Names of links have no path.

        A name that lies in several scopes is a row in each; what is in it could lie in any of them, and is left out.
        """
        inner: dict[str, dict[str, int]] = defaultdict(dict)
        above: dict[str, set[str]] = defaultdict(set)
        for source, target, flops in links:
            inner[source][target] = inner[source].get(target, 0) + flops
            above[target].add(source)
        roots = [name for name in inner if name not in above]
        names = {*inner, *above}
        shown = set()
        waiting = [(name, -1, sum(inner[name].values())) for name in reversed(roots)]
        while waiting:
            name, parent, flops = waiting.pop()
            shown.add(name)
            row = self._add(name, parent, flops, rank)
            if len(above.get(name, ())) < 2:
                waiting += [(below, row, part) for below, part in reversed(inner.get(name, {}).items())]
        self.left_out += len(names - shown)

    def add_operators(self, operators: Iterable[tuple[str, int]], rank: int | None) -> None:
        """The tree of the full names of operators, of which the last part is the operator itself."""
        sums: dict[tuple[str, ...], int] = {(): 0}
        for name, flops in operators:
            path = tuple(name.split("/", _DEEPEST)[:-1])
            for depth in range(len(path) + 1):
                sums[path[:depth]] = sums.get(path[:depth], 0) + flops
        rows: dict[tuple[str, ...], int] = {}
        for path, flops in sorted(sums.items()):
            rows[path] = self._add(path[-1] if path else _TOTAL, rows[path[:-1]] if path else -1, flops, rank)

    def table(self, depth: int | None) -> Table:
        """The rows of the first levels, of all by default; at most MAX_SCOPES."""
        rows = [row for row in self.rows if depth is None or row.level < depth][:MAX_SCOPES]
        places = {id(row): place for place, row in enumerate(rows)}
        parents = [-1 if row.parent < 0 else places[id(self.rows[row.parent])] for row in rows]
        wholes = self._wholes(rows)
        columns = [
            Column("name", "Scope", "name", [row.name for row in rows]),
            Column("flops", "FLOPs", "flops", [row.flops for row in rows], total="none"),
            Column("share", "Share", "fraction", wholes, total="none"),
            Column("level", "Level", "count", [row.level for row in rows], total="none"),
            Column("rank", "Rank", "count", [row.rank for row in rows], total="none"),
            Column("parent", "Parent", "id", parents),
        ]
        return Table("scopes", "By scope", columns, parent="parent", nested=("flops",))

    def _wholes(self, rows: Sequence[ScopeRow]) -> list[float | None]:
        """The share of each row of its rank."""
        sums: Mapping[int | None, int] = self.sums()
        return [row.flops / sums[row.rank] if sums[row.rank] else None for row in rows]

    def sums(self) -> dict[int | None, int]:
        """The FLOPs of all roots of each rank."""
        sums: dict[int | None, int] = defaultdict(int)
        for row in self.rows:
            if row.parent < 0:
                sums[row.rank] += row.flops
        return sums

    def _add(self, name: str, parent: int, flops: int, rank: int | None) -> int:
        level = 0 if parent < 0 else self.rows[parent].level + 1
        self.rows.append(ScopeRow(name, parent, level, flops, rank))
        return len(self.rows) - 1
