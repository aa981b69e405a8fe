"""Sums of parts of leaves and of stored histograms, against plain Python; records that are damaged."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs

from tests.tiler.histogram_reference import Timed, histogram, on_top, rows_of
from tests.tiler.pyramid.reference import Slice, canonical
from tests.tiler.pyramid.tracks import SHAPES, small_tracks
from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import Shape, TileFlag
from tilescope.tiler.records.histogram import sum_by_name
from tilescope.tiler.records.span_sums import LEFT_OUT, SpanSums

SLOT = 5
END = 2000  # of leaves, in ticks: a tile of level 2 has 4,096


def page_of(*tracks: list[Slice]) -> tuple[bytes, Shape]:
    """Each track as one leaf of level 2, all on one page, and the shape that says so."""
    block = _native.Block(0)
    for number, track in enumerate(tracks):
        start, duration = (np.array([getattr(s, name) for s in track], np.int64) for name in ("start", "duration"))
        row, name = np.array([s.row for s in track], np.uint32), np.array([s.name for s in track], np.int32)
        block.add(SLOT + number, _native.slice_tiles(start, duration, row, name, np.zeros(len(track), np.uint8), 2))
    block.seal()
    level, index, slot, flags, events, _ = (np.array(column, np.int64) for column in block.tiles())
    flags[:1] |= TileFlag.PAGE_START
    none = np.zeros(len(level), np.int64)
    return block.encode(0, len(level))[0], Shape(0, level, index, slot, flags, events, none, none)


def check(track: list[Slice], borders: list[int]) -> None:
    """The parts between each second pair of borders, ascending, together make up their histograms."""
    assert track
    page, shape = page_of(track)
    assert len(shape) == 1
    first, stop = borders[0::2], borders[1::2]
    parts = np.array([[0] * len(stop), first[: len(stop)], stop], np.int64)
    timed = [Timed(s.start, s.duration, s.name) for s in track]
    tops = list(on_top(timed))
    for dtype in (np.int64, object):
        sums = SpanSums()
        sums.add_leaves(page, shape, 0, parts)
        found = sums.take(dtype)
        of_each = []
        for a, b in zip(first, stop, strict=False):
            alone = SpanSums()
            alone.add_leaves(page, shape, 0, np.array([[0], [a], [b]], np.int64))
            of_each.append(sum_by_name([alone.take(dtype)], dtype))
            assert rows_of(of_each[-1]) == histogram(timed, tops, a, b)
        assert rows_of(sum_by_name([found], dtype)) == rows_of(sum_by_name(of_each, dtype))
        assert len(sums.take(dtype)) == 0


# Short enough for a leaf: filtering others out would leave few.
_WITHIN = small_tracks(latest=END // 2 - 1, least=1)


@given(_WITHIN, st.lists(st.integers(0, END), min_size=2, max_size=2).map(sorted), st.randoms())
def test_slices_that_are_left_out_are_as_if_not_there(
    track: list[Slice], borders: list[int], rng: random.Random
) -> None:
    page, shape = page_of(track)
    names = np.array([rng.choice((s.name, LEFT_OUT)) for s in track], np.int32)
    timed = [Timed(s.start, s.duration, int(n)) for s, n in zip(track, names, strict=True) if n != LEFT_OUT]
    sums = SpanSums()
    sums.add_leaves(page, shape, 0, np.array([[0], borders[:1], borders[1:]], np.int64), names=names)
    assert rows_of(sum_by_name([sums.take()])) == histogram(timed, list(on_top(timed)), *borders)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 2, 31, 300])
def test_parts_of_all_sorts_of_leaves(shape: str, n: int) -> None:
    rng = random.Random(n)
    track = canonical(SHAPES[shape](rng, n, 3, 20))
    track = [s for s in (s._replace(start=s.start - track[0].start) for s in track) if s.end < END]
    check(track, sorted(rng.sample(range(END), 6)))
    check(track, [0, END])


@given(_WITHIN, st.lists(st.integers(0, END), min_size=2, max_size=6, unique=True))
def test_parts_of_a_few_slices(track: list[Slice], borders: list[int]) -> None:
    check(track, sorted(borders))


NESTED = [Slice(k, 1000 - 2 * k, row=k, name=k % 7) for k in range(200)]


def test_a_part_of_no_length_has_no_rows() -> None:
    page, shape = page_of([Slice(0, 100, 0)])
    sums = SpanSums()
    sums.add_leaves(page, shape, 0, np.array([[0], [50], [50]], np.int64))
    assert len(sums.take(np.int64)) == 0


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4))
@example([(11, 0xBD)])  # three milliards of tiles
def test_a_damaged_page_is_an_error_or_a_page(changes: list[tuple[int, int]]) -> None:
    page, shape = page_of(NESTED)
    damaged = bytearray(page)
    for at, byte in changes:
        damaged[at % len(damaged)] = byte
    sums = SpanSums()
    try:
        sums.add_leaves(bytes(damaged), shape, 0, np.array([[0], [10], [500]], np.int64))
    except DamagedStore:
        return
    found = sums.take(np.int64)
    assert 0 <= found.count.sum() <= len(NESTED)
    assert 0 <= found.self_busy.sum() <= 490


def test_what_is_refused() -> None:
    page, shape = page_of(NESTED)
    whole = np.array([[0], [0], [END]], np.int64)
    for cut in (0, 3, 15, 16, 40, len(page) - 1):
        with pytest.raises(DamagedStore, match="page"):
            SpanSums().add_leaves(page[:cut], shape, 0, whole)
    with pytest.raises(DamagedStore, match="something else"):
        SpanSums().add_leaves(b"TSSH" + page[4:], shape, 0, whole)
    elsewhere = structs.replace(shape, index=shape.index + 1)
    with pytest.raises(DamagedStore, match="not on its page"):
        SpanSums().add_leaves(page, elsewhere, 0, whole)
    with pytest.raises(ValueError, match="not in order"):
        SpanSums().add_leaves(page, shape, 0, np.array([[0, 0], [10, 5], [20, 8]], np.int64))
