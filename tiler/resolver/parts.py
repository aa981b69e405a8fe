"""What a rollup is made of where its own tiles are too coarse: the leaf tiles of its tracks. See docs/resolver.md."""

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


class TilePlace(NamedTuple):
    """Where a tile of a track stands in its tree."""

    level: int
    number: int

    @property
    def span(self) -> TickRange:
        """The ticks that it covers."""
        shift = 2 * self.level + 8
        return TickRange(self.number << shift, (self.number + 1) << shift)


def terminals_above(tiles: TileIndex, slot: int, span: TickRange, level: int, root_level: int) -> list[TilePlace]:
    """The terminal tiles of a rollup in a range that are coarser than `level`, coarsest first."""
    if level >= root_level:
        return []
    slots = np.array([slot], np.int64)
    _, at = tiles.tiles_for(slots, np.zeros(1, np.bool_), span, level + 1, root_level)
    at = at[tiles.is_terminal[at]]
    shape = tiles.shape
    return [TilePlace(z, i) for z, i in zip(shape.level[at].tolist(), shape.index[at].tolist(), strict=True)]


def pages_of_parts(tiles_of: TilesOf, children: Sequence[int], terminal: TilePlace, root_level: int) -> list[PageKey]:
    """The pages with the parts of a terminal tile, each once, by child and then by time.

    None while the shape record of a child's block is missing, and where there would be too many.
    """
    blocks: dict[int, list[int]] = {}
    for k, child in enumerate(children):
        blocks.setdefault(child // TRACKS_PER_BLOCK, []).append(k)
    found: list[Ints] = []
    for block, of_block in blocks.items():
        tiles = tiles_of(block)
        if tiles is None:
            return []
        at = np.array(of_block, np.int64)
        slots = np.array([children[k] % TRACKS_PER_BLOCK for k in of_block], np.int64)
        track, leaves = tiles.tiles_for(slots, np.zeros(len(slots), np.bool_), terminal.span, 0, root_level)
        starts = tiles.shape.index[leaves] << (2 * tiles.shape.level[leaves] + 8)
        found.append(np.stack([at[track], starts, np.full_like(starts, block), tiles.page_starts_of(leaves)]))
    if not found:
        return []
    child, start, block_of, page = np.concatenate(found, axis=1)
    order = np.lexsort((start, child))
    places = dict.fromkeys(zip(block_of[order].tolist(), page[order].tolist(), strict=True))
    if len(places) > MAX_PART_PAGES:
        return []
    return [tiles.page_key(at) for block, at in places if (tiles := tiles_of(block)) is not None]
