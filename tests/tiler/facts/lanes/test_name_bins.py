"""Bins of lanes with many names against plain Python, tick by tick: exact sums, and no more rows than may be."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilescope.tiler.facts.lanes import LaneSlices, SliceBins, borders, name_bins
from tilescope.tiler.facts.lanes.name_bins import OTHERS, NameBins

Slice = tuple[int, int, int, int]  # start, stop, row and name

NAMES = [f"n{number}" for number in range(6)]


@st.composite
def slices(draw: st.DrawFn) -> list[Slice]:
    """Slices of three rows, those of a row one after the other."""
    drawn: list[Slice] = []
    for row in range(3):
        tick = draw(st.integers(0, 20))
        for gap, length, name in draw(
            st.lists(st.tuples(st.integers(0, 3), st.integers(1, 12), st.integers(0, 5)), max_size=20)
        ):
            drawn.append((tick + gap, tick + gap + length, row, name))
            tick += gap + length
    return sorted(drawn)


def binned(drawn: list[Slice], bounds: np.ndarray[tuple[int], np.dtype[np.int64]]) -> SliceBins:
    bins = NameBins(NAMES, 3, bounds)
    for part in (drawn[::2], drawn[1::2]):
        columns = np.array(part, np.int64).reshape(-1, 4).T
        bins.add(LaneSlices(1000, NAMES, *columns))
    return bins.bins()


@given(drawn=slices(), start=st.integers(0, 80), length=st.integers(0, 120), count=st.integers(1, 30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("most", [1, 2, 3, 8])
def test_sums_are_exact_and_few(
    monkeypatch: pytest.MonkeyPatch, drawn: list[Slice], start: int, length: int, count: int, most: int
) -> None:
    bounds = borders(start, start + length, count)
    limit = 3 + 3 * (len(bounds) - 1) * (most + 1)
    monkeypatch.setattr(name_bins, "MAX_SLICES", limit)
    bins = binned(drawn, bounds)
    first, end = start, start + length
    width = max(np.diff(bounds).tolist(), default=1)
    columns = (bins.start, bins.stop, bins.row, bins.name)
    wide = list(zip(*(column.tolist() for column in columns), strict=True))
    assert wide == sorted(
        (
            (max(a, first), min(b, end), row, name)
            for a, b, row, name in drawn
            if b - a >= width and a < end and b > first
        ),
        key=lambda row: (row[0], row[2]),
    )
    busy: Counter[tuple[int, int, str]] = Counter()
    counts: Counter[tuple[int, int, str]] = Counter()
    for a, b, row, name in drawn:
        for tick in range(max(a, first), min(b, end)) if b - a < width else ():
            bin_ = int(np.searchsorted(bounds, tick, side="right")) - 1
            busy[bin_, row, NAMES[name]] += 1
            counts[bin_, row, NAMES[name]] += tick == a
    expected: dict[tuple[int, int, str], tuple[int, int]] = {}
    for bin_, row in {(bin_, row) for bin_, row, _ in busy}:
        names = sorted((-ticks, name) for (*cell, name), ticks in busy.items() if cell == [bin_, row])
        named = names if len(names) <= most else names[: most - 1]
        others = names[len(named) :]
        for ticks, text in named:
            expected[bin_, row, text] = counts[bin_, row, text], -ticks
        if others:
            count_of_others = sum(counts[bin_, row, text] for _, text in others)
            expected[bin_, row, OTHERS] = count_of_others, -sum(ticks for ticks, _ in others)
    cells = zip(bins.bin.tolist(), bins.bin_row.tolist(), bins.bin_name.tolist(), strict=True)
    keys = [(bin_, row, bins.names[name]) for bin_, row, name in cells]
    sums = zip(bins.count.tolist(), bins.busy.tolist(), strict=True)
    assert len(set(keys)) == len(keys)
    assert dict(zip(keys, sums, strict=True)) == expected
    assert len(wide) + len(keys) <= limit
