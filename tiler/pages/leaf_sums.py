"""Sums per name of parts of leaves, page by page, by native code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.pages.histogram import Histogram
from tilescope.tiler.pages.leaf_parts import read_parts
from tilescope.tiler.pages.shape import Shape

Ints = NDArray[np.int64]


class LeafSums:
    """Of slices each counts where it starts; its ticks and its self time count where they lie."""

    def __init__(self) -> None:
        self._sums = _native.LeafSums()

    def add(self, page: bytes, shape: Shape, first_of_page: int, parts: Ints) -> None:
        """Adds parts of leaves of a page: positions of tiles in the shape, ascending, and their first and last ticks.

        `page` is uncompressed, and begins with the tile in position `first_of_page`. Raises DamagedStore.
        """
        read_parts(self._sums, page, shape, first_of_page, parts)

    def take(self, dtype: type[Any]) -> Histogram:
        """What was added since the last call; `dtype`: of the sums of ticks, int64 where they surely fit."""
        name, count, busy, self_busy, longest = self._sums.take()
        return Histogram(name, count, _wide(*busy, dtype), _wide(*self_busy, dtype), longest)


def _wide(low: NDArray[np.uint64], high: NDArray[np.uint64], dtype: type[Any]) -> NDArray[Any]:
    if dtype is not object:
        return low.view(np.int64)
    wide: NDArray[Any] = (high.astype(object) << 64) + low.astype(object)
    return wide
