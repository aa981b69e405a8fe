"""Chains of a call tree that go through a name: what its slices are in, and what is in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Sums of a tree's ticks below fit into 64 bits.
_LONG: Final = float(1 << 62)


@dataclass(frozen=True, slots=True)
class NamedChains:
    """Nodes on chains through a name, parents first. Shape (n,), each."""

    kept: Ints  # places among all nodes
    parent: Ints  # rows here, -1 none
    level: Ints  # 1 at the top
    is_above: Mask  # the name is in nodes below alone
    is_first: Mask  # they have the name, and none above does

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Figures with what is below: above the name, the sum of those of its first nodes."""
        kept = values[self.kept]
        below = np.where(self.is_first, kept, 0)
        if below.dtype != object and float(below.astype(np.float64).sum()) >= _LONG:
            below = below.astype(object)
        for rows in _levels_up(self.level):
            np.add.at(below, self.parent[rows], below[rows])
        return np.where(self.is_above, below, kept)

    def own(self, values: NDArray[Any], above: int = 0) -> NDArray[Any]:
        """Figures without what is below; `above` the name."""
        return np.where(self.is_above, above, values[self.kept])

    def total(self, values: NDArray[Any]) -> int:
        """Sum over all chains, of figures with what is below."""
        return sum(values[self.kept[self.is_first]].tolist())

    def largest(self, totals: NDArray[Any], limit: int, depth: int) -> Ints:
        """Rows of the nodes that are listed: down to a level those with the greatest totals, parents first."""
        rows = np.flatnonzero(self.level <= depth)
        # Python's order of integers of any size; a parent has at least what its children have, and comes before them.
        order = sorted(rows.tolist(), key=lambda row: (-totals[row], row))[:limit]
        return np.array(order, np.int64)


def chains_through(parent: Ints, is_named: Mask) -> NamedChains:
    """The nodes with a name, those above and those below them; parents stand before their children."""
    level, has_name = np.ones(len(parent), np.int64), is_named.copy()
    above = parent.copy()
    while (above >= 0).any():  # twice as far in each turn
        rows = np.flatnonzero(above >= 0)
        there = above[rows]
        level[rows], has_name[rows] = level[rows] + level[there], has_name[rows] | has_name[there]
        above[rows] = above[there]
    is_first = is_named & ~(has_name[parent] & (parent >= 0))
    is_kept = has_name.copy()
    for rows in _levels_up(level):
        is_kept[parent[rows[is_kept[rows]]]] = True
    kept = np.flatnonzero(is_kept)
    row = np.full(len(parent) + 1, -1)  # the last: of those at the top
    row[kept] = np.arange(len(kept))
    return NamedChains(kept, row[parent[kept]], level[kept], ~has_name[kept], is_first[kept])


def _levels_up(level: Ints) -> Iterator[Ints]:
    """Nodes of each level, the deepest first, without those at the top."""
    order = np.argsort(level, kind="stable")
    borders = np.flatnonzero(np.diff(level[order], prepend=0))
    yield from reversed(np.split(order, borders[1:])[1:])
