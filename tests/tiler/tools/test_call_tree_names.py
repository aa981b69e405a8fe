"""Chains of a call tree through a name, against chains that are walked one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tilescope.tiler.query import finish
from tilescope.tiler.tools.call_tree.name_filter import chains_through

# Of each node: the node above it, as a choice among those before it, whether it has the name, and its own figure.
NODES = st.lists(st.tuples(st.integers(0, 1 << 30), st.booleans(), st.integers(0, 1 << 58)), max_size=40)


def chain(parent: list[int], node: int) -> Iterator[int]:
    while node >= 0:
        yield node
        node = parent[node]


@pytest.mark.parametrize("dtype", [np.int64, object])
@given(nodes=NODES)
def test_chains_through_a_name(dtype: type, nodes: list[tuple[int, bool, int]]) -> None:
    parent = [choice % (place + 1) - 1 for place, (choice, _, _) in enumerate(nodes)]
    named = [is_named for _, is_named, _ in nodes]
    own = [figure for _, _, figure in nodes]
    chains = [list(chain(parent, node)) for node in range(len(nodes))]
    whole = [sum(own[other] for other in range(len(nodes)) if node in chains[other]) for node in range(len(nodes))]
    has_name = [any(named[each] for each in chains[node]) for node in range(len(nodes))]
    below = [any(named[other] and node in chains[other] for other in range(len(nodes))) for node in range(len(nodes))]
    kept = [node for node in range(len(nodes)) if has_name[node] or below[node]]
    # What counts at a node: its own figures and those below it that have the name around them.
    counted = [
        sum(own[other] for other in range(len(nodes)) if node in chains[other] and has_name[other]) for node in kept
    ]
    through = finish(chains_through(np.array(parent, np.int64), np.array(named, np.bool_)))
    figures: NDArray[Any] = np.array(whole, dtype)
    assert through.kept.tolist() == kept
    assert through.level.tolist() == [len(chains[node]) for node in kept]
    assert [kept[row] if row >= 0 else -1 for row in through.parent.tolist()] == [parent[node] for node in kept]
    sums = finish(through.sums(figures))
    assert sums.tolist() == counted
    assert through.total(figures) == sum(own[node] for node in kept if has_name[node])
    assert through.own(np.array(own, dtype)).tolist() == [own[node] if has_name[node] else 0 for node in kept]
    order = sorted(range(len(kept)), key=lambda row: (-counted[row], row))
    for limit, depth in ((3, 100), (100, 2)):
        shallow = [row for row in order if len(chains[kept[row]]) <= depth][:limit]
        assert through.largest(sums, limit, depth).tolist() == shallow


def test_sums_beyond_64_bits_are_exact() -> None:
    through = finish(chains_through(np.array([-1, 0, 0, 0], np.int64), np.array([False, True, True, True])))
    figures = np.array([0, *[(1 << 62) - 1] * 3], np.int64)
    assert finish(through.sums(figures)).tolist()[0] == 3 * ((1 << 62) - 1)
