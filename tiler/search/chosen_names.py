"""The names that a query chooses, and where they are: worked out once for all questions of one query."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.histogram import name_bounds
from tilescope.tiler.search.language import Pattern

Mask = NDArray[np.bool_]

# Patterns of names, and of categories.
Asked = tuple[tuple[Pattern, ...], tuple[Pattern, ...]]


_DURATIONS_BYTES: Final = 300


@dataclass(frozen=True, slots=True)
class Durations:
    """In ticks. Where there are no events, the shortest is longer than the longest."""

    shortest: int
    longest: int


class AskedTile(NamedTuple):
    """A tile that may have a histogram, of a track or of all tracks of a block."""

    owner: int  # the number of the track, or of the block
    level: int
    index: int  # type: ignore[assignment]  # hides a method of tuples that nobody needs here
    is_of_block: bool = False


@dataclass(frozen=True, slots=True)
class ChosenNames:
    """Some names of a store."""

    mask: Mask  # by name id, shifted by one: events without a name are the first
    _tiles: dict[int, Mask] = field(default_factory=dict, repr=False)  # by block
    _durations: dict[int, Durations | None] = field(default_factory=dict, repr=False)  # by track
    _in_tiles: dict[AskedTile, Durations | None] = field(
        default_factory=dict, repr=False
    )  # of a few thousand events each

    def tiles(self, reader: QueryReader, block: int) -> Mask:
        """True for each tile of a block that is a leaf on a page where one of the names starts. Raises DamagedStore."""
        mask = self._tiles.get(block)
        if mask is None:
            tiles = reader.tiles(block)
            shape = tiles.shape
            on_page = reader.pages_with_names(block, self.mask)
            mask = shape.is_leaf & on_page[tiles.page_starts_of(np.arange(len(shape)))]
            self._tiles[block] = mask
        return mask

    def durations(self, reader: QueryReader, track: int) -> Durations | None:
        """Durations of the events of these names on a track; None where they are unknown. Raises DamagedStore."""
        if track not in self._durations:
            top = reader.top_tile(track)
            self._durations[track] = None if top is None else self.durations_in(reader, AskedTile(track, *top))
        return self._durations[track]

    @property
    def size_bytes(self) -> int:
        """About what it takes: a byte for each name, and for each tile of the blocks that were searched."""
        masks = self.mask.nbytes + sum(mask.nbytes for mask in list(self._tiles.values()))  # threads may add some
        return masks + (len(self._durations) + len(self._in_tiles)) * _DURATIONS_BYTES

    def is_known(self, tile: AskedTile) -> bool:
        """True if `durations_in` need not read anything."""
        return tile in self._in_tiles

    def durations_in(self, reader: QueryReader, tile: AskedTile) -> Durations | None:
        """Durations of the events of these names that start in a tile; None if unknown. Raises DamagedStore."""
        if tile not in self._in_tiles:
            record_of = reader.block_histogram_record if tile.is_of_block else reader.histogram_record
            record = record_of(tile.owner, tile.level, tile.index)
            bounds = name_bounds(record, self.mask, tile.owner, tile.level) if record else None
            self._in_tiles[tile] = None if bounds is None else Durations(*bounds)
        return self._in_tiles[tile]


CHOSEN_NAMES: Final = KeyedRunCache[Asked, ChosenNames](
    "searches", "Names that searches choose, and where they are", lambda names: names.size_bytes, grows=True
)
