"""Reads pages for the checks, each held against its shape record."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import (
    BINS_PER_TILE,
    PAGE_BYTES_AT_MOST,
    Bins,
    CounterBins,
    Page,
    Part,
    Samples,
    Slices,
    TileFlag,
    decode_columns,
    part_of,
    select,
    with_residual,
)
from tilescope.tiler.pages.compress import MEMBER_HEADER
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.verify.columns import Ints, Mask, ranges
from tilescope.tiler.verify.rounding import wrongly_rounded
from tilescope.tiler.verify.tree import BlockTree

# Decoded pages that are kept: neighbouring pieces share the pages at their borders. One takes at most about a megabyte.
_KEPT_PAGES = 256

_Columns = TypeVar("_Columns", Slices, Bins, CounterBins, Samples)


@dataclass(frozen=True, slots=True)
class Tiles:
    """Some tiles of a block with what they hold, in ascending order of position."""

    position: Ints  # (n,) in the shape record
    carry: NDArray[np.float64]  # (n,)
    slices: Slices
    slice_counts: Ints  # (n,) slices of each tile
    bins: Bins
    bin_counts: Ints
    counter_bins: CounterBins
    counter_bin_counts: Ints
    samples: Samples
    sample_counts: Ints

    def __len__(self) -> int:
        return len(self.position)

    def take(self, which: Ints) -> Tiles:
        """The tiles in these places, in this order."""
        return Tiles(
            self.position[which],
            self.carry[which],
            _take(self.slices, self.slice_counts, which),
            self.slice_counts[which],
            _take(self.bins, self.bin_counts, which),
            self.bin_counts[which],
            _take(self.counter_bins, self.counter_bin_counts, which),
            self.counter_bin_counts[which],
            _take(self.samples, self.sample_counts, which),
            self.sample_counts[which],
        )


class PageSource:
    """The pages of a store."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._kept: OrderedDict[tuple[int, int], Page] = OrderedDict()

    def read(self, tree: BlockTree, tiles: Ints) -> Tiles:
        """The tiles in these positions of a block, ascending."""
        if not len(tiles):
            return _NONE
        parts: list[Tiles] = []
        numbers = tree.page_of(tiles)
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        for first, last in zip(starts, np.append(starts[1:], len(tiles)), strict=True):
            number = int(numbers[first])
            page = self._page(tree, number)
            position = tree.page_tiles(number)
            whole = Tiles(
                np.arange(position.start, position.stop),
                page.carry,
                page.slices,
                np.diff(page.slice_ends),
                page.bins,
                np.diff(page.bin_ends),
                page.counter_bins,
                np.diff(page.counter_bin_ends),
                page.samples,
                np.diff(page.sample_ends),
            )
            parts.append(whole if last - first == len(whole) else whole.take(tiles[first:last] - position.start))
        return join(parts)

    def _page(self, tree: BlockTree, number: int) -> Page:
        key = (tree.block, number)
        page = self._kept.get(key)
        if page is None:
            page = self._kept[key] = self._read_page(tree, number)
            if len(self._kept) > _KEPT_PAGES:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return page

    def _read_page(self, tree: BlockTree, number: int) -> Page:
        first = int(tree.page_first[number])
        key = tree.page_keys[number]
        stored, residual = self._store.page(key), self._store.page(key.residual)
        if stored is None:
            raise tree.error(first, "its page is missing")
        try:
            rounded = decode_columns(inflate(stored))
            page = rounded if residual is None else with_residual(rounded, inflate(residual))
        except DamagedStore as error:
            raise tree.error(first, f"its page is damaged: {error}") from error
        _check_page(tree, number, page)
        if (residual is not None) != (len(page.bins) > 0):
            raise tree.error(first, "its page has a residual without bins, or bins without a residual")
        wrong = wrongly_rounded(rounded, page)
        if wrong is not None:
            tile, row = wrong
            raise tree.error(first + tile, f"row {row}: the busy times of its bins are not rounded as they should be")
        return page


def check_bytes(tree: BlockTree, number: int, stored: bytes) -> None:
    """Checks a page as it is stored: the checksums of both parts, and its size. Raises DamagedStore."""
    tiles = tree.page_tiles(number)
    shape, first = tree.shape, tiles.start
    try:
        page, residual = part_of(stored, Part.PAGE), part_of(stored, Part.RESIDUAL)
    except DamagedStore as error:
        raise tree.error(first, f"its page is damaged: {error}") from error
    if (residual is not None) != bool(shape.flags[first] & TileFlag.HAS_RESIDUAL):
        raise tree.error(first, "the shape record is wrong about whether its page has a residual")
    for name, part, crc in (("page", page, shape.page_crc), ("residual", residual, shape.residual_crc)):
        found, wanted = zlib.crc32(part or b""), int(crc[first])
        if found != wanted:
            what = f"the bytes of its {name} have been altered: their checksum is {found:08x}, not {wanted:08x}"
            raise tree.error(first, what)
    if len(stored) > PAGE_BYTES_AT_MOST and tiles.stop - tiles.start > 1:
        raise tree.error(tiles.start, f"its page has {len(stored)} bytes and more than one tile")


def inflate(member: bytes) -> bytes:
    """What a gzip member holds. Unlike `decompress`, bytes that follow the member are an error."""
    if not member.startswith(MEMBER_HEADER):
        raise DamagedStore("it has a damaged header")
    inflater = zlib.decompressobj(31)
    try:
        data = inflater.decompress(member)
    except zlib.error as error:
        raise DamagedStore(str(error)) from error
    if not inflater.eof or inflater.unused_data:
        raise DamagedStore("it is not exactly one gzip member")
    return data


def join(parts: list[Tiles]) -> Tiles:
    """Tiles in one."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return _NONE
    return Tiles(
        np.concatenate([p.position for p in parts]),
        np.concatenate([p.carry for p in parts]),
        _join([p.slices for p in parts]),
        np.concatenate([p.slice_counts for p in parts]),
        _join([p.bins for p in parts]),
        np.concatenate([p.bin_counts for p in parts]),
        _join([p.counter_bins for p in parts]),
        np.concatenate([p.counter_bin_counts for p in parts]),
        _join([p.samples for p in parts]),
        np.concatenate([p.sample_counts for p in parts]),
    )


def _check_page(tree: BlockTree, number: int, page: Page) -> None:
    """The page holds exactly the tiles that the shape record puts there, and kinds of content fit kinds of tiles."""
    tiles = tree.page_tiles(number)
    if page.block != tree.block or page.level != tree.level[tiles.start] or len(page) != tiles.stop - tiles.start:
        what = f"its page is one of {len(page)} tiles, block {page.block}, level {page.level}"
        raise tree.error(tiles.start, what)
    flags = tree.shape.flags[tiles] & (TileFlag.LEAF | TileFlag.TERMINAL)
    different = (page.index != tree.index[tiles]) | (page.slot != tree.slot[tiles]) | (page.flags != flags)
    leaf, terminal = tree.leaf[tiles], tree.terminal[tiles]
    bins, samples = np.diff(page.bin_ends), np.diff(page.sample_ends)
    slices, counter_bins = np.diff(page.slice_ends), np.diff(page.counter_bin_ends)
    kinds = (leaf & ((bins > 0) | (counter_bins > 0))) | (~leaf & (samples > 0)) | (terminal & (slices > 0))
    for wrong, what in (
        (different, "it is not on its page, or with other flags"),
        (kinds, "it holds what such a tile cannot hold"),
    ):
        if wrong.any():
            raise tree.error(tiles.start + int(np.flatnonzero(wrong)[0]), what)
    _check_order(tree, tiles, bins, (page.bins.row * BINS_PER_TILE) + page.bins.bin, page.bins.bin)
    _check_order(tree, tiles, counter_bins, page.counter_bins.bin, page.counter_bins.bin)
    _check_order(tree, tiles, slices, page.slices.ordinal, None)
    _check_order(tree, tiles, samples, page.samples.ordinal, None)


def _check_order(tree: BlockTree, tiles: slice, counts: Ints, order: Ints, bins: Ints | None) -> None:
    tile = np.repeat(np.arange(tiles.start, tiles.stop), counts)
    wrong: Mask = np.zeros(len(tile), np.bool_)
    wrong[1:] = (tile[1:] == tile[:-1]) & (order[1:] <= order[:-1])
    if bins is not None:
        wrong |= (bins < 0) | (bins >= BINS_PER_TILE)
    if wrong.any():
        raise tree.error(int(tile[np.flatnonzero(wrong)[0]]), "what it holds is out of order")


def _take(columns: _Columns, counts: Ints, which: Ints) -> _Columns:
    return select(columns, ranges((np.cumsum(counts) - counts)[which], counts[which]))


def _join(groups: list[_Columns]) -> _Columns:
    return type(groups[0])(*(np.concatenate([getattr(g, name) for g in groups]) for name in groups[0].__slots__))


def _none() -> Tiles:
    ints, floats = np.zeros(0, np.int64), np.zeros(0, np.float64)
    slices, bins = Slices(*[ints] * 6), Bins(*[ints] * 7)
    counter_bins, samples = CounterBins(ints, ints, *[floats] * 5), Samples(ints, floats, ints)
    return Tiles(ints, floats, slices, ints, bins, ints, counter_bins, ints, samples, ints)


_NONE = _none()
