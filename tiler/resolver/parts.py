"""Parts of a rollup where its own tiles are too coarse: the leaf tiles of its tracks. See docs/resolver.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey
from tilescope.tiler.resolver.tiles import TileIndex
from tilescope.tiler.resolver.view import TickRange

Ints = NDArray[np.int64]

# The tiles of a block, or None while its shape record is not there.
TilesOf = Callable[[int], TileIndex | None]

# A terminal tile whose parts lie in more pages stays as it is: reading them all would take longer than they are worth.
MAX_PART_PAGES = 256

# A page as one number: which of the blocks, and the position of its first tile.
_PAGE_BITS = 40
_PAGE_MASK = (1 << _PAGE_BITS) - 1


class TilePlace(NamedTuple):
    """Place of a tile of a track in its tree."""

    level: int
    number: int

    @property
    def span(self) -> TickRange:
        """The ticks that it covers."""
        shift = 2 * self.level + 8
        return TickRange(self.number << shift, (self.number + 1) << shift)


def tiles_around(span: TickRange, level: int) -> TickRange:
    """Span of the tiles of a level that overlap a range; tile 0 where the range lies before the origin."""
    shift = 2 * level + 8
    return TickRange(max(0, span.start) >> shift << shift, (max(0, span.stop - 1) >> shift) + 1 << shift)


def terminals_above(tiles: TileIndex, slot: int, span: TickRange, level: int, root_level: int) -> list[TilePlace]:
    """The terminal tiles of a rollup in a range that are coarser than `level`, coarsest first."""
    if level >= root_level:
        return []
    slots = np.array([slot], np.int64)
    _, positions = tiles.tiles_for(slots, np.zeros(1, np.bool_), span, level + 1, root_level)
    positions = positions[tiles.is_terminal[positions]]
    shape = tiles.shape
    return [
        TilePlace(z, i) for z, i in zip(shape.level[positions].tolist(), shape.index[positions].tolist(), strict=True)
    ]


class PartFinder:
    """The leaf tiles of a rollup's children, arranged for finding the parts of many terminal tiles."""

    def __init__(self, tiles_of: TilesOf, children: Sequence[int]) -> None:
        blocks: dict[int, list[int]] = {}
        for k, child in enumerate(children):
            blocks.setdefault(child // TRACKS_PER_BLOCK, []).append(k)
        tiles_by_block = {block: tiles_of(block) for block in blocks}
        self._tiles = [tiles for tiles in tiles_by_block.values() if tiles is not None]
        self._is_complete = len(self._tiles) == len(tiles_by_block)
        parts = []
        for number, tiles in enumerate(self._tiles if self._is_complete else ()):
            places = np.full(TRACKS_PER_BLOCK, -1, np.int64)  # of the children, by slot
            of_block = blocks[tiles.shape.block]
            places[[children[k] % TRACKS_PER_BLOCK for k in of_block]] = of_block
            leaves = tiles.leaves
            own = places[leaves.slot] >= 0
            page = (number << _PAGE_BITS) + leaves.page[own]
            parts.append(np.stack([places[leaves.slot[own]], leaves.start[own], leaves.stop[own], page]))
        joined = np.concatenate([np.zeros((4, 0), np.int64), *parts], axis=1)
        self._start, self._stop, self._page = joined[1:, np.argsort(joined[0], kind="stable")]

    def pages(self, terminal: TilePlace, span: TickRange) -> list[PageKey]:
        """The pages with the parts of a terminal tile that have ticks in a span, each once, by child and then by time.

        There are none while the shape record of a child's block is missing, and where those of the whole tile would be
        too many.
        """
        if len(np.unique(self._pages_in(terminal.span))) > MAX_PART_PAGES:
            return []
        start, stop = max(span.start, terminal.span.start), min(span.stop, terminal.span.stop)
        places = dict.fromkeys(self._pages_in(TickRange(start, stop)).tolist())
        return [self._tiles[place >> _PAGE_BITS].page_key(place & _PAGE_MASK) for place in places]

    def _pages_in(self, span: TickRange) -> Ints:
        pages: Ints = self._page[(self._start < span.stop) & (self._stop > span.start)]
        return pages
