"""Sums per name of spans, by native code: of stored histograms, and of parts of leaves, page by page."""

from __future__ import annotations

import struct
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.container import HISTOGRAM_MAGIC, MAX_ROWS, SPREAD_MAGIC
from tilescope.tiler.pages.leaf_parts import read_parts
from tilescope.tiler.pages.shape import Shape
from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.records.spread import DurationSpread

Ints = NDArray[np.int64]

# Events are summed up under their own names, unless all of a track are to be under one.
ITS_OWN: Final[int] = _native.ITS_OWN

# In place of a slice's name: it is as if it were not there.
LEFT_OUT: Final[int] = _native.LEFT_OUT

# Of a container: magic, level, block.
_HEAD: Final = struct.Struct("<4sxB2x4xI")


class SpanSums:
    """Of slices each counts where it starts; its ticks and its self time count where they lie."""

    def __init__(self, *, spread: bool = False) -> None:
        """With `spread` the buckets of durations are counted, too."""
        self.has_spread = spread
        self._sums = _native.SpanSums(spread)

    def add_leaves(
        self,
        page: bytes,
        shape: Shape,
        first_of_page: int,
        parts: Ints,
        as_name: NDArray[np.int32] | None = None,
        names: NDArray[np.int32] | None = None,
    ) -> None:
        """Adds parts of leaves of a page, as `read_parts` takes them. Raises DamagedStore.

        `as_name`: of each part the name that all of it is summed up under. `names`: of all slices of the page, instead
        of their own, LEFT_OUT for those that do not count.
        """
        if as_name is None:
            as_name = np.full(parts.shape[1], ITS_OWN, np.int32)
        read_parts(partial(self._sums.add_leaves, as_name=as_name, names=names), page, shape, first_of_page, parts)

    def add_stored(
        self, histogram: bytes, spread: bytes | None, track: int, level: int, as_name: int = ITS_OWN
    ) -> bool:
        """Adds the uncompressed records of a tile; `spread` where spreads are summed. Raises DamagedStore.

        False: names in it have no rows of their own and would need them; nothing was added.
        """
        _must_be(histogram, spread, track, level)
        try:
            return self._sums.add_stored(histogram, spread, MAX_ROWS, as_name)
        except _native.DamagedContainer as error:
            raise DamagedStore(str(error)) from None

    def add_tracks(
        self, histogram: bytes, spread: bytes | None, block: int, level: int, as_name: NDArray[np.int32]
    ) -> None:
        """Adds the uncompressed sums of a block's tracks in a tile; `spread` where spreads are summed.

        `as_name`: by slot, the name that a track is summed up under, or LEFT_OUT. Raises DamagedStore.
        """
        _must_be(histogram, spread, block, level)
        try:
            self._sums.add_tracks(histogram, spread, MAX_ROWS, as_name)
        except _native.DamagedContainer as error:
            raise DamagedStore(str(error)) from None

    def add(self, other: SpanSums) -> None:
        """Adds what another has summed up, with or without spreads as this one."""
        self._sums.add(other._sums)

    def sums(self, dtype: type[Any] = np.int64) -> Histogram:
        """What was added, each name once, in no order; `dtype`: of the sums of ticks, int64 where they surely fit."""
        name, count, busy, self_busy, duration, longest, shortest = self._sums.sums()
        wide = [_wide(*halves, dtype) for halves in (busy, self_busy, duration)]
        return Histogram(name, count, wide[0], wide[1], wide[2], longest, shortest)

    def spread(self) -> DurationSpread:
        """Of the same names, in the same order."""
        return DurationSpread(*self._sums.buckets())

    def take(self, dtype: type[Any] = np.int64) -> Histogram:
        """The sums of what was added since the last call."""
        found = self.sums(dtype)
        self._sums.clear()
        return found


def _must_be(histogram: bytes, spread: bytes | None, owner: int, level: int) -> None:
    """Raises DamagedStore unless these are records of a tile of this track or block."""
    for record, magic in ((histogram, HISTOGRAM_MAGIC), (spread, SPREAD_MAGIC)):
        if record is not None and (len(record) < _HEAD.size or _HEAD.unpack_from(record) != (magic, level, owner)):
            raise DamagedStore("a histogram is damaged")


def _wide(low: NDArray[np.uint64], high: NDArray[np.uint64], dtype: type[Any]) -> NDArray[Any]:
    if dtype is not object:
        return low.view(np.int64)
    wide: NDArray[Any] = (high.astype(object) << 64) + low.astype(object)
    return wide
