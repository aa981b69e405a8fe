"""Slack of the nodes of a graph: sums that stop at none, and edges that are refused."""

from __future__ import annotations

import numpy as np
import pytest

from tilescope.tiler import _native

ENDLESS = 2**63 - 1


def slack(edges: list[tuple[int, int, int]], nodes: int) -> list[int]:
    """Slack by edges (source, target, wait)."""
    source, target, wait = map(np.ascontiguousarray, np.array(edges, np.int64).reshape(-1, 3).T)
    least: list[int] = _native.least_slack(source, target, wait, nodes).tolist()
    return least


def test_the_least_of_all_ways() -> None:
    assert slack([(0, 1, 5), (0, 2, 1), (1, 3, 0), (2, 3, 9)], 4) == [5, 0, 9, 0]
    assert slack([(0, 1, 1)], 3) == [ENDLESS, ENDLESS, 0]
    assert slack([(0, 1, ENDLESS), (1, 2, ENDLESS - 1)], 3) == [ENDLESS, ENDLESS - 1, 0]
    assert slack([], 0) == []


@pytest.mark.parametrize(
    ("edges", "what"),
    [
        ([(0, 3, 1)], "later node"),
        ([(-1, 1, 1)], "later node"),
        ([(1, 1, 1)], "later node"),
        ([(2, 1, 1)], "later node"),
        ([(1, 2, 1), (0, 1, 1)], "order of their sources"),
        ([(0, 1, -1)], "below 0"),
    ],
)
def test_other_edges_are_refused(edges: list[tuple[int, int, int]], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        slack(edges, 3)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        _native.least_slack(np.zeros(1, np.int64), np.ones(2, np.int64), np.zeros(1, np.int64), 3)
