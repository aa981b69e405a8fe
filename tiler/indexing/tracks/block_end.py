"""The end of a block: its pages and what is made of all its tracks together, in parts that threads share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from msgspec import structs

from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks.block_pages import BlockPages
from tilescope.tiler.indexing.tracks.histograms import histograms
from tilescope.tiler.indexing.tracks.page_names import page_names
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import compress
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.store.store import Entry

Part = Callable[[], Iterator[Entry]]


class BlockEnd:
    """End of one block. Its parts may be done in any order, by any threads; its shape record is known after them."""

    def __init__(
        self,
        number: int,
        tiles: Mapping[int, _native.Tiles],
        data: Mapping[int, TrackData],
        budget: _native.MemoryBudget | None = None,
    ) -> None:
        """`tiles` and `data`: of the block's tracks, by track id; the tiles are taken over. Rollups have no data."""
        self.has_columns_alone = False  # its trees are not needed any more
        self._counting = threading.Lock()
        self._unwritten = 0  # parts of its pages
        self._number = number
        self._data = data
        self._budget = budget
        self._pages = BlockPages(number, tiles, budget)
        # What is known before there are pages, with flags of histograms, for which nobody waits for pages.
        before = self._pages.shape()
        self._flagged = structs.replace(before, flags=before.flags.copy())

    def parts(self) -> list[Part]:
        """Parts to be written, the longest first."""
        parts = self._pages.parts()
        self._unwritten = len(parts)
        # With 2.4 million slices histograms take 0.12 to 0.28 s of processor time, and all pages about as long.
        histograms = [self._histograms] if self._data else []  # not of rollups
        return [*histograms, *(partial(self._pages_of, tiles) for tiles in parts)]

    def shape_entry(self) -> Entry:
        """The shape record, when all parts are done."""
        shape = self._pages.shape()
        shape = structs.replace(shape, flags=shape.flags | self._flagged.flags)
        return SHAPE.key(self._number), compress(shape.encode())

    def _pages_of(self, tiles: range) -> Iterator[Entry]:
        """Some pages; behind the last of all, the names that are on them."""
        for key, page in self._pages.pages(tiles):
            yield PAGE.key(*key[:4]), page
        with self._counting:
            self._unwritten -= 1
            is_last = not self._unwritten
        if is_last:
            self._pages.forget_tiles()
            yield from page_names(self._data, self._pages.shape(), self._budget)
            self.has_columns_alone = True

    def _histograms(self) -> Iterator[Entry]:
        yield from histograms(self._number, self._data, self._flagged, self._budget)
