"""Bounds of the slices that start in stretches of time, from parts of leaves, by native code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.pages.leaf_parts import read_parts
from tilescope.tiler.pages.leaf_spans import LeafPages

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StartBounds:
    """Columns of shape (n,), ticks; -1 for stretches in which no slice starts."""

    first: Ints  # start of the first slice
    last: Ints  # start of the last
    stop: Ints  # greatest end of all

    @classmethod
    def from_pages(cls, kinds: NDArray[np.uint8], borders: Ints, pages: Iterable[LeafPages]) -> StartBounds:
        """Bounds of slices whose names have a kind other than 0, by name, that without one first. Any thread may do it.

        `borders` of the stretches, shape (n + 1,), ascend. Raises DamagedStore.
        """
        native = _native.StartBounds(kinds, borders)
        for track_pages in pages:
            for page, shape, first, parts, names in track_pages:
                read_parts(partial(native.add, names=names), page, shape, first, parts)
        return cls(*native.bounds())

    def joined(self, other: StartBounds) -> StartBounds:
        """Bounds of the slices of both."""
        first = np.where((self.first < 0) | ((other.first >= 0) & (other.first < self.first)), other.first, self.first)
        return StartBounds(first, np.maximum(self.last, other.last), np.maximum(self.stop, other.stop))
