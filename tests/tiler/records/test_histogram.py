"""Sums and records of histograms."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tiler.histogram_reference import rows_of
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.histogram import OTHER_NAMES, Histogram, busy_of_names, name_bounds, sum_by_name
from tilescope.tiler.ticks import TICK_LIMIT


def some(seed: int, n: int) -> Histogram:
    rng = np.random.default_rng(seed)
    name, count, self_busy, shortest = (rng.integers(0, 40, n) for _ in range(4))
    busy, duration = (self_busy + rng.integers(0, 9, n) for _ in range(2))
    return Histogram(name, count, busy, self_busy, duration, shortest + rng.integers(0, 9, n), shortest)


def test_sums_by_name() -> None:
    parts = [some(1, 50), some(2, 0), some(3, 70)]
    for dtype in (np.int64, object):
        found = sum_by_name(parts, dtype)
        rows = [row for part in parts for row in rows_of(part)]
        assert found.name.tolist() == sorted(
            {row.name for row in rows}, key=lambda name: (-sum(row.busy for row in rows if row.name == name), name)
        )
        for row in rows_of(found):
            same = [other for other in rows if other.name == row.name]
            assert row.count == sum(other.count for other in same)
            assert row.busy == sum(other.busy for other in same)
            assert row.self_busy == sum(other.self_busy for other in same)
            assert row.duration == sum(other.duration for other in same)
            assert row.longest == max(other.longest for other in same)
            assert row.shortest == min((other.shortest for other in same if other.count), default=0)
    assert len(sum_by_name([])) == 0


def test_sums_beyond_64_bits() -> None:
    one, large = np.ones(3, np.int64), np.full(3, 1 << 62)
    found = sum_by_name([Histogram(one, one, large, large, large, large, large)], object)
    assert found.busy.tolist() == found.duration.tolist() == [3 << 62]


@pytest.mark.parametrize("n", [0, 1, 400])
def test_records(n: int) -> None:
    histogram = sum_by_name([some(4, n)])
    record = decompress(compress(histogram.encode(5, 3)))
    assert rows_of(Histogram.decode(record, 5, 3)) == rows_of(histogram)
    for track, level in ((4, 3), (5, 2)):
        with pytest.raises(DamagedStore, match="histogram"):
            Histogram.decode(record, track, level)


@pytest.mark.parametrize("chosen", [[], [3], [0, 5, 39], range(40)])
def test_how_long_the_slices_of_some_names_last(chosen: list[int]) -> None:
    histogram = sum_by_name([some(4, 60)])
    names = np.zeros(41, np.bool_)
    names[np.array(chosen, np.int64) + 1] = True
    rows = [row for row in rows_of(histogram) if row.name in chosen and row.count]
    record = histogram.encode(5, 3)
    expected = min((row.shortest for row in rows), default=TICK_LIMIT), max((row.longest for row in rows), default=-1)
    assert name_bounds(record, names, 5, 3) == expected
    for track, level in ((4, 3), (5, 2)):
        with pytest.raises(DamagedStore, match="histogram"):
            name_bounds(record, names, track, level)
    for damaged in (b"", record[:5], record[:-1], record + b"x"):
        with pytest.raises(DamagedStore):
            name_bounds(damaged, names, 5, 3)
    with pytest.raises(DamagedStore):
        name_bounds(record, names[:20], 5, 3)
    assert name_bounds(histogram.first_rows(10).encode(5, 3), names, 5, 3) is None


@pytest.mark.parametrize("chosen", [[], [3], [-1, 0, 5, 39], range(-1, 40)])
def test_how_long_the_slices_of_some_names_run(chosen: list[int]) -> None:
    histogram = sum_by_name([some(4, 60)])
    names = np.zeros(41, np.bool_)
    names[np.array(chosen, np.int64) + 1] = True
    record = histogram.encode(5, 3)
    assert busy_of_names(record, names, 5, 3) == sum(row.busy for row in rows_of(histogram) if row.name in chosen)
    with_others = histogram.first_rows(5).encode(5, 3)
    assert busy_of_names(with_others, names, 5, 3) is None
    for track, level in ((4, 3), (5, 2)):
        with pytest.raises(DamagedStore, match="histogram"):
            busy_of_names(record, names, track, level)
    with pytest.raises(DamagedStore, match="names that there are not"):
        busy_of_names(record, names[:20], 5, 3)


def test_rows_beyond_the_limit_are_summed_up() -> None:
    histogram = sum_by_name([some(4, 400)])
    assert histogram.first_rows(len(histogram)) is histogram
    assert not histogram.has_other_names
    short = histogram.first_rows(10)
    assert (len(short), short.name[-1], short.has_other_names) == (11, OTHER_NAMES, True)
    assert short.count.sum() == histogram.count.sum()
    assert short.busy.sum() == histogram.busy.sum()
    assert short.self_busy.sum() == histogram.self_busy.sum()
    assert short.duration.sum() == histogram.duration.sum()
    assert short.shortest.min() == histogram.shortest.min()
