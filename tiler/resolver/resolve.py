"""The pages that show a view, most urgent first. Specified in docs/resolver.md, with vectors in the tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey
from tilescope.tiler.resolver.parts import part_pages
from tilescope.tiler.resolver.tiles import TileIndex
from tilescope.tiler.resolver.view import TickRange, View

# The sharpest level that is worth drawing has the widest bins of at most so many pixels.
_MAX_BIN_PX = 2

# The coarse pass is so many levels, each a factor of 4, above the sharp one: a screen is then one or two tiles.
_COARSE_LEVELS = 2


class TrackRequest(NamedTuple):
    """A track that is to be shown, with its kind as the track tree has it."""

    track: int
    kind: str
    children: Sequence[int] | None = None  # of a rollup: the tracks it sums; None: its own tiles are fine enough


class Tier(StrEnum):
    """How urgent a page is."""

    COARSE = "coarse"  # a first picture
    SHARP = "sharp"  # what the view needs
    MARGIN = "margin"  # around the view
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
    tiles: Mapping[int, TileIndex],
    root_level: int,
    nearby: Sequence[TrackRequest] = (),
) -> list[PageWant]:
    """The pages of the visible tracks (from top to bottom) and of those nearby, each once, most urgent first.

    `tiles`: by block. Tracks of other blocks are left out.
    """
    sharp = sharp_level(view.ticks_per_px, root_level)
    coarse = min(root_level, sharp + _COARSE_LEVELS)
    visible = view.visible
    wants: dict[PageKey, Tier] = {}
    for tier, pages in (
        (Tier.COARSE, _pages(tracks, tiles, visible, coarse, root_level)),
        (Tier.SHARP, _pages(tracks, tiles, visible, sharp, root_level)),
        (Tier.SHARP, _parts(tracks, tiles, visible, sharp, root_level)),
        (Tier.MARGIN, _pages(tracks, tiles, view.wide, sharp, root_level)),
        (Tier.MARGIN, _parts(tracks, tiles, view.wide, sharp, root_level)),
        (Tier.MARGIN, _pages(nearby, tiles, visible, coarse, root_level)),
        (Tier.MARGIN, _pages(nearby, tiles, visible, sharp, root_level)),
        (Tier.ROOT, _pages(tracks, tiles, visible, root_level, root_level)),
    ):
        for key in pages:
            wants.setdefault(key, tier)
    return [PageWant(tier, key) for key, tier in wants.items()]


def _pages(
    requests: Sequence[TrackRequest], tiles: Mapping[int, TileIndex], span: TickRange, level: int, root_level: int
) -> Iterator[PageKey]:
    """The pages of one pass, in its order; a page may come several times."""
    places: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    blocks = {request.track // TRACKS_PER_BLOCK for request in requests} & tiles.keys()
    for block in sorted(blocks):
        of_block = [k for k, request in enumerate(requests) if request.track // TRACKS_PER_BLOCK == block]
        slots = np.array([requests[k].track % TRACKS_PER_BLOCK for k in of_block], np.int64)
        counters = np.array([requests[k].kind == "counter" for k in of_block], np.bool_)
        track, found = tiles[block].tiles_for(slots, counters, span, level, root_level)
        starts = tiles[block].page_starts_of(found)
        new = np.append(True, (np.diff(starts) != 0) | (np.diff(track) != 0))[: len(starts)]
        at = np.array(of_block, np.int64)[track[new]]
        places.append(np.stack([at, np.full(len(at), block, np.int64), starts[new]]))
    if not places:
        return
    joined = np.concatenate(places, axis=1)
    ordered = joined[:, np.argsort(joined[0], kind="stable")]
    for block, start in dict.fromkeys(zip(ordered[1].tolist(), ordered[2].tolist(), strict=True)):
        yield tiles[block].page_key(start)


def _parts(
    requests: Sequence[TrackRequest], tiles: Mapping[int, TileIndex], span: TickRange, level: int, root_level: int
) -> Iterator[PageKey]:
    """The pages of what rollups are made of that are closer than their own tiles; a page may come several times."""
    for track, kind, children in requests:
        if kind == "rollup" and children is not None:
            yield from part_pages(track, children, tiles, span, level, root_level)
