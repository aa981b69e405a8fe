"""The histogram of any windows of tracks: from those of tiles where there are some, from leaves elsewhere."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Histogram, PageKey, Shape, decompress
from tilescope.tiler.pages.leaf_parts import leaf_parts
from tilescope.tiler.pages.leaf_sums import LeafSums
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# The sums of leaves are given after so many pages: a question may be interrupted there.
_PAGES_AT_ONCE: Final = 32

_SLOT_BITS: Final = 5  # TRACKS_PER_BLOCK is 32


class TileSource(Protocol):
    """What is read of a store."""

    def decoded_shape(self, block: int) -> Shape | None:
        """A block's shape."""

    def page_content(self, key: PageKey) -> bytes:
        """A page, uncompressed."""

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None:
        """The stored histogram of a tile, compressed."""


def histogram_parts(
    source: TileSource, block: int, windows: Mapping[int, Windows], dtype: type[Any]
) -> Iterator[Histogram]:
    """Histograms that add up to that of some windows of tracks of slices; `windows`: by slot; `dtype`: of their sums.

    At each level at most two tiles lie across the borders of a window, so at most six that are within it are not in a
    tile that is within it, too. Those with a histogram cost one record each. The others have fewer than
    HISTOGRAM_EVENTS events, and their leaves are read, each page once for all tracks. Names that a histogram has summed
    up as "other" are looked for in the tiles below: then all of its leaves may be read. Raises DamagedStore.
    """
    if not windows:
        return
    shape = source.decoded_shape(block)
    if shape is None:
        raise DamagedStore(f"block {block} has no shape record")
    alike: dict[int, tuple[Windows, list[int]]] = {}  # tracks of one device share their windows
    for slot, of in windows.items():
        alike.setdefault(id(of), (of, []))[1].append(slot)
    cells = []
    for of, slots in alike.values():
        leaves = yield from _stored_parts(source, shape, np.array(slots, np.int64), of, dtype)
        cells.append(leaf_parts(shape, leaves, of))
    yield from _of_leaves(source, shape, np.concatenate(cells, axis=1), dtype)


def _stored_parts(
    source: TileSource, shape: Shape, slots: Ints, windows: Windows, dtype: type[Any]
) -> Generator[Histogram, None, Ints]:
    """Gives stored histograms; returns the positions of leaves that are to be read, ascending."""
    leaves: list[Ints] = []
    opened = slots  # tiles of the level above whose children are wanted: index and slot in one number
    tiles = np.flatnonzero(np.isin(shape.slot, slots))
    levels, has_histogram, is_leaf = shape.level[tiles], shape.has_histogram, shape.is_leaf
    for level in range(int(levels.max(initial=-1)), -1, -1):
        if not len(opened):
            break
        here = tiles[np.searchsorted(levels, level) : np.searchsorted(levels, level, side="right")]
        here = here[np.isin((shape.index[here] >> 2 << _SLOT_BITS) | shape.slot[here], opened)]
        first = shape.index[here] << (2 * level + 8)
        stop = np.minimum((shape.index[here] + 1) << (2 * level + 8), TICK_LIMIT)
        wanted = windows.meet(first, stop)
        within = wanted & windows.cover(first, stop)
        if dtype is not object:  # a track whose sums are beyond int64 has no histograms
            for at in np.flatnonzero(within & has_histogram[here]).tolist():
                found = _stored(source, shape, int(here[at]))
                if not found.has_other_names:
                    yield found
                    wanted[at] = False
        leaf = is_leaf[here]
        leaves.append(here[wanted & leaf])
        inner = here[wanted & ~leaf]
        opened = (shape.index[inner] << _SLOT_BITS) | shape.slot[inner]
    return np.sort(np.concatenate([*leaves, tiles[:0]]))


def _stored(source: TileSource, shape: Shape, tile: int) -> Histogram:
    track = shape.block * TRACKS_PER_BLOCK + int(shape.slot[tile])
    level, index = int(shape.level[tile]), int(shape.index[tile])
    record = source.histogram_record(track, level, index)
    where = f"track {track}, level {level}, tile {index}"
    if record is None:
        raise DamagedStore(f"{where}: its histogram is missing (index the trace again)")
    try:
        return Histogram.decode(decompress(record), track, level)
    except DamagedStore as error:
        raise DamagedStore(f"{where}: its histogram is damaged (index the trace again)") from error


def _of_leaves(source: TileSource, shape: Shape, cells: Ints, dtype: type[Any]) -> Iterator[Histogram]:
    cells = cells[:, np.lexsort((cells[1], cells[0]))]
    page_starts = shape.page_starts()
    page = np.searchsorted(page_starts, cells[0], side="right") - 1
    sums = LeafSums()
    for number, of_page in enumerate(np.split(cells, np.flatnonzero(np.diff(page)) + 1, axis=1) if len(page) else ()):
        first_of_page = int(page_starts[np.searchsorted(page_starts, of_page[0, 0], side="right") - 1])
        sums.add(source.page_content(shape.page_of(first_of_page)), shape, first_of_page, of_page)
        if number % _PAGES_AT_ONCE == _PAGES_AT_ONCE - 1:
            yield sums.take(dtype)
    yield sums.take(dtype)
