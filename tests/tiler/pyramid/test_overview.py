"""The overview of a track: of each bin its busiest row, whatever number of rows there is."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from tests.tiler.pyramid.reference import Slice, canonical
from tilescope.tiler import _native

LEVEL = 5


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


@pytest.mark.parametrize("deep", [0, 500, 3000])
@pytest.mark.parametrize("seed", range(4))
def test_each_bin_has_its_busiest_row(deep: int, seed: int) -> None:
    rng = random.Random(seed)
    nested = [Slice(rng.randrange(3000) + k, rng.randrange(1, 60_000), k % 5) for k in range(deep)]
    mixed = [Slice(rng.randrange(100_000), rng.choice([0, 1, 50, 1024, 9000]), k % 7) for k in range(1000)]
    track = canonical([*nested, *mixed])
    rows = Counter(s.row for s in track)
    assert (len(rows) > 1024) == (deep == 3000)  # where rows are gone through one by one
    start, duration = (np.array([getattr(s, c) for s in track], np.int64) for c in ("start", "duration"))
    row, name = np.array([s.row for s in track], np.uint32), np.array([s.name for s in track], np.int32)
    found = _native.slice_overview(start, duration, row, name, LEVEL)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == reference(track)
