"""Spreads of durations: buckets, quantiles, sums and records, against plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from numpy.typing import NDArray

from tests.tiler.histogram_reference import bucket_of, rows_of
from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import Col
from tilescope.tiler.pages.container import SPREAD_MAGIC, decode, encode
from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.records.spread import DurationSpread, bucket_values
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]

DURATIONS = st.integers(0, 200) | st.integers(0, TICK_LIMIT - 1) | st.integers(0, 61).map(lambda e: (1 << e) - 1)


def spread_of(rows: list[list[int]]) -> DurationSpread:
    counts = [Counter(map(bucket_of, row)) for row in rows]
    return DurationSpread(
        np.array([len(count) for count in counts], np.int64),
        np.array([bucket for count in counts for bucket in sorted(count)], np.int64),
        np.array([count[bucket] for count in counts for bucket in sorted(count)], np.int64),
    )


def histogram_of(rows: list[list[int]]) -> Histogram:
    """As far as spreads know it."""
    count, shortest, longest = (np.array([of(row) if row else 0 for row in rows], np.int64) for of in (len, min, max))
    none = np.zeros(len(rows), np.int64)
    return Histogram(np.arange(len(rows)), count, none, none, none, longest, shortest)


def texts(spread: DurationSpread) -> list[list[int]]:
    return [spread.n.tolist(), spread.bucket.tolist(), spread.count.tolist()]


@given(st.lists(DURATIONS, max_size=50))
def test_buckets_are_one_per_cent_wide_each_way(durations: list[int]) -> None:
    found = _native.duration_bucket(np.array(durations, np.int64)).tolist()
    assert found == [bucket_of(duration) for duration in durations]
    for duration, bucket in zip(durations, found, strict=True):
        assert abs(int(bucket_values()[bucket]) - duration) * 100 <= duration


def test_the_borders_of_all_buckets() -> None:
    values = bucket_values()
    first = np.append(0, values[:-1] + values[:-1] // 99 + 1)
    assert _native.duration_bucket(first).tolist() == list(range(len(values)))
    assert _native.duration_bucket(first[1:] - 1).tolist() == list(range(len(values) - 1))
    assert int(_native.duration_bucket(np.array([TICK_LIMIT - 1]))[0]) == len(values) - 1
    for beyond in (-1, TICK_LIMIT):
        with pytest.raises(IndexError, match="beyond"):
            _native.duration_bucket(np.array([beyond], np.int64))


ROWS = st.lists(st.lists(DURATIONS, max_size=30), max_size=6)


@given(ROWS, st.integers(1, 100))
def test_quantiles(rows: list[list[int]], per_cent: int) -> None:
    shortest, longest = (np.array([choose(row, default=0) for row in rows], np.int64) for choose in (min, max))
    found = spread_of(rows).quantiles(per_cent, shortest, longest).tolist()
    for row, quantile in zip(rows, found, strict=True):
        exact = sorted(row)[-(-len(row) * per_cent // 100) - 1] if row else 0
        assert abs(quantile - exact) * 100 <= exact
        assert per_cent < 100 or quantile == exact or quantile <= max(row, default=0)


@given(ROWS, st.data())
def test_rows_are_taken_and_summed_up(rows: list[list[int]], data: st.DataObject) -> None:
    some = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9)) if rows else []
    spread = spread_of(rows)
    assert texts(spread.take(np.array(some, np.int64))) == texts(spread_of([rows[k] for k in some]))
    group = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    summed = [[d for row, of in zip(rows, group, strict=True) if of == k for d in row] for k in range(4)]
    assert texts(spread.summed(np.array(group, np.int64), 4)) == texts(spread_of(summed))


@given(ROWS)
def test_records(rows: list[list[int]]) -> None:
    spread, histogram = spread_of(rows), histogram_of(rows)
    record = spread.encode(5, 3, histogram)
    assert texts(DurationSpread.decode(record, 5, 3, histogram)) == texts(spread)
    for track, level in ((4, 3), (5, 2)):
        with pytest.raises(DamagedStore, match="spread"):
            DurationSpread.decode(record, track, level, histogram)


@given(ROWS)
def test_the_shortest_and_the_longest_are_not_told_twice(rows: list[list[int]]) -> None:
    record = decode(spread_of(rows).encode(5, 3, histogram_of(rows)))
    assert sum(record.ints(Col.BUCKET_COUNT).tolist()) == sum(max(len(row) - 2, 0) for row in rows)
    assert (record.ints(Col.BUCKET_COUNT) > 0).all()


@pytest.mark.parametrize(
    ("n", "steps", "count"),
    [
        ([3], [1], [1, 1, 1]),
        ([3], [1, 1, 1], [1, 1]),
        ([-1, 3], [1, 1], [1, 1]),
        ([2, 0], [1, 1], [1, 1]),
        ([2], [1, -1], [1, 2]),
        ([1], [94], [3]),  # beyond the longest
        ([1], [1 << 40], [3]),
    ],
)
def test_records_that_make_no_sense(n: list[int], steps: list[int], count: list[int]) -> None:
    """In Python, and where native code sums them up."""
    histogram = Histogram(*(np.array([value]) for value in (1, 5, 200, 200, 200, 99, 7)))
    columns = {Col.N_BUCKETS: n, Col.BUCKET_STEP: steps, Col.BUCKET_COUNT: count}
    arrays: dict[int, Ints] = {column: np.array(values, np.int64) for column, values in columns.items()}
    record = encode(SPREAD_MAGIC, 3, 1, 5, arrays)
    with pytest.raises(DamagedStore, match="spread"):
        DurationSpread.decode(record, 5, 3, histogram)
    with pytest.raises(DamagedStore, match=r"buckets|column"):
        SpanSums(spread=True).add_stored(histogram.encode(5, 3), record, 5, 3)


@pytest.mark.parametrize(
    ("n", "steps", "count"), [([], [], []), ([1], [2], [2]), ([1], [2], [4]), ([2], [2, 0], [2, 1])]
)
def test_counts_that_do_not_add_up(n: list[int], steps: list[int], count: list[int]) -> None:
    histogram = Histogram(*(np.array([value]) for value in (1, 5, 200, 200, 200, 99, 7)))
    columns = {Col.N_BUCKETS: n or [0], Col.BUCKET_STEP: steps, Col.BUCKET_COUNT: count}
    arrays: dict[int, Ints] = {column: np.array(values, np.int64) for column, values in columns.items()}
    with pytest.raises(DamagedStore, match=r"buckets|column"):
        SpanSums(spread=True).add_stored(histogram.encode(5, 3), encode(SPREAD_MAGIC, 3, 1, 5, arrays), 5, 3)


@given(ROWS)
def test_stored_spreads_are_summed_up(rows: list[list[int]]) -> None:
    rows = [[duration >> 8 for duration in row] for row in rows]  # their sums are within the limits
    histogram = histogram_of(rows)
    total = np.array([sum(row) for row in rows], np.int64)
    histogram = structs.replace(histogram, busy=total, self_busy=total, duration=total)
    sums = SpanSums(spread=True)
    assert sums.add_stored(histogram.encode(5, 3), spread_of(rows).encode(5, 3, histogram), 5, 3)
    assert texts(sums.spread()) == texts(spread_of(rows))


@pytest.mark.parametrize("column", ["count", "busy", "self_busy", "duration", "longest", "shortest"])
def test_histograms_that_make_no_sense(column: str) -> None:
    one = np.ones(1, np.int64)
    right = Histogram(one, one, 9 * one, 5 * one, 7 * one, 7 * one, 7 * one)
    sums = SpanSums(spread=True)
    record = spread_of([[7]]).encode(5, 3, right)
    assert sums.add_stored(right.encode(5, 3), record, 5, 3)
    wrong = structs.replace(right, **{column: -right.busy - 1})
    for track, level, histogram in ((5, 3, wrong), (5, 2, right), (4, 3, right)):
        with pytest.raises(DamagedStore, match="histogram"):
            SpanSums(spread=True).add_stored(histogram.encode(5, 3), record, track, level)
    assert rows_of(sums.sums()) == rows_of(right)
    assert texts(sums.spread()) == texts(spread_of([[7]]))
    with pytest.raises(ValueError, match="for all, or for none"):
        sums.add_stored(right.encode(5, 3), None, 5, 3)
