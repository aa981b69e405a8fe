"""The same trees from the native pyramid, decoded from its pages; and the comparison with the reference."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from tests.tiler.pyramid.reference import TERMINAL_SLICES, Slice, Tree
from tilescope.tiler import _native
from tilescope.tiler.pages import Page, Tile, decode_columns, with_residual

NativeTree = dict[tuple[int, int], tuple[Tile, int]]  # tile and number of events, by (level, index)

MEAN_TOLERANCE = 1e-9


def columns(track: Sequence[Slice]) -> tuple[np.ndarray, ...]:
    """Start, duration, row, name, flags."""
    types = (np.int64, np.int64, np.uint32, np.int32, np.uint8)
    values = ([getattr(s, field) for s in track] for field in ("start", "duration", "row", "name", "flags"))
    return tuple(np.array(column, dtype) for column, dtype in zip(values, types, strict=True))


def block_trees(block: _native.Block, number: int) -> dict[int, NativeTree]:
    """The trees of a block whose tracks are in, by slot. Pages are cut in an odd way, since any cut must do."""
    block.seal()
    level, index, slot, flags, events, weight = block.tiles()
    assert (weight > 0).all()
    keys = list(zip(level.tolist(), index.tolist(), slot.tolist(), strict=True))
    assert keys == sorted(set(keys))
    trees: dict[int, NativeTree] = {}
    first = 0
    while first < len(keys):
        last = first + 1
        while last < len(keys) and level[last] == level[first] and last - first < 7:
            last += 1
        tiles = list(exact_page(block, first, last).tiles())
        assert [(t.level, t.index, t.slot) for t in tiles] == keys[first:last]
        for k, tile in enumerate(tiles, first):
            assert tile.flags == flags[k]
            trees.setdefault(tile.slot, {})[tile.level, tile.index] = tile, int(events[k])
        first = last
    return trees


def exact_page(block: _native.Block, first: int, last: int) -> Page:
    """A page, with its residual if it has one."""
    page, residual = block.encode(first, last)
    rounded = decode_columns(page)
    return with_residual(rounded, residual) if residual else rounded


def native_slices(track: Sequence[Slice], root: int) -> NativeTree:
    block = _native.Block(3)
    start, duration, row, name, flags = columns(track)
    block.add(5, _native.slice_tiles(start, duration, row, name, flags, root))
    return block_trees(block, 3).get(5, {})


def native_rollup(children: Sequence[Sequence[Slice]], root: int) -> NativeTree:
    parts = [columns(child) for child in children]
    slices = [(start, duration, name) for start, duration, _, name, _ in parts]
    kept = [_native.KeptSlices(*child) for child in slices]
    in_memory = _rollup(kept, root)
    with tempfile.TemporaryFile() as file:
        offsets = np.cumsum([7, *(20 * len(start) for start, _, _ in slices)]).tolist()  # at an odd place
        in_file = [
            _native.KeptSlices.in_file(file.fileno(), offset, *child)
            for offset, child in zip(offsets, slices, strict=False)
        ]
        from_file = _rollup(in_file, root)
        tiles = [tile * 4 ** (root + 3) for tile in (1, 2, 3)]
        cuts = [*(_native.rollup_cuts(kept, root, parts, TERMINAL_SLICES) for parts in (2, 5)), tiles, tiles[1:2]]
        cut = [_cut_rollup(slices, root, times) for slices in (kept, in_file) for times in cuts if root >= 4 and times]
    with_wide_counts = _rollup(kept, root, narrow_slices=0)
    encoded = _encoded(in_memory)
    assert _encoded(from_file) == encoded
    assert _encoded(with_wide_counts) == encoded
    assert all(_encoded(block) == encoded for block in cut)
    return block_trees(_rollup(kept, root), 0).get(0, {})


def _rollup(children: Sequence[_native.KeptSlices], root: int, narrow_slices: int = 2**32 - 1) -> _native.Block:
    block = _native.Block(0)
    tiles = _native.rollup_tiles(children, root, terminal_slices=TERMINAL_SLICES, narrow_slices=narrow_slices)
    block.add(0, tiles)
    return block


def _cut_rollup(children: Sequence[_native.KeptSlices], root: int, cuts: Sequence[int]) -> _native.Block:
    """A block with a rollup that is built in parts, the last one first."""
    block = _native.Block(0)
    tiles = _native.rollup_tiles(children, root, terminal_slices=TERMINAL_SLICES, start=cuts[-1])
    for start, stop in reversed([*pairwise([0, *cuts])]):
        earlier = _native.rollup_tiles(children, root, terminal_slices=TERMINAL_SLICES, start=start, stop=stop)
        earlier.join(tiles)
        tiles = earlier
    block.add(0, tiles)
    return block


def _encoded(block: _native.Block) -> list[tuple[bytes, bytes]]:
    block.seal()
    return [block.encode(tile, tile + 1) for tile in range(len(block.tiles()[0]))]


def native_counter(samples: Sequence[tuple[int, float]], root: int) -> NativeTree:
    block = _native.Block(0)
    times, values = [t for t, _ in samples], [v for _, v in samples]
    block.add(31, _native.counter_tiles(np.array(times, np.int64), np.array(values, np.float64), root))
    return block_trees(block, 0).get(31, {})


def assert_same(found: NativeTree, expected: Tree, track: Sequence[Slice] = ()) -> None:
    """Every tile of one is the same in the other, in every column."""
    assert sorted(found) == sorted(expected)
    for key, (tile, events) in found.items():
        reference = expected[key]
        assert (int(tile.flags), events) == (reference.flags, reference.events), key
        s = tile.slices
        rows = zip(s.ordinal, s.flags, s.start, s.duration, s.row, s.name, strict=True)
        shown = [(k, flags, *track[k][:2], track[k].row, track[k].name) for k, flags in reference.slices]
        assert [tuple(map(int, row)) for row in rows] == shown, key
        b = tile.bins
        bins = zip(b.row, b.bin, b.count, b.busy, b.name, b.share, b.longest, strict=True)
        assert [tuple(map(int, bin)) for bin in bins] == [(*at, *bin) for at, bin in reference.bins.items()], key


def assert_same_counter(found: NativeTree, expected: Tree, samples: Sequence[tuple[int, float]]) -> None:
    """The same for counters; means may differ in their last digits."""
    assert sorted(found) == sorted(expected)
    for key, (tile, events) in found.items():
        reference = expected[key]
        assert (int(tile.flags), events) == (reference.flags, reference.events), key
        assert math.isnan(tile.carry) if reference.carry is None else tile.carry == reference.carry, key
        rows = list(zip(tile.samples.ordinal, tile.samples.time, tile.samples.value, strict=True))
        assert rows == [(k, *samples[k]) for k in reference.samples], key
        assert tile.counter_bins.bin.tolist() == list(reference.counter_bins), key
        c = tile.counter_bins
        bins = zip(c.n, c.first, c.last, c.min, c.max, c.mean, reference.counter_bins.values(), strict=True)
        for n, first, last, low, high, mean, bin in bins:
            assert (n, first, last, low, high) == bin[:5], key
            assert abs(float(Fraction(float(mean)) - bin.mean)) <= bin.largest * MEAN_TOLERANCE, key
