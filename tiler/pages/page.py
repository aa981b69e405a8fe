"""A decoded page: its tiles with their columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col, TileFlag
from tilescope.tiler.pages.container import PAGE_MAGIC, Container, decode

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Slices:
    """Events of a leaf, or individuals of an interior tile. All columns have shape (n,); times in ticks."""

    start: Ints
    duration: Ints
    row: Ints
    name: Ints
    ordinal: Ints
    flags: Ints

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class Bins:
    """Sparse bins, in the order (row, bin). All columns have shape (n,); times in ticks."""

    bin: Ints
    row: Ints
    count: Ints
    busy: Ints
    name: Ints
    share: Ints
    longest: Ints

    def __len__(self) -> int:
        return len(self.bin)


@dataclass(frozen=True, slots=True)
class CounterBins:
    """Sparse counter bins. All columns have shape (n,)."""

    bin: Ints
    n: Ints
    first: Floats
    last: Floats
    min: Floats
    max: Floats
    mean: Floats

    def __len__(self) -> int:
        return len(self.bin)


@dataclass(frozen=True, slots=True)
class Samples:
    """Counter samples of a leaf. All columns have shape (n,); times in ticks."""

    time: Ints
    value: Floats
    ordinal: Ints

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile of a page."""

    level: int
    index: int
    slot: int
    flags: TileFlag
    slices: Slices
    bins: Bins
    counter_bins: CounterBins
    samples: Samples
    carry: float

    @property
    def start(self) -> int:
        """First tick."""
        return self.index << (2 * self.level + 8)

    @property
    def stop(self) -> int:
        """First tick after the tile."""
        return (self.index + 1) << (2 * self.level + 8)

    @property
    def bin_ticks(self) -> int:
        """Width of a bin."""
        return 1 << (2 * self.level)


_SLICE = (Col.START, Col.DURATION, Col.ROW, Col.NAME, Col.ORDINAL, Col.SLICE_FLAGS)
_BIN = (Col.BIN, Col.BIN_ROW, Col.COUNT, Col.BUSY, Col.BIN_NAME, Col.SHARE, Col.LONGEST_MINUS_BUSY)
_COUNTER_FLOATS = (Col.FIRST, Col.LAST, Col.MIN, Col.MAX, Col.MEAN)


def decode_page(data: bytes) -> Iterator[Tile]:
    """The tiles of an uncompressed page, in its order. Raises DamagedStore."""
    page = decode(data)
    if page.magic != PAGE_MAGIC:
        raise DamagedStore("a record that should be a page is something else")
    slices = [page.ints(c) for c in _SLICE]
    bins = [page.ints(c) for c in _BIN]
    if len(bins[0]):
        bins[6] = bins[6] + bins[3]  # stored as the difference to busy
    counter_ints = [page.ints(Col.COUNTER_BIN), page.ints(Col.N)]
    counter_floats = [page.floats(c) for c in _COUNTER_FLOATS]
    samples = page.ints(Col.TIME), page.floats(Col.VALUE), page.ints(Col.SAMPLE_ORDINAL)
    index, slot, flags = page.ints(Col.INDEX), page.ints(Col.SLOT), page.ints(Col.TILE_FLAGS)
    carry = page.floats(Col.CARRY)
    ends = [_ends(page, c) for c in (Col.N_SLICES, Col.N_BINS, Col.N_COUNTER_BINS, Col.N_SAMPLES)]
    groups: list[list[Ints] | list[Floats]] = [slices, bins, counter_ints, counter_floats, [samples[0], samples[2]], [samples[1]]]
    for group, end in zip(groups, [ends[0], ends[1], ends[2], ends[2], ends[3], ends[3]], strict=True):
        if any(len(column) != end[-1] for column in group):
            raise DamagedStore("columns of a page differ in length")
    if any(len(column) != page.n_tiles for column in (index, slot, flags, carry)):
        raise DamagedStore("tile columns of a page differ in length")
    for k in range(page.n_tiles):
        s, b, c, p = (slice(int(end[k]), int(end[k + 1])) for end in ends)
        yield Tile(
            page.level,
            int(index[k]),
            int(slot[k]),
            TileFlag(int(flags[k])),
            Slices(*(column[s] for column in slices)),
            Bins(*(column[b] for column in bins)),
            CounterBins(*(column[c] for column in counter_ints), *(column[c] for column in counter_floats)),
            Samples(samples[0][p], samples[1][p], samples[2][p]),
            float(carry[k]),
        )


def _ends(page: Container, column: Col) -> Ints:
    counts = page.ints(column)
    if len(counts) != page.n_tiles or (len(counts) and counts.min() < 0):
        raise DamagedStore(f"column {column.name.lower()} of a page is damaged")
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
