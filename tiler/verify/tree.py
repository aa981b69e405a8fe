"""The tiles of a block as its shape record lists them, and the checks that they form trees."""

from __future__ import annotations

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import INDEX_BITS, TRACKS_PER_BLOCK, PageKey, Shape, TileFlag
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.columns import Ints, Mask

_FLAGS = np.bitwise_or.reduce(list(TileFlag))


class BlockTree:
    """A block's tiles by position in its shape record, and its pages."""

    def __init__(self, catalogue: Catalogue, shape: Shape) -> None:
        self.block = shape.block
        self.shape = shape
        self.level, self.index, self.slot, self.events = shape.level, shape.index, shape.slot, shape.events
        self.leaf: Mask = (shape.flags & TileFlag.LEAF) != 0
        self.terminal: Mask = (shape.flags & TileFlag.TERMINAL) != 0
        self._catalogue = catalogue
        self._level_first = np.searchsorted(self.level, np.arange(catalogue.root_level + 2))
        self._check_list()
        pages = shape.pages()
        self.page_keys: list[PageKey] = [key for key, _ in pages]
        self.page_first: Ints = np.array([tiles.start for _, tiles in pages], np.int64)
        self._check_tree()
        self.native = _native.ProveTree(
            self.block,
            self.level.astype(np.uint8),
            self.index,
            self.slot.astype(np.uint8),
            (shape.flags & (TileFlag.LEAF | TileFlag.TERMINAL)).astype(np.uint8),
            self.events,
            self.page_first,
        )

    def __len__(self) -> int:
        return len(self.shape)

    def page_of(self, tile: int) -> int:
        """Number of the page on which a tile lies."""
        return int(np.searchsorted(self.page_first, tile, side="right")) - 1

    def page_tiles(self, page: int) -> slice:
        """Positions of a page's tiles."""
        last = len(self) if page + 1 == len(self.page_first) else int(self.page_first[page + 1])
        return slice(int(self.page_first[page]), last)

    def error(self, tile: int, what: str) -> DamagedStore:
        """The error for something wrong with the tile in this position."""
        track = self.block * TRACKS_PER_BLOCK + int(self.slot[tile])
        return self._catalogue.tile_error(track, int(self.level[tile]), int(self.index[tile]), what)

    def name(self, tile: int) -> str:
        """Name in messages of the tile in this position."""
        track = self.block * TRACKS_PER_BLOCK + int(self.slot[tile])
        return self._catalogue.tile_name(track, int(self.level[tile]), int(self.index[tile]))

    def _fail(self, wrong: Mask, what: str) -> None:
        positions = np.flatnonzero(wrong)
        if len(positions):
            raise self.error(int(positions[0]), what)

    def _check_list(self) -> None:
        shape, root = self.shape, self._catalogue.root_level
        tracks = self._catalogue.block(self.block)
        self._fail((self.slot < 0) | (self.slot >= len(tracks)), "the shape record names a track that is not there")
        self._fail((self.level < 0) | (self.level > root), f"its level is not in 0 to {root}")
        # The root covers the run, so all indices at its level are 0; at the level below at most 3, and so on.
        limit = np.left_shift(1, np.minimum(2 * (root - self.level), INDEX_BITS))
        self._fail((self.index < 0) | (self.index >= limit), "it lies beyond the run")
        key = (self.index << 5) | self.slot
        level_step, key_step = np.diff(self.level, prepend=-1), np.diff(key, prepend=-1)
        descends = (level_step < 0) | ((level_step == 0) & (key_step <= 0))
        self._fail(descends, "it is out of order in the shape record")
        begins = (shape.flags & TileFlag.PAGE_START) != 0
        new_level = level_step != 0
        self._fail(new_level & ~begins, "its level begins without a page")
        self._fail(~begins & (shape.page_crc != 0), "it has a checksum but begins no page")
        has_residual = (shape.flags & TileFlag.HAS_RESIDUAL) != 0
        self._fail(~begins & has_residual, "it has a residual but begins no page")
        self._fail(~has_residual & (shape.residual_crc != 0), "it has the checksum of a residual but none")
        self._fail((shape.flags & ~_FLAGS) != 0, "unknown flags")
        rollup = np.array([track.kind == TrackKind.ROLLUP for track in tracks], np.bool_)[self.slot]
        self._fail(rollup & self.leaf, "a rollup has no leaves")
        self._fail(~rollup & self.terminal, "only rollups have terminal tiles")

    def _check_tree(self) -> None:
        """Each tile but the root lies in an interior tile, and each interior tile has the events of its children."""
        root = self._catalogue.root_level
        for track in self._catalogue.block(self.block):
            has_root = bool(((self.slot == track.slot) & (self.level == root)).any())
            if has_root != (track.events > 0):
                what = "has events but no tile" if track.events else "has tiles but no events"
                raise self._catalogue.tile_error(track.id, root, 0, f"the track {what}")
        interior = ~self.leaf & ~self.terminal
        for level in range(root + 1):
            here = slice(int(self._level_first[level]), int(self._level_first[level + 1]))
            position = np.arange(here.start, here.stop)
            key = (self.index[here] << 5) | self.slot[here]
            events = np.zeros(len(key), np.int64)
            children = np.zeros(len(key), np.int64)
            if level:
                below = slice(int(self._level_first[level - 1]), here.start)
                parent_key = (self.index[below] >> 2 << 5) | self.slot[below]
                parent = np.searchsorted(key, parent_key)
                parent_row = np.minimum(parent, max(len(key) - 1, 0))
                missing = (key[parent_row] != parent_key) if len(key) else np.ones(len(parent_key), np.bool_)
                if missing.any():
                    raise self.error(below.start + int(np.flatnonzero(missing)[0]), "the tile above it does not exist")
                np.add.at(events, parent, self.events[below])
                np.add.at(children, parent, 1)
            for tile in position[(children == 0) & interior[here]]:
                raise self.error(int(tile), "it is no leaf, but nothing is below it")
            for tile in position[(children > 0) & ~interior[here]]:
                raise self.error(int(tile), "there are tiles below it, though it is a leaf or terminal")
            for tile in position[interior[here] & (events != self.events[here])]:
                what = f"{self.events[tile]} events in the shape record, "
                raise self.error(int(tile), what + f"{events[tile - here.start]} in the tiles below it")
