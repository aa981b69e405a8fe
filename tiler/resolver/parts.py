"""What a rollup is made of below its terminal tiles: docs/resolver.md, "The parts of a rollup"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey, TileFlag
from tilescope.tiler.resolver.tiles import TileIndex
from tilescope.tiler.resolver.view import TickRange

# A terminal tile whose parts lie in more pages than that stays as it is.
_MAX_PAGES = 256


def part_pages(
    rollup: int,
    children: Sequence[int],
    tiles: Mapping[int, TileIndex],
    span: TickRange,
    level: int,
    root_level: int,
) -> Iterator[PageKey]:
    """The pages of the parts of those terminal tiles of a rollup in a range that are coarser than `level`."""
    index = tiles.get(rollup // TRACKS_PER_BLOCK)
    if index is None or any(child // TRACKS_PER_BLOCK not in tiles for child in children):
        return
    slot = np.array([rollup % TRACKS_PER_BLOCK], np.int64)
    _, found = index.tiles_for(slot, np.array([False]), span, level + 1, root_level)
    shape = index.shape
    for tile in found[(shape.flags[found] & TileFlag.TERMINAL) != 0].tolist():
        start, shift = int(shape.index[tile]), 2 * int(shape.level[tile]) + 8
        whole = TickRange(start << shift, (start + 1) << shift)
        pages = dict.fromkeys(page for child in children for page in _leaf_pages(child, tiles, whole, root_level))
        if len(pages) <= _MAX_PAGES:
            yield from pages


def _leaf_pages(track: int, tiles: Mapping[int, TileIndex], span: TickRange, root_level: int) -> Iterator[PageKey]:
    """The pages of a track's leaf tiles that overlap a range, in time order."""
    index = tiles[track // TRACKS_PER_BLOCK]
    slot = np.array([track % TRACKS_PER_BLOCK], np.int64)
    # On level 0 and where nothing finer exists: that is where the leaves are.
    _, found = index.tiles_for(slot, np.array([False]), span, 0, root_level)
    starts = index.shape.index[found] << (2 * index.shape.level[found] + 8)
    for start in index.page_starts_of(found[np.argsort(starts, kind="stable")]).tolist():
        yield index.page_key(start)
