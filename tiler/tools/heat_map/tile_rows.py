"""Rows of tiles on a page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def tile_rows(ends: Ints, tiles: Ints) -> tuple[Ints, Ints]:
    """Rows of some tiles, and of each the place of its tile among these."""
    counts = ends[tiles + 1] - ends[tiles]
    of_tile = np.repeat(np.arange(len(tiles)), counts)
    within = np.arange(len(of_tile)) - np.repeat(np.cumsum(counts) - counts, counts)
    return ends[tiles][of_tile] + within, of_tile
