"""Ancestors in a forest whose nodes have the row of their parent: for figures along whole chains, however deep."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def ancestors(parent: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Rows that have an ancestor 1, 2, 4, 8 … levels up, and which: a turn for each distance. Parents below 0 are none.

    Ends where parents lead in a circle, too: after turns that would reach the top of a chain of all rows.
    """
    above = parent.copy()
    for _ in range(len(parent).bit_length()):
        rows = np.flatnonzero(above >= 0)
        if not len(rows):
            return
        yield rows, above[rows]
        above[rows] = above[above[rows]]
