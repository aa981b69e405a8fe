"""The samples of one counter in some windows, as pieces: whole bins of its tiles, and single samples at the borders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import TRACKS_PER_BLOCK, CounterBins, Page, PageKey, Samples
from tilescope.tiler.query import QueryReader
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Tiles of counters on the way down to a border: their pages, for the next border nearby, and for the counters of the
# same block, whose tiles are on the same ones.
_KEPT_PAGES: Final = 32

Pages = Callable[[PageKey], Page]


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces of a counter, in the order of time. A piece is a bin, or the tick of one sample."""

    start: Ints
    stop: Ints  # the tick itself, of a sample
    n: Ints
    last: Floats
    least: Floats
    greatest: Floats
    mean: Floats  # time-weighted, over the part of the bin in which a value is in force

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class _Tile:
    level: int
    start: int
    is_leaf: bool
    carry: float  # the value in force when it starts; NaN: none
    bins: CounterBins
    samples: Samples


def counter_pages(reader: QueryReader) -> Pages:
    """Decoded pages, some of which are kept: for the counters of one question."""
    return lru_cache(_KEPT_PAGES)(reader.decoded_page)


class CounterTiles:
    """One counter. Raises DamagedStore where its tiles make no sense."""

    def __init__(self, reader: QueryReader, track: int, pages: Pages) -> None:
        self._reader = reader
        self._track = track
        self._tiles = reader.tiles(track // TRACKS_PER_BLOCK)
        self._page = pages

    def pieces(self, windows: Windows) -> Pieces:
        """All samples in these windows, with two tiles a level for each border."""
        parts = list(self._parts(windows))
        columns = (np.concatenate([getattr(part, column) for part in parts]) for column in Pieces.__slots__)
        start, *others = columns
        order = np.argsort(start, kind="stable")
        return Pieces(start[order], *(column[order] for column in others))

    def value_before(self, tick: int) -> float:
        """That of the last sample before this tick; NaN when there is none."""
        level, index = self._reader.root_level, 0
        while True:
            tile = self._tile(level, index)
            if tile.is_leaf:
                position = int(np.searchsorted(tile.samples.time, tick))
                return float(tile.samples.value[position - 1]) if position else tile.carry
            bin_ = (tick - tile.start) >> (2 * level)
            position = int(np.searchsorted(tile.bins.bin, bin_))
            starts_later = tick > tile.start + (bin_ << (2 * level))
            if not (starts_later and position < len(tile.bins) and tile.bins.bin[position] == bin_):
                return float(tile.bins.last[position - 1]) if position else tile.carry
            level, index = level - 1, tick >> (2 * level + 6)

    def _parts(self, windows: Windows) -> Iterator[Pieces]:
        opened = [(self._reader.root_level, 0, windows)]
        while opened:
            level, index, wanted = opened.pop()
            tile = self._tile(level, index)
            if tile.is_leaf:
                yield _of_samples(tile.samples, wanted)
                continue
            start = tile.start + (tile.bins.bin << (2 * level))
            stop = start + (1 << (2 * level))
            within = wanted.cover(start, stop)
            yield _of_bins(tile.bins, start, stop, within)
            cut = wanted.meet(start, stop) & ~within
            child = start[cut] >> (2 * level + 6)
            for child_index in np.unique(child).tolist():
                parts = [
                    wanted.clipped(int(a), int(b))
                    for a, b in zip(start[cut][child == child_index], stop[cut][child == child_index], strict=True)
                ]
                borders = (np.concatenate([getattr(part, column) for part in parts]) for column in ("starts", "stops"))
                opened.append((level - 1, child_index, Windows.from_spans(*borders)))

    def _tile(self, level: int, index: int) -> _Tile:
        slot = self._track % TRACKS_PER_BLOCK
        position = None if level < 0 else self._tiles.position(slot, level, index)
        if position is None:
            raise DamagedStore(f"track {self._track}, level {level}, tile {index} is missing (index the trace again)")
        first = int(self._tiles.page_starts_of(np.array([position]))[0])
        page = self._page(self._tiles.page_key(first))
        row = position - first
        if row >= len(page) or (int(page.index[row]), int(page.slot[row])) != (index, slot):
            raise DamagedStore(f"track {self._track}, level {level}, tile {index} is not on its page")
        bins = slice(int(page.counter_bin_ends[row]), int(page.counter_bin_ends[row + 1]))
        samples = slice(int(page.sample_ends[row]), int(page.sample_ends[row + 1]))
        return _Tile(
            level,
            index << (2 * level + 8),
            bool(self._tiles.shape.is_leaf[position]),
            float(page.carry[row]),
            CounterBins(*(getattr(page.counter_bins, column)[bins] for column in CounterBins.__struct_fields__)),
            Samples(*(getattr(page.samples, column)[samples] for column in Samples.__struct_fields__)),
        )


def _of_samples(samples: Samples, wanted: Windows) -> Pieces:
    is_within = wanted.hold(samples.time)
    time, value = samples.time[is_within], samples.value[is_within]
    return Pieces(time, time, np.ones(len(time), np.int64), value, value, value, value)


def _of_bins(bins: CounterBins, start: Ints, stop: Ints, is_within: NDArray[np.bool_]) -> Pieces:
    last, least, greatest, mean = (column[is_within] for column in (bins.last, bins.min, bins.max, bins.mean))
    return Pieces(start[is_within], stop[is_within], bins.n[is_within], last, least, greatest, mean)
