"""Proves a counter track: samples in leaves, and every bin above computed anew from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import BINS_PER_TILE
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Ints, Mask, changes
from tilescope.tiler.verify.comparison import first_difference
from tilescope.tiler.verify.page_source import PageSource, Tiles
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree

Floats = NDArray[np.float64]

# A mean is a sum of floating-point products: the order of summation shows in the last digits.
_MEAN_TOLERANCE = 1e-9


class CounterCheck:
    """One counter. All its samples are in memory meanwhile: 24 bytes each."""

    def __init__(
        self, catalogue: Catalogue, tree: BlockTree, pages: PageSource, track: TrackEntry, tally: Tally
    ) -> None:
        self._catalogue = catalogue
        self._tree = tree
        self._pages = pages
        self._track = track
        self._tally = tally

    def check(self) -> None:
        """Raises DamagedStore."""
        tree = self._tree
        mine = np.flatnonzero(tree.slot == self._track.slot)
        if not len(mine):
            return
        time, value = self._samples(mine[tree.leaf[mine]])
        for level in np.unique(tree.level[mine]):
            tiles = self._pages.read(tree, mine[tree.level[mine] == level])
            self._check_carry(tiles, time, value)
            interior = np.flatnonzero(~tree.leaf[tiles.position])
            if len(interior):
                self._check_bins(int(level), tiles.take(interior), time, value)

    def _samples(self, leaves: Ints) -> tuple[Ints, Floats]:
        """The samples of all leaves, in order."""
        tree = self._tree
        tiles = self._pages.read(tree, leaves)
        tiles = tiles.take(np.argsort(tree.index[leaves] << (2 * tree.level[leaves] + 8)))
        at = np.repeat(tiles.position, tiles.sample_counts)
        samples = tiles.samples
        for k in np.flatnonzero(tiles.sample_counts != tree.events[tiles.position]):
            tile = int(tiles.position[k])
            raise tree.error(tile, f"{tiles.sample_counts[k]} samples, the shape record says {tree.events[tile]}")
        for k in np.flatnonzero(samples.ordinal != np.arange(len(at))):
            raise tree.error(int(at[k]), f"sample {samples.ordinal[k]} stands where sample {k} should")
        if len(at) != self._track.events:
            raise self._catalogue.track_error(
                self._track.id, f"{len(at)} samples in its leaves, {self._track.events} at ingest"
            )
        outside = (samples.time >> (2 * tree.level[at] + 8)) != tree.index[at]
        outside[1:] |= samples.time[1:] < samples.time[:-1]
        outside |= samples.time > self._catalogue.end
        for k in np.flatnonzero(outside):
            raise tree.error(int(at[k]), f"sample {samples.ordinal[k]} lies outside the tile or out of order")
        self._tally["samples"] += len(at)
        self._tally["events"] += len(at)
        return samples.time, samples.value

    def _check_carry(self, tiles: Tiles, time: Ints, value: Floats) -> None:
        """The value in force at a tile's start is that of the last sample before it."""
        tree = self._tree
        before = np.searchsorted(time, tree.index[tiles.position] << (2 * tree.level[tiles.position] + 8)) - 1
        expected = np.where(before < 0, np.nan, value[np.maximum(before, 0)])
        for k in np.flatnonzero(~_same(expected, tiles.carry)):
            what = f"the value at its start is {tiles.carry[k]}, from the samples it is {expected[k]}"
            raise tree.error(int(tiles.position[k]), what)

    def _check_bins(self, level: int, tiles: Tiles, time: Ints, value: Floats) -> None:
        """All bins of the interior tiles of one level."""
        tree = self._tree
        shift = 2 * level
        bin = time >> shift
        inside = np.isin(bin >> 8, tree.index[tiles.position])
        first = changes(bin)
        stop = np.append(first[1:], len(bin))
        first, stop = first[inside[first]], stop[inside[first]]
        position = np.repeat(tiles.position, tiles.counter_bin_counts)
        found = tiles.counter_bins
        found_bin = tree.index[position] * BINS_PER_TILE + found.bin
        wanted = bin[first]
        k = first_difference((wanted,), (found_bin,))
        if k is not None:
            bins = [int(b[k]) for b in (wanted, found_bin) if k < len(b)]
            what = f"bin {min(bins) % BINS_PER_TILE} is missing, or should not be there"
            raise self._catalogue.tile_error(self._track.id, level, min(bins) // BINS_PER_TILE, what)
        low, high, mean = _summaries(time, value, first, stop, shift)
        scale = np.maximum(np.maximum(np.abs(low), np.abs(high)), np.abs(value[np.maximum(first - 1, 0)]))
        close = np.abs(found.mean - mean) <= _MEAN_TOLERANCE * scale
        close |= ~np.isfinite(mean)  # of infinite samples, or none of sense
        for column, expected, good in (
            ("n", stop - first, found.n == stop - first),
            ("first", value[first], _same(found.first, value[first])),
            ("last", value[stop - 1], _same(found.last, value[stop - 1])),
            ("min", low, _same(found.min, low) | np.isnan(low)),
            ("max", high, _same(found.max, high) | np.isnan(high)),
            ("mean", mean, close),
        ):
            for at in np.flatnonzero(~good):
                value_found = getattr(found, column)[at]
                what = f"bin {found.bin[at]}: {column} is {value_found}, from the samples it is {expected[at]}"
                raise tree.error(int(position[at]), what)
        self._tally["counter_bins"] += len(first)


def _summaries(time: Ints, value: Floats, first: Ints, stop: Ints, shift: int) -> tuple[Floats, Floats, Floats]:
    """Least, greatest and time-weighted mean value of bins, each given as its range of samples."""
    bin_start = time[first] >> shift << shift
    bin_stop = bin_start + (1 << shift)
    # Pairs of indices, of which every second range is of no interest; the padding lets the last one end at the end.
    pairs = np.column_stack([first, stop]).ravel()
    low = np.minimum.reduceat(np.append(value, 0.0), pairs)[::2]
    high = np.maximum.reduceat(np.append(value, 0.0), pairs)[::2]
    until = np.minimum(np.append(time[1:], time[-1] | (1 << 62)), ((time >> shift) + 1) << shift)
    weighted = np.add.reduceat(np.append(value * (until - time), 0.0), pairs)[::2]
    begun = np.where(first > 0, bin_start, time[first])
    weighted += np.where(first > 0, value[np.maximum(first - 1, 0)] * (time[first] - bin_start), 0.0)
    return low, high, weighted / (bin_stop - begun)


def _same(a: Floats, b: Floats) -> Mask:
    same: Mask = (a == b) | (np.isnan(a) & np.isnan(b))
    return same
