"""Nodes of a call tree that are listed, and what all of them come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.call_tree.name_filter import chains_through

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ListedNodes:
    """Columns of nodes that are listed, parents first, as `CallTree.rows` has them; and sums over all nodes."""

    columns: Sequence[Ints]  # parent, name, total, self, count, calls, longest, track, ordinal
    nodes: int
    ticks: int
    slices: int
    levels: int


def listed_nodes(tree: _native.CallTree, limit: int, depth: int) -> ListedNodes:
    """The nodes with the most time."""
    return ListedNodes(tree.rows(limit, depth), *tree.totals())


def nodes_through(
    reader: QueryReader, tree: _native.CallTree, name: str, limit: int, depth: int
) -> Interruptible[ListedNodes]:
    """The nodes with the most time in slices of one name: what these are in has theirs alone. Raises DamagedStore."""
    parent, names, total, own, count, calls, *longest = tree.rows(_native.MOST_NODES, _native.MOST_NODES)
    has_text = yield from reader.names.numbers(lambda each: int(each.text == name))
    yield
    is_named = np.zeros(len(names), np.bool_)
    is_slice = names >= -1  # others stand for tracks
    is_named[is_slice] = has_text[names[is_slice] + 1] != 0
    chains = yield from chains_through(parent, is_named)
    totals = yield from chains.sums(total)
    all_calls = yield from chains.sums(calls)
    rows = chains.largest(totals, limit, depth)
    yield
    row = np.full(len(chains.kept) + 1, -1)
    row[rows] = np.arange(len(rows))
    # What is above the name has no slice to show as its longest.
    slices = [chains.own(column, -1) for column in longest]
    columns = [totals, chains.own(own), chains.own(count), all_calls, *slices]
    listed = [row[chains.parent[rows]], names[chains.kept[rows]], *(column[rows] for column in columns)]
    levels = int(chains.level.max(initial=0))
    return ListedNodes(listed, len(chains.kept), chains.total(total), chains.total(calls), levels)
