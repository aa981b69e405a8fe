"""Tiles of slice tracks: native code against the reference, and the promise itself."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from tests.examples import examples
from tests.tiler.pyramid import tracks
from tests.tiler.pyramid.native_tree import NativeTree, assert_same, native_slices
from tests.tiler.pyramid.reference import LEAF, Slice, canonical, root_level, slice_tree
from tilescope.tiler import _native
from tilescope.tiler.pages import SliceFlag, Tile

pytestmark = pytest.mark.slow


def check(track: list[Slice]) -> NativeTree:
    root = root_level(max((s.end for s in track), default=0))
    found = native_slices(track, root)
    assert_same(found, slice_tree(track, root), track)
    check_promise(found, track)
    return found


def check_promise(tree: NativeTree, track: list[Slice]) -> None:
    """Count and busy time of every tile, as the sum of what it draws, and as the sum of its children."""
    contents = {key: content(tile) for key, (tile, _) in tree.items()}
    for (level, index), (tile, events) in tree.items():
        count, busy = contents[level, index]
        assert count.total() == events
        if level == max(z for z, _ in tree):
            assert count.total() == len(track)
            assert busy.total() == sum(s.duration for s in track)
        if not tile.flags & LEAF:
            below = [contents[level - 1, k] for k in range(4 * index, 4 * index + 4) if (level - 1, k) in contents]
            assert count == sum((c for c, _ in below), Counter())
            assert +busy == sum((b for _, b in below), Counter())
        assert (tile.bins.busy <= 4**level).all()
        assert ((tile.bins.count > 0) | (tile.bins.busy > 0)).all()


def content(tile: Tile) -> tuple[Counter[int], Counter[int]]:
    """Events that start in the tile and busy ticks in it, per row."""
    count: Counter[int] = Counter()
    busy: Counter[int] = Counter()
    s = tile.slices
    for row, start, duration, flags in zip(s.row, s.start, s.duration, s.flags, strict=True):
        count[int(row)] += not flags & SliceFlag.REACHES_IN
        busy[int(row)] += min(int(start + duration), tile.stop) - max(int(start), tile.start)
    for row, n, ticks in zip(tile.bins.row, tile.bins.count, tile.bins.busy, strict=True):
        count[int(row)] += int(n)
        busy[int(row)] += int(ticks)
    return +count, +busy


@given(tracks.small_tracks())
def test_few_events_in_any_arrangement(track: list[Slice]) -> None:
    check(track)


@settings(max_examples=examples(25), deadline=None)
@given(tracks.repeated_tracks())
def test_many_events_of_any_pattern(track: list[Slice]) -> None:
    check(track)


def test_slices_without_a_name_dominate_as_others_do() -> None:
    tree = check(canonical([Slice(k, 0, name) for k in range(600) for name in (0, -1)]))
    assert {int(name) for tile, _ in tree.values() for name in tile.bins.name} == {-1}


def test_names_of_any_number_come_again_in_bins_of_all_sizes() -> None:
    rng = random.Random(7)
    numbers = [-1, 0, 3, 40_000, 2**22 - 2, 2**22 - 1, 2**22, 2**31 - 1]
    track = [s._replace(name=rng.choice(numbers)) for s in tracks.SHAPES["nested"](rng, 4000, 1, 3)]
    tree = check(canonical([*track, tracks.FAR]))
    assert {int(name) for tile, _ in tree.values() for name in tile.bins.name} == set(numbers)


def test_parts_that_are_joined_make_room_for_others() -> None:
    """More names than parts are made afresh; each comes again in a bin nearby and in one far away."""
    n = 18_000
    track = [Slice(2 * k, 1, (k // 2 if k % 2 else k % 5000) + (k % 3 == 0)) for k in range(n)]
    tree = check(canonical([*track, tracks.FAR]))
    assert any(not tile.flags & LEAF and events == n for tile, events in tree.values())


def test_a_name_that_is_none_is_refused() -> None:
    zeros = np.zeros(2000, np.int64)
    columns = zeros.astype(np.uint32), np.full(2000, -2, np.int32), zeros.astype(np.uint8)
    with pytest.raises(ValueError, match="no number of a name"):
        _native.slice_tiles(np.arange(2000), zeros, *columns, 13)


@pytest.mark.parametrize("names", [1, 9, 700])
@pytest.mark.parametrize("shape", tracks.SHAPES)
def test_thousands_of_events(shape: str, names: int) -> None:
    rng = random.Random(f"{shape} {names}")
    track = tracks.SHAPES[shape](rng, rng.randrange(2000, 5000), names, rng.choice([2, 3, 50]))
    tree = check(canonical([*track, tracks.FAR]))
    assert any(len(tile.bins) for tile, _ in tree.values())


@pytest.mark.parametrize("shape", ["nested", "scattered", "under_a_roof"])
def test_the_end_of_all_time(shape: str) -> None:
    track = canonical(tracks.late(tracks.SHAPES[shape](random.Random(shape), 3000, 20, 3)))
    levels = {level for level, _ in check(track)}
    assert max(levels) == 27
    assert min(levels) < 8


def test_a_burst_of_one_tick_is_a_leaf_of_level_0() -> None:
    track = [Slice(70_000, 0, k % 300) for k in range(9000)] + [Slice(700_000_000, 1, 0)]
    tree = check(canonical(track))
    assert tree[0, 70_000 // 256][0].flags & LEAF
    assert tree[0, 70_000 // 256][1] == 9000


def test_at_1024_events_a_tile_is_a_leaf() -> None:
    dense = [Slice(k // 8, 0, 0) for k in range(1024)] + [Slice(4**10, 0, 0)]
    assert len(check(canonical(dense[1:]))) == 1
    assert len(check(canonical(dense))) > 1


@pytest.mark.parametrize(("per_bin", "is_leaf"), [(2, True), (3, False)])
def test_up_to_8192_events_are_a_leaf_where_bins_are_not_three_times_fewer(per_bin: int, is_leaf: bool) -> None:
    width = 4**6  # the root is of level 6: 256 bins of 4,096 ticks
    rows = 8000 // (256 * per_bin)
    track = [
        Slice(bin * width + part * (width // per_bin), width // per_bin, 0)
        for bin in range(256)
        for part in range(per_bin)
        for _ in range(rows)
    ]
    track = [*track, Slice(256 * width - 1, 0, 0)]
    tree = check(canonical(track))
    assert bool(tree[6, 0][0].flags & LEAF) == is_leaf


def test_many_slices_that_reach_in_make_a_leaf() -> None:
    roofs = [Slice(0, 4**11, k) for k in range(2000)]
    inner = [Slice(4**9 + k, 1, 0) for k in range(1900)]
    tree = check(canonical(roofs + inner))
    assert all(tile.flags & LEAF for tile, events in tree.values() if events < 2000)


def test_what_must_not_go_into_a_pyramid_is_refused() -> None:
    def add(slot: int, start: list[int], duration: list[int]) -> None:
        row, name, flags = np.zeros(2, np.uint32), np.zeros(2, np.int32), np.zeros(2, np.uint8)
        _native.Block(0).add(slot, _native.slice_tiles(np.array(start), np.array(duration), row, name, flags, 1))

    add(0, [5, 6], [1, 1])
    wrong = [([6, 5], [1, 1]), ([-1, 5], [1, 1]), ([5, 6], [1, -1]), ([5, 6], [1, 2**61]), ([5], [1, 1])]
    for start, duration in wrong:
        with pytest.raises(ValueError, match=r"times|order|end|length"):
            add(0, start, duration)
    with pytest.raises(ValueError, match="slot"):
        add(32, [5, 6], [1, 1])
    tiles = _native.counter_tiles(np.array([1]), np.array([2.0]), 1)
    _native.Block(0).add(0, tiles)
    with pytest.raises(ValueError, match="in a block already"):
        _native.Block(0).add(0, tiles)
    with pytest.raises(ValueError, match="level"):
        _native.counter_tiles(np.array([1]), np.array([2.0]), 28)
