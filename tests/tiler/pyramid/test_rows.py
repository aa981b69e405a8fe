"""Order and rows of slices."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.pyramid import tracks
from tests.tiler.pyramid.reference import Slice, canonical, root_level
from tilescope.tiler import _native

TIMES = st.integers(0, 12)


def assert_ordered(pairs: list[tuple[int, int]]) -> None:
    start, duration = (np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1))
    order, space = np.empty(len(pairs), np.int64), np.empty(_native.ORDER_SPACE * len(pairs), np.int64)
    _native.canonical_order(start, duration, order, space)
    expected = sorted(range(len(pairs)), key=lambda k: (pairs[k][0], -pairs[k][1]))
    assert order.tolist() == expected
    assert _native.in_canonical_order(start, duration) == (expected == list(range(len(pairs))))


@given(st.lists(st.tuples(TIMES, TIMES), max_size=60))
def test_the_order_is_by_start_then_longer_first_then_as_given(pairs: list[tuple[int, int]]) -> None:
    assert_ordered(pairs)
    assert_ordered(sorted(pairs, key=lambda pair: (pair[0], -pair[1])))


@pytest.mark.parametrize("most", [3, 40, 1 << 60])
def test_the_order_of_many(most: int) -> None:
    rng = random.Random(most)
    assert_ordered([(rng.randrange(most), rng.randrange(most)) for _ in range(5000)])


def test_the_order_stays_within_its_columns() -> None:
    columns = np.zeros(600, np.int64), np.zeros(600, np.int64)
    with pytest.raises(IndexError):
        _native.canonical_order(*columns, np.empty(600, np.int64), np.empty(2399, np.int64))
    with pytest.raises(ValueError, match="differ in length"):
        _native.canonical_order(*columns, np.empty(599, np.int64), np.empty(2400, np.int64))


@given(tracks.small_tracks())
def test_rows_are_given_by_first_fit(track: list[Slice]) -> None:
    start, duration = (np.array([getattr(s, c) for s in track], np.int64) for c in ("start", "duration"))
    row = np.empty(len(track), np.uint32)
    rows, overlaps = _native.assign_rows(start, duration, row)
    assert row.tolist() == [s.row for s in canonical(track)]
    assert rows == len(set(row.tolist()))
    partly = sum(any(o.start <= s.start < o.end < s.end for o in track[:k]) for k, s in enumerate(track))
    assert overlaps == partly


@pytest.mark.parametrize("depth", [1, 3000])
def test_thousands_of_rows_are_given_by_first_fit(depth: int) -> None:
    """Slices of all lengths over some that are nested, so many that thousands run at once."""
    rng = random.Random(depth)
    inner = [Slice(k, 8000 - 2 * k, 0) for k in range(depth)]
    mixed = [Slice(rng.randrange(9000), rng.choice([0, 1, 50, 4000, 9000]), 0) for _ in range(6000)]
    track = canonical([*inner, *mixed])
    start, duration = (np.array([getattr(s, c) for s in track], np.int64) for c in ("start", "duration"))
    row = np.empty(len(track), np.uint32)
    rows, _ = _native.assign_rows(start, duration, row)
    assert row.tolist() == [s.row for s in track]
    assert rows == 1 + max(s.row for s in track) > 1000


@pytest.mark.parametrize("at_once", [3, 15, 16, 17, 30])
def test_some_rows_are_given_by_first_fit(at_once: int) -> None:
    """Around the number from which on rows are not looked through any more: it is reached, left and reached again."""
    rng = random.Random(at_once)
    piles = [
        Slice(100 * pile + rng.randrange(50), rng.choice([0, 1, 20, 50, 90, 140]), 0)
        for pile in range(40)
        for _ in range(rng.randrange(1, at_once))
    ]
    track = canonical([*piles, *(Slice(2000, 100 - k % 7, 0) for k in range(at_once))])
    start, duration = (np.array([getattr(s, c) for s in track], np.int64) for c in ("start", "duration"))
    row = np.empty(len(track), np.uint32)
    rows, overlaps = _native.assign_rows(start, duration, row)
    assert row.tolist() == [s.row for s in track]
    assert rows == 1 + max(s.row for s in track) >= at_once
    assert overlaps == sum(any(o.start <= s.start < o.end < s.end for o in track[:k]) for k, s in enumerate(track))


def test_rows_need_slices_in_time_order() -> None:
    with pytest.raises(ValueError, match="order"):
        _native.assign_rows(np.array([2, 1]), np.array([0, 0]), np.empty(2, np.uint32))


@pytest.mark.parametrize("beside", [[], [(1, 9), (2, 9)]])  # these overlap: rows are given the other way from there on
@pytest.mark.parametrize("wrong", [(-1, 3), (2**61, 0), (5, -1), (5, 2**61 - 5), (2**63 - 1, 2**63 - 1)])
def test_rows_need_times_that_a_run_can_have(beside: list[tuple[int, int]], wrong: tuple[int, int]) -> None:
    start, duration = (np.array(column) for column in zip(*sorted([*beside, wrong]), strict=True))
    with pytest.raises(ValueError, match=r"2\*\*61"):
        _native.assign_rows(start, duration, np.empty(len(start), np.uint32))


@given(st.integers(0, 2**61 - 1))
def test_the_root_covers_the_run(end: int) -> None:
    assert _native.root_level(end) == root_level(end)
