"""The end of a block: its pages and what is made of all its tracks together, in parts that threads share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from msgspec import structs

from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks.block_pages import BlockPages
from tilescope.tiler.indexing.tracks.histograms import block_histograms, histograms
from tilescope.tiler.indexing.tracks.page_names import page_names
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import Shape, compress
from tilescope.tiler.store import keys
from tilescope.tiler.store.store import Entry

Part = Callable[[], Iterator[Entry]]

# Tracks with fewer rows are looked at together: a part is worth a change of threads.
_ROWS_OF_A_PART = 1 << 17


class BlockEnd:
    """Of one block. Its parts may be done in any order, by any threads; its shape record is known after them."""

    def __init__(
        self,
        number: int,
        tiles: Mapping[int, _native.Tiles],
        data: Mapping[int, TrackData],
        budget: _native.MemoryBudget | None = None,
    ) -> None:
        """`tiles` and `data`: of the block's tracks, by track id; the tiles are taken over. Rollups have no data."""
        self._number = number
        self._data = data
        self._budget = budget
        self._pages = BlockPages(number, tiles, budget)
        # Parts look at what is known before there are pages. Each adds its flags to a copy, then to these.
        self._before = self._pages.shape()
        self._before = structs.replace(self._before, flags=self._before.flags.copy())
        self._flags = self._before.flags.copy()
        self._adding = threading.Lock()

    def parts(self) -> list[Part]:
        """What is to be written, the longest first."""
        if not self._data:  # rollups alone, which come last: two threads are free for their pages, which list no names
            return [*(partial(self._pages_of, tiles) for tiles in self._pages.halves()), self._names]
        parts: list[Part] = [self._block_histograms, self._pages_and_names]
        rows = 0
        some: list[int] = []
        for track in sorted(self._data, key=lambda track: -len(self._data[track])):
            some.append(track)
            rows += len(self._data[track])
            if rows >= _ROWS_OF_A_PART:
                parts.append(self._histograms_of(some))
                rows, some = 0, []
        if some:
            parts.append(self._histograms_of(some))
        return parts

    def shape_entry(self) -> Entry:
        """The shape record, when all parts are done."""
        shape = self._pages.shape()
        return keys.shape(self._number), compress(structs.replace(shape, flags=shape.flags | self._flags).encode())

    def _pages_of(self, tiles: range | None = None) -> Iterator[Entry]:
        for key, page in self._pages.pages(tiles):
            yield keys.page(key), page

    def _names(self) -> Iterator[Entry]:
        """The names on the pages, which must be there."""
        yield from page_names(self._data, self._pages.shape(), self._budget)

    def _pages_and_names(self) -> Iterator[Entry]:
        yield from self._pages_of()
        yield from self._names()

    def _block_histograms(self) -> Iterator[Entry]:
        shape = self._own_shape()
        yield from block_histograms(self._number, self._data, shape, self._budget)
        self._add(shape)

    def _histograms_of(self, tracks: list[int]) -> Part:
        def part() -> Iterator[Entry]:
            shape = self._own_shape()
            for track in tracks:
                yield from histograms(track, self._data[track], shape, self._budget)
            self._add(shape)

        return part

    def _own_shape(self) -> Shape:
        return structs.replace(self._before, flags=self._before.flags.copy())

    def _add(self, shape: Shape) -> None:
        with self._adding:
            self._flags |= shape.flags
