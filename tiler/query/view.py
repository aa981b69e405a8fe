"""The tiles that show a track in a view, and what they hold, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import BINS_PER_TILE, TRACKS_PER_BLOCK, Page, PageKey, TileFlag
from tilescope.tiler.resolver import TickRange, TileIndex, TrackRequest

Ints = NDArray[np.int64]
RowKind = Literal["slice", "bin", "counter_bin", "sample"]

ROW_KINDS: Final[tuple[RowKind, ...]] = ("slice", "bin", "counter_bin", "sample")


@dataclass(frozen=True, slots=True)
class ViewTile:
    """A tile that shows part of a track, and where it lies."""

    track: int
    page: PageKey
    level: int
    number: int
    index_in_page: int  # of the tile within its page
    covered: int = 0  # of a counter: which quarters (bits) finer tiles of the same view show


def view_tiles(tiles: TileIndex, track: TrackRequest, span: TickRange, level: int, root_level: int) -> list[ViewTile]:
    """The tiles that show a track, coarsest first."""
    slot = np.array([track.track % TRACKS_PER_BLOCK], np.int64)
    _, indices = tiles.tiles_for(slot, np.array([track.kind == "counter"]), span, level, root_level)
    starts = tiles.page_starts_of(indices)
    shape = tiles.shape
    places = list(zip(shape.level[indices].tolist(), shape.index[indices].tolist(), strict=True))
    covered = _covered(places) if track.kind == "counter" else {}
    return [
        ViewTile(track.track, tiles.page_key(page), *place, tile - page, covered.get(place, 0))
        for tile, page, place in zip(indices.tolist(), starts.tolist(), places, strict=True)
    ]


def _covered(places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Bits of the quarters that have finer tiles, by tile.

    A counter's tile is there for its gaps, beside the tiles around these.
    """
    covered = dict.fromkeys(places, 0)
    root_level = max((level for level, _ in places), default=0)
    for level, number in places:
        for above in range(level + 1, root_level + 1):
            part = number >> (2 * (above - 1 - level))
            if (above, part >> 2) in covered:
                covered[above, part >> 2] |= 1 << (part & 3)
    return covered


class ViewRows:
    """All rows of one kind of content, of all tiles, with what their tiles say."""

    def __init__(self, kind: RowKind, tiles: Sequence[ViewTile], pages: Mapping[PageKey, Page]) -> None:
        self._kind = kind
        self._parts: list[tuple[Page, Ints]] = []
        counts = []
        for tile in tiles:
            page = pages[tile.page]
            ends = getattr(page, f"{kind}_ends")
            rows = np.arange(ends[tile.index_in_page], ends[tile.index_in_page + 1], dtype=np.int64)
            if tile.covered and kind == "counter_bin":
                quarter = page.counter_bins.bin[rows] // (BINS_PER_TILE // 4)
                rows = rows[(tile.covered >> quarter) & 1 == 0]
            self._parts.append((page, rows))
            counts.append(len(rows))
        self.track = np.repeat(np.array([tile.track for tile in tiles], np.int64), counts)
        self.level = np.repeat(np.array([tile.level for tile in tiles], np.int64), counts)
        self._number = np.repeat(np.array([tile.number for tile in tiles], np.int64), counts)
        leaf = [bool(pages[tile.page].flags[tile.index_in_page] & TileFlag.LEAF) for tile in tiles]
        self.is_leaf: NDArray[np.bool_] = np.repeat(np.array(leaf, np.bool_), counts)

    def __len__(self) -> int:
        return len(self.track)

    def __getitem__(self, column: str) -> NDArray[Any]:
        parts = [getattr(getattr(page, f"{self._kind}s"), column)[rows] for page, rows in self._parts]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def tile_ticks(self) -> tuple[Ints, Ints]:
        """The first tick of each row's tile, and the first tick after it."""
        shift = 8 + 2 * self.level
        return self._number << shift, (self._number + 1) << shift

    def bin_columns(self) -> dict[str, NDArray[Any]]:
        """Ticks that the bins cover."""
        width = np.int64(1) << (2 * self.level)
        start = ((self._number << 8) + self["bin"]) << (2 * self.level)
        return {"track": self.track, "level": self.level, "start": start, "duration": width}


def first_of_each(track: Ints, ordinal: Ints) -> Ints:
    """Positions where an event stands for the first time: slices are repeated in the tiles that they reach into."""
    order = np.lexsort((np.arange(len(track)), ordinal, track))
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(track[order]) != 0) | (np.diff(ordinal[order]) != 0)
    return np.sort(order[new])
