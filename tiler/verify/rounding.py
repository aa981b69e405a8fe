"""Whether what pages say without their residuals is as close to the exact busy times as is promised."""

from __future__ import annotations

import numpy as np

from tilescope.tiler.pages import Page
from tilescope.tiler.verify.columns import changes

_PRECISION_BITS = 8


def wrongly_rounded(rounded: Page, exact: Page) -> tuple[int, int] | None:
    """Tile of the page and row where the sum of the first bins is off by more than half a quantum; None: nowhere."""
    bins = exact.bins
    if not len(bins):
        return None
    tile = np.repeat(np.arange(len(exact)), np.diff(exact.bin_ends))
    limit = min(1 << (2 * exact.level), int(bins.busy.max())) >> _PRECISION_BITS
    quantum = max(limit, int(np.gcd.reduce(bins.busy)), 1)
    first = changes(tile, bins.row)
    off = np.cumsum(bins.busy - rounded.bins.busy)
    before = np.repeat(np.append(0, off[first[1:] - 1]), np.diff(first, append=len(off)))
    wrong = np.flatnonzero((2 * np.abs(off - before) > quantum) | (rounded.bins.busy < 0))
    return (int(tile[wrong[0]]), int(bins.row[wrong[0]])) if len(wrong) else None
