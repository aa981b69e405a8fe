"""Chains of a call tree that go through a name: what its slices are in, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.ancestors import ancestors
from tilescope.tiler.query import Interruptible

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

    def sums(self, values: NDArray[Any]) -> Interruptible[NDArray[Any]]:
        """Figures with what is below: above the name, the sum of those of its first nodes."""
        kept = values[self.kept]
        if not self.is_above.any():
            return kept
        firsts = np.where(self.is_first, kept, 0)
        if firsts.dtype != object and float(firsts.astype(np.float64).sum()) >= _LONG:
            firsts = firsts.astype(object)
        below = yield from _sums_below(self.parent, firsts)
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
        # A parent has at least what its children have, and comes before them.
        listed: Ints = rows[np.argsort(-totals[rows], kind="stable")][:limit]
        return listed


def chains_through(parent: Ints, is_named: Mask) -> Interruptible[NamedChains]:
    """The nodes with a name, those above and those below them; parents stand before their children."""
    level, has_name = np.ones(len(parent), np.int64), is_named.copy()
    for rows, above in ancestors(parent):
        level[rows], has_name[rows] = level[rows] + level[above], has_name[rows] | has_name[above]
        yield
    is_first = is_named & ~(has_name[parent] & (parent >= 0))
    is_kept = has_name | ((yield from _sums_below(parent, is_first.astype(np.int64))) > 0)
    kept = np.flatnonzero(is_kept)
    row = np.full(len(parent) + 1, -1)  # the last: of those at the top
    row[kept] = np.arange(len(kept))
    return NamedChains(kept, row[parent[kept]], level[kept], ~has_name[kept], is_first[kept])


def _sums_below(parent: Ints, values: NDArray[Any]) -> Interruptible[NDArray[Any]]:
    """Values of each node and all below it, added up."""
    sums = values.copy()
    for rows, above in ancestors(parent):
        np.add.at(sums, above, sums[rows])
        yield
    return sums
