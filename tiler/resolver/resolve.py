"""The pages that show a view, most urgent first. Specified in docs/resolver.md, with vectors in the tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey
from tilescope.tiler.resolver.parts import PartFinder, TilesOf, terminals_above, tiles_around
from tilescope.tiler.resolver.view import TickRange, View

Ints = NDArray[np.int64]

# The sharpest level that is worth drawing has the widest bins of at most so many pixels.
_MAX_BIN_PX = 2

# So many levels above the sharp one a rollup's own tiles are fine enough: their bins are at most 8 pixels wide.
_FINE_LEVELS = 1

# So many levels above it they are enough for a complete picture, with bins of at most 32 pixels: finer ones come later.
_ENOUGH_LEVELS = 2

# The coarse pass is so many levels, each a factor of 4, above the sharp one: a screen is then one or two tiles.
_COARSE_LEVELS = 2


class TrackRequest(NamedTuple):
    """A track that is to be shown, with its kind as the track tree has it.

    `children`: of a rollup, the tracks that it sums. Without them it is as fine as its own tiles.
    """

    track: int
    kind: str
    children: Sequence[int] | None = None


class Tier(StrEnum):
    """Urgency of a page."""

    COARSE = "coarse"  # a first picture
    SHARP = "sharp"  # what the view needs
    MARGIN = "margin"  # finer bins of rollups, and what is around the view
    ROOT = "root"  # the whole run


class PageWant(NamedTuple):
    """A page, and why it is wanted first."""

    tier: Tier
    key: PageKey


def sharp_level(ticks_per_px: float, root_level: int) -> int:
    """The highest level whose bins are at most 2 pixels wide; 0 where even a tick is wider."""
    level = 0
    while level < root_level and 4.0 ** (level + 1) <= _MAX_BIN_PX * ticks_per_px:
        level += 1
    return level


def resolve(
    view: View,
    tracks: Sequence[TrackRequest],
    tiles_of: TilesOf,
    root_level: int,
    nearby: Sequence[TrackRequest] = (),
) -> list[PageWant]:
    """The pages of the visible tracks (from top to bottom) and of those nearby, each once, most urgent first.

    Tracks of blocks that `tiles_of` does not know are left out.
    """
    sharp = sharp_level(view.ticks_per_px, root_level)
    coarse = min(root_level, sharp + _COARSE_LEVELS)
    visible, wide = view.visible, view.wide
    parts = _Parts(tiles_of, sharp, root_level)
    wants: dict[PageKey, Tier] = {}

    def add(tier: Tier, pages: Iterator[PageKey]) -> None:
        for key in pages:
            wants.setdefault(key, tier)

    add(Tier.COARSE, _pages(tracks, tiles_of, visible, coarse, root_level))
    add(Tier.SHARP, _pages(tracks, tiles_of, visible, sharp, root_level))
    add(Tier.SHARP, parts.pages(tracks, visible, _ENOUGH_LEVELS))
    add(Tier.MARGIN, parts.pages(tracks, visible))
    add(Tier.MARGIN, _pages(tracks, tiles_of, wide, sharp, root_level))
    add(Tier.MARGIN, parts.pages(tracks, wide))
    add(Tier.MARGIN, _pages(nearby, tiles_of, visible, coarse, root_level))
    add(Tier.MARGIN, _pages(nearby, tiles_of, visible, sharp, root_level))
    add(Tier.ROOT, _pages(tracks, tiles_of, visible, root_level, root_level))
    return [PageWant(tier, key) for key, tier in wants.items()]


def _pages(
    requests: Sequence[TrackRequest], tiles_of: TilesOf, span: TickRange, level: int, root_level: int
) -> Iterator[PageKey]:
    """The pages of one pass, in its order; a page may come several times."""
    blocks: dict[int, list[int]] = {}
    for k, request in enumerate(requests):
        blocks.setdefault(request.track // TRACKS_PER_BLOCK, []).append(k)
    tiles_by_block = {block: tiles for block in blocks if (tiles := tiles_of(block)) is not None}
    places: list[Ints] = []
    for block, tiles in tiles_by_block.items():
        of_block = np.array(blocks[block], np.int64)
        slots = np.array([requests[k].track % TRACKS_PER_BLOCK for k in blocks[block]], np.int64)
        counters = np.array([requests[k].kind == "counter" for k in blocks[block]], np.bool_)
        track, positions = tiles.tiles_for(slots, counters, span, level, root_level)
        starts = tiles.page_starts_of(positions)
        order = of_block[track]
        places.append(np.stack([order, np.full_like(order, block), starts]))
    if not places:
        return
    joined = np.concatenate(places, axis=1)
    ordered = joined[:, np.argsort(joined[0], kind="stable")]
    for block, start in dict.fromkeys(zip(ordered[1].tolist(), ordered[2].tolist(), strict=True)):
        yield tiles_by_block[block].page_key(start)


class _Parts:
    """Pages with the parts of rollups, for one call: what a rollup is made of is looked up once."""

    def __init__(self, tiles_of: TilesOf, sharp: int, root_level: int) -> None:
        self._tiles_of = tiles_of
        self._sharp = sharp
        self._root_level = root_level
        self._finders: dict[int, PartFinder] = {}

    def pages(self, requests: Sequence[TrackRequest], span: TickRange, levels: int = _FINE_LEVELS) -> Iterator[PageKey]:
        """The pages with the parts of rollups whose own tiles are more than so many levels above the sharp one, in the
        sharp tiles of a span.
        """
        composed = tiles_around(span, self._sharp)
        for request in requests:
            tiles = self._tiles_of(request.track // TRACKS_PER_BLOCK)
            if request.kind == "rollup" and request.children is not None and tiles is not None:
                slot = request.track % TRACKS_PER_BLOCK
                for terminal in terminals_above(tiles, slot, span, self._sharp + levels, self._root_level):
                    yield from self._finder(request.track, request.children).pages(terminal, composed)

    def _finder(self, track: int, children: Sequence[int]) -> PartFinder:
        if track not in self._finders:
            self._finders[track] = PartFinder(self._tiles_of, children)
        return self._finders[track]
