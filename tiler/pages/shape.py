"""Shape records: which tiles a block has, and on which page each lies."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col, TileFlag
from tilescope.tiler.pages.container import SHAPE_MAGIC, decode, encode
from tilescope.tiler.pages.key import (
    BLOCK_HISTOGRAM_EVENTS,
    BLOCK_HISTOGRAM_TRACKS,
    EVENTS_PER_ROW,
    HISTOGRAM_EVENTS,
    PageKey,
)

Ints = NDArray[np.int64]

# In the order of the fields of `Shape`.
_COLUMNS: tuple[int, ...] = (
    Col.SHAPE_LEVEL,
    Col.SHAPE_INDEX,
    Col.SHAPE_SLOT,
    Col.SHAPE_FLAGS,
    Col.SHAPE_EVENTS,
    Col.SHAPE_PAGE_CRC,
    Col.SHAPE_RESIDUAL_CRC,
)


def pays(rows: int, events: int) -> bool:
    """True if a histogram of so many rows and events is worth its room."""
    return rows * EVENTS_PER_ROW <= events


# numpy takes two microseconds longer for a member of an enumeration: this is asked for of each track.
_LEAF = int(TileFlag.LEAF)


class Shape(Struct, frozen=True):
    """All tiles of a block in the order (level, tile index, slot). All columns have shape (n,)."""

    block: int
    level: Ints
    index: Ints
    slot: Ints
    flags: Ints  # TileFlag
    events: Ints  # that start in the tile
    page_crc: Ints  # of the compressed page that begins with this tile, else 0
    residual_crc: Ints  # of its residual, 0 when it has none

    def __len__(self) -> int:
        return len(self.level)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """True for each tile that is a leaf."""
        leaf: NDArray[np.bool_] = (self.flags & _LEAF) != 0
        return leaf

    @property
    def has_histogram(self) -> NDArray[np.bool_]:
        """True for each tile that has a histogram."""
        has: NDArray[np.bool_] = (self.flags & TileFlag.HAS_HISTOGRAM) != 0
        return has

    @property
    def has_block_histogram(self) -> NDArray[np.bool_]:
        """Tiles, of which all together have a histogram: the first of each level and index."""
        has: NDArray[np.bool_] = (self.flags & TileFlag.HAS_BLOCK_HISTOGRAM) != 0
        return has

    @property
    def has_track_sums(self) -> NDArray[np.bool_]:
        """Tiles, of which each has its sums in one record: the first of each level and index."""
        has: NDArray[np.bool_] = (self.flags & TileFlag.HAS_TRACK_SUMS) != 0
        return has

    @property
    def has_many_events(self) -> NDArray[np.bool_]:
        """True for each tile that may have a histogram, if it is of slices. With a tile, the one above it may."""
        many: NDArray[np.bool_] = self.events >= HISTOGRAM_EVENTS
        return many

    def many_together(self, slots: Ints) -> tuple[Ints, Ints]:
        """Tiles that tracks may have a histogram of together: position of the first of each; events that start in all.

        With tiles, those above may.
        """
        positions = np.flatnonzero(np.isin(self.slot, slots))
        first = np.flatnonzero(np.diff(self.level[positions], prepend=-1) | np.diff(self.index[positions], prepend=-1))
        if not len(first):
            return positions, positions
        events = np.add.reduceat(self.events[positions], first)
        many = (events >= BLOCK_HISTOGRAM_EVENTS) & (np.diff(first, append=len(positions)) >= BLOCK_HISTOGRAM_TRACKS)
        return positions[first[many]], events[many]

    def page_starts(self) -> Ints:
        """Positions of the first tiles of the pages."""
        return np.flatnonzero(self.flags & TileFlag.PAGE_START)

    def pages(self) -> list[tuple[PageKey, slice]]:
        """Each page with the range of its tiles."""
        starts = self.page_starts()
        ends = np.append(starts, len(self))[1:]
        return [(self._key(int(a)), slice(int(a), int(b))) for a, b in zip(starts, ends, strict=True)]

    def page_of(self, tile: int) -> PageKey:
        """The page on which the tile in this position lies."""
        starts = self.page_starts()
        return self._key(int(starts[np.searchsorted(starts, tile, side="right") - 1]))

    def page_at(self, tile: int) -> PageKey:
        """The page that begins with the tile in this position."""
        return self._key(tile)

    def pages_with_residual(self) -> frozenset[PageKey]:
        """Keys of the pages that have bins."""
        return frozenset(self._key(int(tile)) for tile in np.flatnonzero(self.flags & TileFlag.HAS_RESIDUAL))

    def leaves(self, slot: int) -> Ints:
        """Positions of a track's leaves, in time order. Their events have consecutive ordinals."""
        positions = np.flatnonzero((self.slot == slot) & self.is_leaf)
        # Leaves of different levels do not overlap: their starts order them. Shifts stay below 2**61.
        return positions[np.argsort(self.index[positions] << (2 * self.level[positions] + 8), kind="stable")]

    def _key(self, tile: int) -> PageKey:
        return PageKey(self.block, int(self.level[tile]), int(self.index[tile]), int(self.slot[tile]))

    def encode(self) -> bytes:
        """The record, uncompressed."""
        columns = tuple(getattr(self, name) for name in self.__struct_fields__[1:])
        return encode(SHAPE_MAGIC, 0, len(self), self.block, dict(zip(_COLUMNS, columns, strict=True)))

    @classmethod
    def decode(cls, data: bytes) -> Shape:
        """The shape in an uncompressed record. Raises DamagedStore."""
        record = decode(data)
        columns = [record.ints(column) for column in _COLUMNS]
        if record.magic != SHAPE_MAGIC or any(len(column) != record.n_tiles for column in columns):
            raise DamagedStore("a shape record is damaged")
        return cls(record.block, *columns)
