"""Bounds of the slices that start in stretches of time, from parts of leaves, by native code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.pages.leaf_parts import read_parts
from tilescope.tiler.pages.leaf_spans import LeafPages

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Columns of shape (n,), ticks; -1 for stretches in which no slice starts."""

    first: Ints  # start of the first slice
    last: Ints  # start of the last
    stop: Ints  # greatest end of all

    def joined(self, other: Bounds) -> Bounds:
        """Bounds of the slices of both, which may have some in common."""
        first = np.where((self.first < 0) | ((other.first >= 0) & (other.first < self.first)), other.first, self.first)
        return Bounds(first, np.maximum(self.last, other.last), np.maximum(self.stop, other.stop))


class StartBounds:
    """Reads bounds of slices whose names have a kind other than 0."""

    def __init__(self, kinds: NDArray[np.uint8], borders: Ints) -> None:
        """`kinds`: of each name, that without one first. `borders` of the stretches, shape (n + 1,), ascend."""
        self._native = _native.StartBounds(kinds, borders)

    def add(self, pages: LeafPages) -> None:
        """Adds all slices of the leaves that have parts on some pages, wherever they start. Raises DamagedStore."""
        for page, shape, first, parts, names in pages:
            read_parts(partial(self._native.add, names=names), page, shape, first, parts)

    def bounds(self) -> Bounds:
        """Bounds of all slices that were added."""
        return Bounds(*self._native.bounds())
