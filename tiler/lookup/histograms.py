"""The histogram of any windows of tracks: from those of tiles where there are some, from leaves elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.tiles import block_shape, page_content
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey, Shape, decompress
from tilescope.tiler.pages.leaf_parts import leaf_parts
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, HISTOGRAM, TRACK_SUMS, Histogram
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.span_sums import ITS_OWN, LEFT_OUT, SpanSums
from tilescope.tiler.records.spread import BLOCK_SPREAD, SPREAD, TRACK_SUMS_SPREAD
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Other names for all slices of a page: of its content, the shape, its first tile, and the tiles that matter.
Rename = Callable[[bytes, Shape, int, Ints], NDArray[np.int32]]

# Pages that are added at a time; those whose slices get other names take some thirty times as long.
_PAGES: Final = 64
_RENAMED_PAGES: Final = 2

# Sums of all tracks of a block are read for so many of them: for fewer, their own histograms are.
_FEWEST_TRACKS: Final = 4

_SLOT_BITS: Final = 5  # TRACKS_PER_BLOCK is 32


class TileSource(Protocol):
    """A store, with shapes and pages decoded by whoever keeps them."""

    @property
    def store(self) -> Store: ...

    def block_shape(self, block: int) -> Shape:
        """The shape of a block."""
        ...

    def page_content(self, key: PageKey) -> bytes:
        """A page, uncompressed."""
        ...


class StoredTiles:
    """A `TileSource` that keeps nothing of its own."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def block_shape(self, block: int) -> Shape:
        """The shape of a block. Raises DamagedStore, NotBuilt."""
        return block_shape(self.store, block)

    def page_content(self, key: PageKey) -> bytes:
        """A page, uncompressed. Raises DamagedStore."""
        return page_content(self.store, key)


def histogram_parts(
    source: TileSource,
    block: int,
    windows: Mapping[int, Windows],
    dtype: type[Any],
    rename: Rename | None = None,
) -> Iterator[Histogram]:
    """Histograms that add up to that of some windows of tracks of slices; `windows`: by slot; `dtype`: of their sums.

    As `add_windows`. Raises DamagedStore.
    """
    sums = SpanSums()
    for _ in add_windows(source, block, windows, sums, stored=dtype is not object, rename=rename):
        yield sums.take(dtype)
    yield sums.take(dtype)


def add_windows(
    source: TileSource,
    block: int,
    windows: Mapping[int, Windows],
    sums: SpanSums,
    *,
    aside: SpanSums | None = None,
    stored: bool = True,
    whole: bool = False,
    as_name: Mapping[int, int] | None = None,
    rename: Rename | None = None,
) -> Iterator[None]:
    """Adds what lies in some windows of tracks of slices; `windows`: by slot. Yields where it may be interrupted.

    At each level at most two tiles lie across the borders of a window, so at most six that are within it are not in a
    tile that is within it, too. Those with a histogram cost a record or two each. The others have few events, or few of
    each name, and their leaves are read, each page once for all tracks. Names that a histogram has summed up as "other"
    are looked for in the tiles below: then all of its leaves may be read. `aside`: where a second thread adds its part.
    `stored`: whether the tracks have histograms; `whole`: whether these are all tracks of the block that have some.
    `as_name`: by slot, the name that all events of a track are summed up under. `rename` gives the slices of a page
    other names; histograms do not know them. Raises DamagedStore.
    """
    if not windows:
        return
    shape = source.block_shape(block)
    names = np.full(TRACKS_PER_BLOCK, ITS_OWN, np.int32)
    for slot, name in (as_name or {}).items():
        names[slot] = name
    reading = _Reading(source, shape, sums, aside, names, rename)
    alike: dict[int, tuple[Windows, list[int]]] = {}  # tracks of one device share their windows
    for slot, slot_windows in windows.items():
        alike.setdefault(id(slot_windows), (slot_windows, []))[1].append(slot)
    cells = []
    stored = stored and rename is None
    together = stored and whole and not as_name and len(alike) == 1
    for slot_windows, slots in alike.values():
        leaves = yield from reading.stored_parts(
            np.array(slots, np.int64), slot_windows, stored=stored, together=together, by_track=stored and bool(as_name)
        )
        cells.append(leaf_parts(shape, leaves, slot_windows))
    yield from reading.leaves(np.concatenate(cells, axis=1))


class _Reading:
    """Adds up what is read of a block."""

    def __init__(
        self,
        source: TileSource,
        shape: Shape,
        sums: SpanSums,
        aside: SpanSums | None,
        names: NDArray[np.int32],
        rename: Rename | None,
    ) -> None:
        self._rename = rename
        self._source = source
        self._shape = shape
        self._sums = sums
        self._aside = aside
        self._names = names  # by slot

    def stored_parts(
        self, slots: Ints, windows: Windows, *, stored: bool, together: bool, by_track: bool
    ) -> Generator[None, None, Ints]:
        """Adds stored histograms; returns the positions of leaves that are to be read, ascending.

        `together`: those of the block, too, which count what these tracks have in a tile. `by_track`: each track is
        summed up under one name, so that the sums of the block's tracks are all that is needed.
        """
        shape = self._shape
        leaves: list[Ints] = []
        opened = slots  # tiles of the level above whose children are wanted: index and slot in one number, ascending
        is_asked = np.zeros(TRACKS_PER_BLOCK, np.bool_)
        is_asked[slots] = True
        tiles = np.flatnonzero(is_asked[shape.slot])
        levels, is_leaf = shape.level[tiles], shape.is_leaf
        places = (shape.index[tiles] << _SLOT_BITS) | shape.slot[tiles]  # ascending in each level
        has_histogram, has_together = shape.has_histogram, np.flatnonzero(shape.has_block_histogram)
        has_track_sums = np.flatnonzero(shape.has_track_sums)
        for level in range(int(levels.max(initial=-1)), -1, -1):
            if not len(opened):
                break
            of_level = slice(*np.searchsorted(levels, [level, level + 1]).tolist())
            every = tiles[of_level]
            here = every[_children(places[of_level], opened)]
            first = shape.index[here] << (2 * level + 8)
            stop = np.minimum((shape.index[here] + 1) << (2 * level + 8), TICK_LIMIT)
            wanted = windows.meet(first, stop)
            within = wanted & windows.cover(first, stop)
            is_any = bool(within.any())  # of short windows no tile is, as a rule
            if together and is_any:
                flagged = shape.index[has_together[shape.level[has_together] == level]]
                index, first_rows = np.unique(shape.index[here][within], return_index=True)
                # Where some tracks have been added by themselves, a level above, the others are, too.
                are_all = _how_many(shape.index[here], index) == _how_many(shape.index[every], index)
                common_tiles = here[within][first_rows[are_all & np.isin(index, flagged)]]
                added = yield from for_each(common_tiles.tolist(), self._add_together, self._sums, self._aside)
                is_added = np.isin(shape.index[here], shape.index[common_tiles[np.array(added, np.bool_)]])
                wanted, within = wanted & ~is_added, within & ~is_added
            if by_track and is_any:
                summed = has_track_sums[shape.level[has_track_sums] == level]
                summed_rows = np.flatnonzero(within & np.isin(shape.index[here], shape.index[summed]))
                _, which, n = np.unique(shape.index[here[summed_rows]], return_inverse=True, return_counts=True)
                summed_rows = summed_rows[n[which] >= _FEWEST_TRACKS]
                yield from for_each(_by_index(shape, here[summed_rows]), self._add_tracks, self._sums, self._aside)
                wanted[summed_rows] = within[summed_rows] = False
            if stored and is_any:
                own_rows = np.flatnonzero(within & has_histogram[here])
                added = yield from for_each(here[own_rows].tolist(), self._add_stored, self._sums, self._aside)
                wanted[own_rows] = np.logical_not(added)
            leaf = is_leaf[here]
            leaves.append(here[wanted & leaf])
            inner = here[wanted & ~leaf]
            opened = (shape.index[inner] << _SLOT_BITS) | shape.slot[inner]
        return np.sort(np.concatenate([*leaves, tiles[:0]]))

    def leaves(self, cells: Ints) -> Iterator[None]:
        """Adds parts of leaves, as `leaf_parts` has them."""
        shape = self._shape
        cells = cells[:, np.lexsort((cells[1], cells[0]))]
        page_starts = shape.page_starts()
        page = np.searchsorted(page_starts, cells[0], side="right") - 1
        of_pages = np.split(cells, np.flatnonzero(np.diff(page)) + 1, axis=1) if len(page) else []

        def add(of_page: Ints, sums: SpanSums) -> None:
            first = int(page_starts[np.searchsorted(page_starts, of_page[0, 0], side="right") - 1])
            content = self._source.page_content(shape.page_at(first))
            renamed = None if self._rename is None else self._rename(content, shape, first, of_page[0])
            sums.add_leaves(content, shape, first, of_page, self._names[shape.slot[of_page[0]]], renamed)

        yield from for_each(of_pages, add, self._sums, self._aside, _PAGES if self._rename is None else _RENAMED_PAGES)

    def _add_stored(self, tile: int, sums: SpanSums) -> bool:
        track = self._shape.block * TRACKS_PER_BLOCK + int(self._shape.slot[tile])
        return self._add(tile, sums, track, HISTOGRAM, SPREAD)

    def _add_tracks(self, tiles: Ints, sums: SpanSums) -> None:
        """Adds the sums of the tracks of tiles of one level and index."""
        shape = self._shape
        names = np.full(TRACKS_PER_BLOCK, LEFT_OUT, np.int32)
        names[shape.slot[tiles]] = self._names[shape.slot[tiles]]
        self._add(int(tiles[0]), sums, shape.block, TRACK_SUMS, TRACK_SUMS_SPREAD, names)

    def _add_together(self, tile: int, sums: SpanSums) -> bool:
        return self._add(tile, sums, self._shape.block, BLOCK_HISTOGRAM, BLOCK_SPREAD)

    def _add(
        self,
        tile: int,
        sums: SpanSums,
        owner: int,
        histogram: Record,
        spread: Record,
        tracks: NDArray[np.int32] | None = None,
    ) -> bool:
        shape = self._shape
        level, index = int(shape.level[tile]), int(shape.index[tile])
        where = f"{histogram.numbers[0]} {owner}, level {level}, tile {index}"
        record = self._source.store.get(histogram, owner, level, index)
        stored_spread = self._source.store.get(spread, owner, level, index) if sums.has_spread else None
        if record is None or (stored_spread is None and sums.has_spread):
            raise DamagedStore(f"{where}: its histogram is missing (index the trace again)")
        try:
            durations = None if stored_spread is None else decompress(stored_spread)
            if tracks is not None:
                sums.add_tracks(decompress(record), durations, owner, level, tracks)
                return True
            name = int(self._names[shape.slot[tile]])
            return sums.add_stored(decompress(record), durations, owner, level, name)
        except DamagedStore as error:
            raise DamagedStore(f"{where}: its histogram is damaged (index the trace again)") from error


def _children(places: Ints, opened: Ints) -> Ints:
    """Positions among the tiles of a level, which ascend, of the children of tiles above."""
    index, slot = opened >> _SLOT_BITS, opened & (TRACKS_PER_BLOCK - 1)
    wanted = ((((index << 2)[:, None] + np.arange(4)) << _SLOT_BITS) | slot[:, None]).ravel()
    wanted.sort()
    positions = np.searchsorted(places, wanted)
    there = positions < len(places)
    there[there] = places[positions[there]] == wanted[there]
    return positions[there]


def _by_index(shape: Shape, tiles: Ints) -> list[Ints]:
    """Tiles of one level, ascending, those of each index by themselves."""
    return np.split(tiles, np.flatnonzero(np.diff(shape.index[tiles])) + 1) if len(tiles) else []


def _how_many(ascending: Ints, values: Ints) -> Ints:
    return np.searchsorted(ascending, values, side="right") - np.searchsorted(ascending, values)
