"""Tiles of rollups: native code against the reference."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tiler.pyramid import tracks
from tests.tiler.pyramid.native_tree import NativeTree, assert_same, native_rollup
from tests.tiler.pyramid.reference import BUSY_LIMIT, TERMINAL, Slice, canonical, rollup_tree, root_level
from tilescope.tiler import _native


def check(children: list[list[Slice]]) -> NativeTree:
    root = root_level(max((s.end for child in children for s in child), default=0))
    found = native_rollup(children, root)
    assert_same(found, rollup_tree(children, root))
    if found:
        top, events = found[root, 0]
        assert events == sum(len(child) for child in children)
        total = sum(s.duration for child in children for s in child)
        if total < BUSY_LIMIT:
            assert sum(top.bins.busy.tolist()) == total
    return found


@given(st.lists(tracks.small_tracks(), max_size=4))
def test_few_events_in_any_arrangement(children: list[list[Slice]]) -> None:
    check(children)


@settings(max_examples=10, deadline=None)
@given(st.lists(tracks.repeated_tracks(), min_size=4, max_size=5))
def test_many_events_of_any_pattern(children: list[list[Slice]]) -> None:
    check(children)


@pytest.mark.parametrize("names", [1, 9, 700])
def test_thousands_of_events(names: int) -> None:
    rng = random.Random(names)
    children = [canonical(shape(rng, 5000, names, 3)) for shape in tracks.SHAPES.values()]
    tree = check(children)
    assert any(not tile.flags & TERMINAL for tile, _ in tree.values())
    assert any(tile.flags & TERMINAL for tile, _ in tree.values())


def test_a_burst_of_one_tick_ends_at_level_0() -> None:
    tree = check([[Slice(3000, 0, k) for k in range(16_500)], [Slice(0, 4**9, 1)]])
    assert tree[0, 3000 // 256][0].flags & TERMINAL


@pytest.mark.parametrize("tracks_at_once", [255, 256, 512, 3000])
def test_sums_beyond_64_bits_are_cut(tracks_at_once: int) -> None:
    """Hundreds of tracks that are busy for the whole of a run as long as can be, in picoseconds half a month."""
    end = 2**61 - 1
    long = [[Slice(0, end, k % 3), *(Slice(end, 0, 7) for _ in range(9))] for k in range(tracks_at_once)]
    tree = check(long)
    busy = tree[27, 0][0].bins.busy
    assert (busy.max() == BUSY_LIMIT) == (tracks_at_once >= 256)
    assert busy.min() >= 0
    check([*long, *([[Slice(k * 2**44, 2**60, 5)] for k in range(40)])])


@pytest.mark.parametrize(
    ("start", "duration"), [([6, 5], [1, 1]), ([-1, 5], [1, 1]), ([5, 6], [1, -1]), ([5, 6], [1, 2**61])]
)
def test_times_that_are_refused(start: list[int], duration: list[int]) -> None:
    child = _native.KeptSlices(np.array(start), np.array(duration), np.zeros(2, np.int32))
    with pytest.raises(ValueError, match=r"order|end"):
        _native.rollup_tiles([child], 3)


def test_a_file_that_cannot_be_written_or_was_cut(tmp_path: Path) -> None:
    columns = np.arange(2000), np.zeros(2000, np.int64), np.zeros(2000, np.int32)
    path = tmp_path / "scratch"
    path.touch()
    with path.open("rb") as file, pytest.raises(OSError, match="Bad file descriptor"):
        _native.KeptSlices.in_file(file.fileno(), 0, *columns)
    with path.open("w+b") as file:
        kept = _native.KeptSlices.in_file(file.fileno(), 0, *columns)
        assert kept.bytes == path.stat().st_size == 40_000
        file.truncate(20_000)
        with pytest.raises(OSError, match="Input/output error"):
            _native.rollup_tiles([kept], 5)
