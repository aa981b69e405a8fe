"""The scopes of a network as a tree: from the links that MindSpore writes, or from the full names of operators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.table_places import place_columns

MAX_SCOPES: Final = 65_536  # in an answer

_MOST: Final = 1 << 20  # of a run
_TOTAL: Final = "Total"  # as MindSpore calls the row above all
_DEEPEST: Final = 100
_AT_ONCE: Final = 1 << 14
_SCOPES_AT_ONCE: Final = 1 << 9  # each may be a hundred names deep


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """A scope, below another row, with the FLOPs of all that lies in it."""

    name: str
    parent: int  # a row, -1: none
    root: int  # the row above all
    level: int
    flops: int
    table: RunTable


@dataclass(slots=True)
class ScopeTree:
    """Rows of all files, parents first."""

    rows: list[ScopeRow] = field(default_factory=list)
    left_out: int = 0  # scopes of which the links do not say in which other they lie
    too_many: int = 0  # scopes whose inner scopes are left out

    @property
    def has_levels(self) -> bool:
        """True if any scope lies in another."""
        return any(row.parent >= 0 for row in self.rows)

    def add_links(self, links: Iterable[tuple[str, str, int]], table: RunTable) -> Interruptible[None]:
        """The tree of links (scope, scope in it, FLOPs). Names of links have no path.

        A name that lies in several scopes is a row in each; what is in it could lie in any of them, and is left out.
        """
        inner: dict[str, dict[str, int]] = defaultdict(dict)
        above: dict[str, set[str]] = defaultdict(set)
        for number, (source, target, flops) in enumerate(links):
            inner[source][target] = inner[source].get(target, 0) + flops
            above[target].add(source)
            if number % _AT_ONCE == 0:
                yield
        roots = [name for name in inner if name not in above]
        names = {*inner, *above}
        shown = set()
        waiting = [(name, -1, sum(inner[name].values())) for name in reversed(roots)]
        while waiting and len(self.rows) < _MOST:
            name, parent, flops = waiting.pop()
            shown.add(name)
            row = self._add(name, parent, flops, table)
            if len(above.get(name, ())) < 2:
                waiting += [(below, row, part) for below, part in reversed(inner.get(name, {}).items())]
            if row % _AT_ONCE == 0:
                yield
        self.left_out += len(names - shown)

    def add_operators(self, operators: Iterable[tuple[str, int]], table: RunTable) -> Interruptible[None]:
        """The tree of the full names of operators, of which the last part is the operator itself."""
        by_scope: dict[str, int] = {}
        for number, (name, flops) in enumerate(operators):
            scope = name[: name.rfind("/") + 1]
            by_scope[scope] = by_scope.get(scope, 0) + flops
            if number % _AT_ONCE == 0:
                yield
        sums: dict[tuple[str, ...], int] = {(): 0}
        room = _MOST - len(self.rows)
        for number, (scope, flops) in enumerate(by_scope.items()):
            path = tuple(scope.split("/", _DEEPEST)[:-1])
            for depth in range(len(path) + 1):
                if path[:depth] not in sums and len(sums) >= room:
                    self.too_many += 1
                    break
                sums[path[:depth]] = sums.get(path[:depth], 0) + flops
            if number % _SCOPES_AT_ONCE == 0:
                yield
        rows: dict[tuple[str, ...], int] = {}
        for path, flops in sorted(sums.items()):
            rows[path] = self._add(path[-1] if path else _TOTAL, rows[path[:-1]] if path else -1, flops, table)
        yield

    def table(self, depth: int | None) -> Table:
        """The rows of the first levels, of all by default; at most MAX_SCOPES."""
        places: dict[int, int] = {-1: -1}
        rows: list[ScopeRow] = []
        for number, row in enumerate(self.rows):
            if len(rows) < MAX_SCOPES and (depth is None or row.level < depth):
                places[number] = len(rows)
                rows.append(row)
        columns = [
            Column("name", "Scope", "name", [row.name for row in rows]),
            Column("flops", "FLOPs", "flops", [row.flops for row in rows], total="none"),
            Column("share", "Share", "fraction", [self._share(row) for row in rows], total="none"),
            Column("level", "Level", "count", [row.level for row in rows], total="none"),
            *place_columns([row.table for row in rows]),
            Column("parent", "Parent", "id", [places[row.parent] for row in rows]),
        ]
        return Table("scopes", "By scope", columns, parent="parent", nested=("flops",))

    def _share(self, row: ScopeRow) -> float | None:
        """The share in the root that it lies in."""
        whole = self.rows[row.root].flops
        return row.flops / whole if whole else None

    def _add(self, name: str, parent: int, flops: int, table: RunTable) -> int:
        number = len(self.rows)
        level, root = (0, number) if parent < 0 else (self.rows[parent].level + 1, self.rows[parent].root)
        self.rows.append(ScopeRow(name, parent, root, level, flops, table))
        return number
