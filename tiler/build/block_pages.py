"""Cuts a block's tiles into pages."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.build.layout import PlacedTrack
from tilescope.tiler.columns import TrackKind
from tilescope.tiler.pages import PAGE_BYTES_AT_MOST, TRACKS_PER_BLOCK, PageKey, Shape, TileFlag, compress

# Pages are cut where the compressed size is expected to reach this: below the limit, so that few are cut twice.
_AIM_BYTES = 44_000

# Compressed bytes per unit of a tile's weight, before anything is known of the block.
_FIRST_RATIO = 8.0


@dataclass(frozen=True, slots=True)
class BlockPages:
    """A finished block."""

    shape: Shape
    pages: list[tuple[PageKey, bytes]]  # compressed


def build_block(number: int, root_level: int, tracks: Sequence[PlacedTrack]) -> BlockPages:
    """The pages of up to 32 tracks. Most of it runs without the GIL."""
    block = _native.Block(number, root_level)
    for track in tracks:
        _add(block, track)
    block.seal()
    level, index, slot, flags, events, weight = block.tiles()
    page_flags = flags.astype(np.int64)
    page_crc = np.zeros(len(level), np.int64)
    pages: list[tuple[PageKey, bytes]] = []
    level_ends = np.append(np.flatnonzero(np.diff(level)) + 1, len(level))
    weights = np.cumsum(weight)
    ratio = _FIRST_RATIO
    first = 0
    while first < len(level):
        limit = int(level_ends[np.searchsorted(level_ends, first, side="right")])
        before = int(weights[first - 1]) if first else 0
        last = min(limit, max(first + 1, int(np.searchsorted(weights, before + _AIM_BYTES / ratio, side="right"))))
        page = compress(block.encode(first, last))
        while len(page) > PAGE_BYTES_AT_MOST and last > first + 1:  # a single tile is kept whole, however large
            last = first + max(1, (last - first) * 3 // 4)
            page = compress(block.encode(first, last))
        ratio = max(0.5, 0.5 * ratio + 0.5 * len(page) / (int(weights[last - 1]) - before))
        pages.append((PageKey(number, int(level[first]), int(index[first]), int(slot[first])), page))
        page_flags[first] |= TileFlag.PAGE_START
        page_crc[first] = zlib.crc32(page)
        first = last
    shape = Shape(number, level.astype(np.int64), index, slot.astype(np.int64), page_flags, events, page_crc)
    return BlockPages(shape, pages)


def _add(block: _native.Block, track: PlacedTrack) -> None:
    slot = track.id % TRACKS_PER_BLOCK
    data = track.data
    if track.kind == TrackKind.ROLLUP:
        block.add_rollup(slot, [(child.start, child.duration, child.name) for child in track.children])
    elif data is None or not len(data):
        return
    elif data.value is not None:
        block.add_counter(slot, data.start, data.value)
    else:
        block.add_slices(slot, data.start, data.duration, data.row, data.name, data.flags)
