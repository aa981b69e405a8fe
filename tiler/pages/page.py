"""A decoded page: its tiles with their columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col, TileFlag
from tilescope.tiler.pages.container import PAGE_MAGIC, RESIDUAL_MAGIC, Container, decode

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_T = TypeVar("_T", bound=np.generic)


class Slices(Struct, frozen=True):
    """Events of a leaf, or individuals of an interior tile. All columns have shape (n,); times in ticks."""

    start: Ints
    duration: Ints
    row: Ints
    name: Ints
    ordinal: Ints
    flags: Ints

    def __len__(self) -> int:
        return len(self.start)


class Bins(Struct, frozen=True):
    """Sparse bins, in the order (row, bin). All columns have shape (n,); times in ticks.

    Without the residual of their page `busy` is rounded, and `longest` is -1.
    """

    bin: Ints
    row: Ints
    count: Ints
    busy: Ints
    name: Ints
    share: Ints
    longest: Ints

    def __len__(self) -> int:
        return len(self.bin)


class CounterBins(Struct, frozen=True):
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


class Samples(Struct, frozen=True):
    """Counter samples of a leaf. All columns have shape (n,); times in ticks."""

    time: Ints
    value: Floats
    ordinal: Ints

    def __len__(self) -> int:
        return len(self.time)


_Columns = TypeVar("_Columns", Slices, Bins, CounterBins, Samples)


class Tile(Struct, frozen=True):
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


class Page(Struct, frozen=True):
    """All tiles of a page at once. Tile columns have shape (n,).

    Tile k's slices are `slice_ends[k]` to `slice_ends[k + 1]` of `slices`, and so for the other three kinds of content.
    """

    block: int
    level: int
    index: Ints
    slot: Ints
    flags: Ints  # TileFlag
    carry: Floats
    slices: Slices
    bins: Bins
    counter_bins: CounterBins
    samples: Samples
    slice_ends: Ints  # (n + 1,)
    bin_ends: Ints
    counter_bin_ends: Ints
    sample_ends: Ints

    def __len__(self) -> int:
        return len(self.index)

    def tiles(self) -> Iterator[Tile]:
        """One by one, in the order of the page."""
        for k in range(len(self)):
            s, b, c, p = (
                slice(int(ends[k]), int(ends[k + 1]))
                for ends in (self.slice_ends, self.bin_ends, self.counter_bin_ends, self.sample_ends)
            )
            yield Tile(
                self.level,
                int(self.index[k]),
                int(self.slot[k]),
                TileFlag(int(self.flags[k])),
                select(self.slices, s),
                select(self.bins, b),
                select(self.counter_bins, c),
                select(self.samples, p),
                float(self.carry[k]),
            )


def select(columns: _Columns, rows: slice | Ints | NDArray[np.bool_]) -> _Columns:
    """Some rows of a group of columns."""
    return type(columns)(*(getattr(columns, name)[rows] for name in columns.__struct_fields__))


def decode_page(data: bytes) -> Iterator[Tile]:
    """The tiles of an uncompressed page, in its order. Raises DamagedStore."""
    return decode_columns(data).tiles()


def decode_columns(data: bytes) -> Page:
    """An uncompressed page. Raises DamagedStore."""
    page = decode(data)
    if page.magic != PAGE_MAGIC:
        raise DamagedStore(_NO_PAGE)
    counts = (Col.N_SLICES, Col.N_BINS, Col.N_COUNTER_BINS, Col.N_SAMPLES)
    slice_ends, bin_ends, counter_bin_ends, sample_ends = (_ends(page, column) for column in counts)
    slices = Slices(*(_ints(page, column, int(slice_ends[-1])) for column in _SLICE))
    bin, row, count, busy, name, share = (_ints(page, column, int(bin_ends[-1])) for column in _BIN)
    bins = Bins(bin, row, count, busy, name, share, np.full_like(busy, -1))
    n = int(counter_bin_ends[-1])
    floats = (_floats(page, column, n) for column in _COUNTER_FLOATS)
    counter_bins = CounterBins(_ints(page, Col.COUNTER_BIN, n), _ints(page, Col.N, n), *floats)
    n = int(sample_ends[-1])
    samples = Samples(_ints(page, Col.TIME, n), _floats(page, Col.VALUE, n), _ints(page, Col.SAMPLE_ORDINAL, n))
    index, slot, flags = (_ints(page, column, page.n_tiles) for column in (Col.INDEX, Col.SLOT, Col.TILE_FLAGS))
    carry = _floats(page, Col.CARRY, page.n_tiles)
    ends = (slice_ends, bin_ends, counter_bin_ends, sample_ends)
    return Page(page.block, page.level, index, slot, flags, carry, slices, bins, counter_bins, samples, *ends)


class SliceTimes(Struct, frozen=True):
    """Times of the slices of a page: those of tile k are the rows ends[k] to ends[k + 1]."""

    ends: Ints  # (n + 1,)
    start: Ints
    duration: Ints
    ordinal: Ints


def decode_slice_times(data: bytes) -> SliceTimes:
    """Times of an uncompressed page, of which nothing else is decoded. Raises DamagedStore."""
    page = decode(data, _TIMES)
    if page.magic != PAGE_MAGIC:
        raise DamagedStore(_NO_PAGE)
    ends = _ends(page, Col.N_SLICES)
    count = int(ends[-1])
    return SliceTimes(ends, *(_ints(page, column, count) for column in _TIMES[1:]))


def decode_slice_names(data: bytes) -> Ints:
    """The name ids of the slices of an uncompressed page, -1 none; nothing else is decoded. Raises DamagedStore."""
    page = decode(data, (Col.NAME,))
    if page.magic != PAGE_MAGIC:
        raise DamagedStore(_NO_PAGE)
    return page.ints(Col.NAME)


def with_residual(page: Page, data: bytes) -> Page:
    """The same page with exact bins, from its residual, uncompressed. Raises DamagedStore."""
    residual = decode(data)
    identity = residual.magic, residual.level, residual.n_tiles, residual.block
    if identity != (RESIDUAL_MAGIC, page.level, len(page), page.block):
        raise DamagedStore("a residual is not that of its page")
    n = len(page.bins)
    busy = page.bins.busy + _ints(residual, Col.BUSY_RESIDUAL, n)
    longest = busy + _ints(residual, Col.LONGEST_MINUS_BUSY, n)
    return replace(page, bins=replace(page.bins, busy=busy, longest=longest))


_NO_PAGE = "a record that should be a page is something else"
_TIMES = (Col.N_SLICES, Col.START, Col.DURATION, Col.ORDINAL)
_SLICE = (Col.START, Col.DURATION, Col.ROW, Col.NAME, Col.ORDINAL, Col.SLICE_FLAGS)
_BIN = (Col.BIN, Col.BIN_ROW, Col.COUNT, Col.BUSY, Col.BIN_NAME, Col.SHARE)
_COUNTER_FLOATS = (Col.FIRST, Col.LAST, Col.MIN, Col.MAX, Col.MEAN)


def _ends(page: Container, column: Col) -> Ints:
    counts = _ints(page, column, page.n_tiles)
    if len(counts) and counts.min() < 0:
        raise DamagedStore(f"column {column.name.lower()} of a page is damaged")
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _ints(page: Container, column: Col, n: int) -> Ints:
    return _of_length(page.ints(column), column, n)


def _floats(page: Container, column: Col, n: int) -> Floats:
    return _of_length(page.floats(column), column, n)


def _of_length(values: NDArray[_T], column: Col, n: int) -> NDArray[_T]:
    if len(values) != n:
        raise DamagedStore(f"column {column.name.lower()} of a page has {len(values)} values, not {n}")
    return values
