"""Busy times as pages have them without their residuals: near the exact ones, and never far off in sum."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.pages import Page, container, decode_columns, with_residual
from tilescope.tiler.pages.columns import Col

Track = list[tuple[int, int]]  # (start, duration)


def pages_of(track: Track, level: int, root: int) -> Iterator[tuple[bytes, bytes]]:
    """The pages of a level that have bins, with their residuals."""
    start, duration = (np.array(column, np.int64) for column in zip(*sorted(track), strict=True))
    n = len(track)
    zeros, names = np.zeros(n, np.uint32), np.zeros(n, np.int32)
    block = _native.Block(0)
    block.add(0, _native.slice_tiles(start, duration, zeros, names, np.zeros(n, np.uint8), root))
    block.seal()
    levels = block.tiles()[0]
    at = np.flatnonzero(levels == level)
    page, residual = block.encode(int(at[0]), int(at[-1]) + 1)
    if residual:
        yield page, residual


def rows_of(page: Page) -> Iterator[slice]:
    """The bins of each row of each tile."""
    tile = np.repeat(np.arange(len(page)), np.diff(page.bin_ends))
    at = 0
    for _, group in groupby(zip(tile.tolist(), page.bins.row.tolist(), strict=True)):
        n = len(list(group))
        yield slice(at, at + n)
        at += n


def check(track: Track, level: int, root: int) -> tuple[Page, Page]:
    ((page, residual),) = pages_of(track, level, root)
    rounded = decode_columns(page)
    exact = with_residual(rounded, residual)
    busy = exact.bins.busy.tolist()
    quantum = max(math.gcd(*busy), min(4**level, max(busy)) // 256, 1)
    assert (rounded.bins.longest == -1).all()
    assert (rounded.bins.busy >= 0).all()
    for row in rows_of(exact):
        off = np.cumsum(exact.bins.busy[row] - rounded.bins.busy[row])
        assert (2 * np.abs(off) <= quantum).all()
    for column in ("bin", "row", "count", "name", "share"):
        assert (getattr(rounded.bins, column) == getattr(exact.bins, column)).all()
    return rounded, exact


# Slices that follow one another on one row: gaps and lengths, far apart in size.
STEPS = st.lists(st.tuples(st.integers(1, 2**20), st.integers(0, 2**20)), min_size=1, max_size=60)

MORE_THAN_A_LEAF = 9000  # events


@given(STEPS, st.integers(1, 1000))
def test_sums_of_first_bins_are_off_by_at_most_half_a_quantum(steps: list[tuple[int, int]], scale: int) -> None:
    track, at = [], 0
    for gap, duration in steps * (MORE_THAN_A_LEAF // len(steps) + 1):
        track.append((scale * (at + gap), scale * duration))
        at += gap + duration
    root = _native.root_level(scale * at + 1)
    check(track, root, root)


def test_a_stream_that_is_nearly_idle_is_not_shown_busier() -> None:
    """A thousandth of the time busy, evenly: most bins are rounded to nothing, and their sum is right all the same."""
    width = 4**10
    track = [(k * width // 16, width // 16_000) for k in range(16 * 256)] + [(255 * width, width)]
    rounded, exact = check(track, 10, 10)
    idle = slice(0, 255)
    assert (rounded.bins.busy[idle] == 0).any()
    assert abs(int(rounded.bins.busy[idle].sum()) - int(exact.bins.busy[idle].sum())) <= width // 512


def test_whole_nanoseconds_stay_whole() -> None:
    """In picosecond ticks, where no slice lies across the border of a bin: residuals need no room for three digits."""
    rng = np.random.default_rng(3)
    level = 11
    track = []
    for bin in range(256):
        at = 1000 * (bin * 4**level // 1000 + 1)
        for gap, duration in rng.integers(1, 100, (16, 2)).tolist():
            track.append((at + 1000 * gap, 1000 * duration))
            at += 1000 * (gap + duration)
        assert at < (bin + 1) * 4**level
    ((page, residual),) = pages_of(track, level, level)
    for data, column in ((page, Col.BUSY), (residual, Col.BUSY_RESIDUAL)):
        busy = container.decode(data).ints(column)
        assert len(set(busy.tolist())) > 3
        assert (busy % 1000 == 0).all()


def test_short_bins_are_exact_without_their_residual() -> None:
    track = [(8 * k, k % 7) for k in range(2000)]
    rounded, exact = check(track, 3, 3 + 5)
    assert (rounded.bins.busy == exact.bins.busy).all()
    assert exact.bins.longest.max() == 6
