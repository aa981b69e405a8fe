"""Cuts a block's tiles into pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

import numpy as np
from isal import isal_zlib

from tilescope.tiler import _native
from tilescope.tiler.pages import (
    PAGE_BYTES_AT_MOST,
    TRACKS_PER_BLOCK,
    PageKey,
    Shape,
    TileFlag,
    compress_container,
    join_parts,
)

# Pages are cut where the compressed size is expected to reach this: below the limit, so that few are cut twice.
_AIM_BYTES = 44_000

# Compressed bytes per unit of a tile's weight, before anything is known of the block.
_FIRST_RATIO = 8.0

# A block is cut into parts of about so many pages, which threads share, but not into more than so many parts: each
# begins without knowing how well its tiles are compressed. What is stored must not depend on the number of threads.
_PART_PAGES = 16
_MOST_PARTS = 8

# As numbers: to look a member of an enumeration up, and to join two, takes microseconds.
_PAGE: Final = int(TileFlag.PAGE_START)
_PAGE_AND_RESIDUAL: Final = int(TileFlag.PAGE_START | TileFlag.HAS_RESIDUAL)


class BlockPages:
    """The tiles of up to 32 tracks. Most of the work runs without the GIL."""

    def __init__(
        self, number: int, tiles: Mapping[int, _native.Tiles], budget: _native.MemoryBudget | None = None
    ) -> None:
        """`tiles`: of the block's tracks, by track id. They are taken over. Large pages are taken from `budget`."""
        self._budget = budget
        self._number = number
        self._block = _native.Block(number)
        for track in sorted(tiles):
            self._block.add(track % TRACKS_PER_BLOCK, tiles[track])
        self._block.seal()
        self._level, self._index, self._slot, flags, self._events, self._weight = self._block.tiles()
        self._flags = flags.astype(np.int64)
        self._page_crc = np.zeros(len(flags), np.int64)
        self._residual_crc = np.zeros(len(flags), np.int64)

    def parts(self) -> list[range]:
        """The tiles in parts of about as many bytes, where that is several pages each."""
        weights = np.cumsum(self._weight)
        whole = int(weights[-1]) if len(weights) else 0
        parts = min(max(int(whole * _FIRST_RATIO / (_PART_PAGES * _AIM_BYTES)), 1), _MOST_PARTS)
        cuts = [int(np.searchsorted(weights, whole * part // parts)) for part in range(1, parts)]
        return [range(first, stop) for first, stop in pairwise([0, *cuts, len(weights)])]

    def pages(self, tiles: range) -> Iterator[tuple[PageKey, bytes]]:
        """The pages of these tiles, as they are stored, each with its name.

        Raises MemoryError for a tile that is too large.
        """
        level_ends = [*(np.flatnonzero(np.diff(self._level)) + 1).tolist(), len(self._level)]
        weights = np.cumsum(self._weight)
        ratio = _FIRST_RATIO
        first, stop = tiles.start, tiles.stop
        level = bisect_right(level_ends, first)
        limit = min(level_ends[level], stop) if first < stop else stop
        before = int(weights[first - 1]) if first else 0  # the weight of all before the next tile
        while first < stop:
            if first == limit:
                level += 1
                limit = min(level_ends[level], stop)
            aim = int(before + _AIM_BYTES / ratio)  # for a number with a fraction all weights would become such numbers
            last = min(limit, max(first + 1, int(weights.searchsorted(aim, "right"))))
            page, residual = self._parts(first, last)
            stored = join_parts(page, residual)
            while len(stored) > PAGE_BYTES_AT_MOST and last > first + 1:  # a single tile is kept whole, however large
                last = first + max(1, (last - first) * 3 // 4)
                page, residual = self._parts(first, last)
                stored = join_parts(page, residual)
            after = int(weights[last - 1])
            ratio = max(0.5, 0.5 * ratio + 0.5 * len(stored) / (after - before))
            self._flags[first] |= _PAGE_AND_RESIDUAL if residual else _PAGE
            self._page_crc[first] = isal_zlib.crc32(page)
            self._residual_crc[first] = isal_zlib.crc32(residual)
            key = PageKey(self._number, int(self._level[first]), int(self._index[first]), int(self._slot[first]))
            yield key, stored
            first, before = last, after

    def forget_tiles(self) -> None:
        """All pages are there: the memory of the trees is free."""
        self._block = _native.Block(self._number)

    def shape(self) -> Shape:
        """The shape record, after the last of the pages."""
        level, slot = self._level.astype(np.int64), self._slot.astype(np.int64)
        crcs = self._page_crc, self._residual_crc
        return Shape(self._number, level, self._index, slot, self._flags, self._events, *crcs)

    def _parts(self, first: int, last: int) -> tuple[bytes, bytes]:
        """The page of some tiles and its residual, compressed; empty when it has none."""
        page, residual = self._block.encode(first, last, self._budget)
        return compress_container(page), compress_container(residual) if residual else b""
