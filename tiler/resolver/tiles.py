"""The tiles of a block, arranged for looking up ranges of ticks: of many tracks and levels in one call of numpy.

A tile's place in the block is one integer, (slot, level, index) in 5, 5 and 53 bits. In the ascending order of these
integers, the tiles of a track and level that overlap a range are neighbours, so that two binary searches find them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import PageKey, Shape, TileFlag
from tilescope.tiler.resolver.view import TickRange
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]

_SLOT_SHIFT, _LEVEL_SHIFT = 58, 53


@dataclass(frozen=True, slots=True)
class LeafTable:
    """Leaf tiles of a block; columns of shape (n,)."""

    slot: Ints  # ascending
    start: Ints  # first tick
    stop: Ints  # first tick after it
    page: Ints  # position in the shape of the first tile on its page
    tile: Ints  # position in the shape

    def rows(self, slot: int) -> slice:
        """The rows of a track, which are in time order."""
        return slice(*np.searchsorted(self.slot, [slot, slot + 1]).tolist())


class TileIndex:
    """Finds the tiles of one block that show a range. Positions are those of the tiles in the shape."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        places = _place(shape.slot, shape.level, shape.index)
        self._order: Ints = np.argsort(places, kind="stable")
        self._places = places[self._order]
        self.is_terminal: NDArray[np.bool_] = (shape.flags & TileFlag.TERMINAL) != 0
        self._ends_here = self.is_terminal | shape.is_leaf
        starts = shape.page_starts()
        self._page_keys: dict[int, PageKey] = {}  # of those that were asked for, by position: tracks share pages
        self._page_start: Ints = starts[np.searchsorted(starts, np.arange(len(shape)), side="right") - 1]

    @cached_property
    def leaves(self) -> LeafTable:
        """The leaf tiles by slot, and of each slot in time order."""
        shape = self.shape
        positions = np.flatnonzero(shape.is_leaf)
        shift = 2 * shape.level[positions] + 8
        start = shape.index[positions] << shift
        order = np.lexsort((start, shape.slot[positions]))
        stop = (shape.index[positions] + 1) << shift
        tile = positions[order]
        return LeafTable(shape.slot[tile], start[order], stop[order], self._page_start[tile], tile)

    @cached_property
    def tops(self) -> dict[int, int]:
        """By slot, the position of the topmost tile of a track: levels ascend in a shape."""
        slot = self.shape.slot
        slots, from_end = np.unique(slot[::-1], return_index=True)
        return dict(zip(slots.tolist(), (len(slot) - 1 - from_end).tolist(), strict=True))

    @cached_property
    def _leaf_levels(self) -> list[tuple[int, Ints, Ints]]:
        """Leaves by level: the number of bits by which indices are shifted, positions, and indices."""
        shape = self.shape
        positions = np.flatnonzero(shape.is_leaf)
        levels, first = np.unique(shape.level[positions], return_index=True)  # levels ascend
        parts = np.split(positions, first[1:]) if len(positions) else []
        return [(2 * level + 8, part, shape.index[part]) for level, part in zip(levels.tolist(), parts, strict=True)]

    def leaves_between(self, start: int, stop: int) -> Ints:
        """Positions of the leaves with ticks in [start, stop), ascending: it takes no longer in a longer run."""
        parts = [np.zeros(0, np.int64)]
        for shift, positions, index in self._leaf_levels:
            first, last = np.searchsorted(index, [start >> shift, ((stop - 1) >> shift) + 1])
            parts.append(positions[first:last])
        return np.concatenate(parts)

    @cached_property
    def with_residual(self) -> frozenset[PageKey]:
        """The pages that have a residual: those with bins."""
        return self.shape.pages_with_residual()

    def tiles_for(
        self, slots: Ints, is_counter: NDArray[np.bool_], span: TickRange, level: int, root_level: int
    ) -> tuple[Ints, Ints]:
        """The tiles that show a range of some tracks with bins of `level`: docs/resolver.md, "The tiles …".

        Both arguments about tracks have shape (n,). Returns of each tile which of the n tracks it is of, ascending, and
        its position in the shape; those of a track are in the order (coarsest level first, time).
        """
        levels = np.arange(root_level, level - 1, -1, dtype=np.int64)
        request = np.repeat(np.arange(len(slots), dtype=np.int64), len(levels))
        z = np.tile(levels, len(slots))
        matched, positions = self._find(slots[request], z, *_indices(span, z))
        track, z = request[matched], z[matched]
        wanted = (z == level) | self._ends_here[positions]
        open_counters = np.flatnonzero(~wanted & is_counter[track])
        wanted[open_counters] = self._has_gap(positions[open_counters], span)
        return track[wanted], positions[wanted]

    def position(self, slot: int, level: int, index: int) -> int | None:
        """Position of a tile in the shape; None where there is no such tile."""
        _, positions = self._find(np.array([slot]), *(np.array([value], np.int64) for value in (level, index, index)))
        return int(positions[0]) if len(positions) else None

    def positions(self, slot: Ints, level: Ints, index: Ints) -> tuple[Ints, Ints]:
        """Existing tiles of many (n,): the index of each among the n, and its position in the shape."""
        return self._find(slot, level, index, index)

    def page_starts_of(self, tiles: Ints) -> Ints:
        """Position of the first tile on the page of each tile."""
        return self._page_start[tiles]

    def page_key(self, start: int) -> PageKey:
        """The name of the page that begins with the tile in this position."""
        key = self._page_keys.get(start)
        if key is None:
            shape = self.shape
            places = int(shape.level[start]), int(shape.index[start]), int(shape.slot[start])
            key = self._page_keys[start] = PageKey(shape.block, *places)
        return key

    def _find(self, slot: Ints, level: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Tiles of a track and level with indices from first to last, for many (n,): which of the n, and where."""
        begin = np.searchsorted(self._places, _place(slot, level, first))
        count = np.maximum(np.searchsorted(self._places, _place(slot, level, last), side="right") - begin, 0)
        which = np.repeat(np.arange(len(slot), dtype=np.int64), count)
        within = np.arange(len(which), dtype=np.int64) - np.repeat(np.cumsum(count) - count, count)
        return which, self._order[begin[which] + within]

    def _has_gap(self, tiles: Ints, span: TickRange) -> NDArray[np.bool_]:
        """True for each interior tile with a missing child that overlaps the range."""
        child, own = self.shape.level[tiles] - 1, 4 * self.shape.index[tiles]
        first, last = _indices(span, child)
        first, last = np.maximum(own, first), np.minimum(own + 3, last)
        which, _ = self._find(self.shape.slot[tiles], child, first, last)
        gap: NDArray[np.bool_] = np.bincount(which, minlength=len(tiles)) < last - first + 1
        return gap


def _place(slot: Ints, level: Ints, index: Ints) -> Ints:
    return (slot << _SLOT_SHIFT) | (level << _LEVEL_SHIFT) | index


def _indices(span: TickRange, level: Ints) -> tuple[Ints, Ints]:
    """Indices of the first and the last tile of these levels that overlap a range."""
    first, last = (min(max(tick, 0), TICK_LIMIT - 1) for tick in (span.start, span.stop - 1))
    shift = 2 * level + 8
    return np.int64(first) >> shift, np.int64(last) >> shift
