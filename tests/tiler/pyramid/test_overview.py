"""The overview of a track: of each bin its busiest row, whatever number of rows there is."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from tests.tiler.pyramid.native_tree import columns
from tests.tiler.pyramid.reference import Slice, canonical
from tilescope.tiler import _native

pytestmark = pytest.mark.slow

LEVEL = 5
ROOT = 6


def reference(track: list[Slice]) -> list[tuple[int, int, int]]:
    """(bin, name, utilisation) by brute force."""
    width = 4**LEVEL
    rows: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for s in track:
        first, last = s.start // width, max(s.start, s.end - 1) // width
        for at in range(first, last + 1):
            busy, count = rows[at, s.row][s.name]
            busy += min(s.end, (at + 1) * width) - max(s.start, at * width)
            rows[at, s.row][s.name] = [busy, count + (at == first)]
    best: dict[int, tuple[int, int, int]] = {}
    for (at, row), names in rows.items():
        busy = sum(of for of, _ in names.values())
        name = min(names, key=lambda n: (-names[n][0], -names[n][1], n))
        if at not in best or (-busy, row) < best[at][:2]:
            best[at] = -busy, row, name
    return [(at, name, max(1, -(negative * 255 // width))) for at, (negative, _, name) in sorted(best.items())]


def found(track: list[Slice], root: int) -> list[tuple[int, int, int]]:
    """The same by the native pyramid."""
    start, duration, row, name, flags = columns(track)
    tiles = _native.slice_tiles(start, duration, row, name, flags, root, overview_level=LEVEL)
    bins = list(zip(*(column.tolist() for column in tiles.take_overview()), strict=True))
    assert not len(tiles.take_overview()[0])  # it was taken
    return bins


@pytest.mark.parametrize("deep", [0, 500, 3000])
@pytest.mark.parametrize("seed", range(4))
def test_each_bin_has_its_busiest_row(deep: int, seed: int) -> None:
    rng = random.Random(seed)
    nested = [Slice(rng.randrange(3000) + k, rng.randrange(1, 60_000), k % 5) for k in range(deep)]
    mixed = [Slice(rng.randrange(100_000), rng.choice([0, 1, 50, 1024, 9000]), k % 7) for k in range(1000)]
    track = canonical([*nested, *mixed])
    rows = Counter(s.row for s in track)
    assert (len(rows) > 1024) == (deep == 3000)
    assert found(track, ROOT) == reference(track)


@pytest.mark.parametrize("root", [4, 5, 6, 9])
@pytest.mark.parametrize("names", [1, 4])
@pytest.mark.parametrize("lengths", [[0, 1, 30], [1, 700, 2048, 2049, 5000], [0, 3, 1024, 2047, 2048, 40_000]])
def test_long_slices_are_parts_of_the_bins_in_which_they_begin_and_end(
    root: int, names: int, lengths: list[int]
) -> None:
    """Whichever levels have tiles with bins: none, others than that of the overview, or that one too."""
    rng = random.Random(root + names + len(lengths))
    for count in (1, 2, 30, 3000):
        slices = [Slice(rng.randrange(300_000), rng.choice(lengths), rng.randrange(names)) for _ in range(count)]
        # Starts where others end, and where bins begin.
        slices += [Slice(s.end, rng.choice(lengths), rng.randrange(names)) for s in slices[::3]]
        slices += [Slice(s.start // 1024 * 1024, rng.choice(lengths), rng.randrange(names)) for s in slices[::4]]
        track = canonical(slices)
        assert found(track, root) == reference(track)


def test_the_overview_is_of_slices_and_of_a_level_for_which_they_are_few() -> None:
    one = np.ones(1, np.int64)
    with pytest.raises(ValueError, match="of their own"):
        _native.counter_tiles(one, one.astype(np.float64), ROOT).take_overview()
    columns = one << 40, one, one.astype(np.uint32), one.astype(np.int32), one.astype(np.uint8)
    with pytest.raises(ValueError, match="too fine"):
        _native.slice_tiles(*columns, 20, overview_level=0)
    with pytest.raises(ValueError, match="level"):
        _native.slice_tiles(*columns, 20, overview_level=28)
