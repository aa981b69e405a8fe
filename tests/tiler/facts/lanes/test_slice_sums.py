"""Bins of slices that are kept with their sums, against every tick in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.lanes import borders, summed_windows
from tilescope.tiler.facts.lanes.slice_sums import SliceSums
from tilescope.tiler.facts.lanes.summed_windows import SummedWindows
from tilescope.tiler.windows import Windows

SPANS = st.lists(st.tuples(st.integers(0, 90), st.integers(1, 30)), max_size=30)
Slices = list[tuple[int, int]]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summed_windows, "_BLOCK", 3)


def windows_of(spans: Slices) -> Windows:
    return Windows.from_spans([start for start, _ in spans], [start + length for start, length in spans])


def slices_of(windows: Windows) -> Slices:
    return list(zip(windows.starts.tolist(), windows.stops.tolist(), strict=True))


@given(spans=SPANS, times=st.lists(st.integers(-1, 130), max_size=9), width=st.integers(1, 40))
def test_sums_are_those_of_the_windows(spans: Slices, times: list[int], width: int) -> None:
    windows = windows_of(spans)
    slices, summed = slices_of(windows), SummedWindows.from_windows(windows)
    places = np.array(times, np.int64)
    assert summed.ticks_before(places).tolist() == [
        sum(max(min(stop, time) - start, 0) for start, stop in slices) for time in times
    ]
    assert summed.count_before(places).tolist() == [sum(start < time for start, _ in slices) for time in times]
    assert slices_of(summed.at_least(width)) == [(a, b) for a, b in slices if b - a >= width]
    assert (len(summed), summed.stop) == (len(slices), windows.stop)


@given(
    pieces=st.lists(SPANS, min_size=1, max_size=3),
    other=SPANS,
    span=st.tuples(st.integers(0, 130), st.integers(0, 130)),
    count=st.integers(1, 20),
)
def test_each_tick_is_in_a_slice_or_in_a_bin(
    pieces: list[Slices], other: Slices, span: tuple[int, int], count: int
) -> None:
    bounds = borders(min(span), max(span), count)
    sums = SliceSums(("a", "b"), bounds)
    names: list[tuple[int, Slices]] = [(0, slices_of(windows_of(piece))) for piece in pieces]
    # Pieces of one name are of different times.
    shift = [200 * number for number in range(len(pieces))]
    for number, piece in enumerate(pieces):
        sums.add(
            0, SummedWindows.from_windows(windows_of([(start + shift[number], length) for start, length in piece]))
        )
    sums.add(1, SummedWindows.from_windows(windows_of(other)))
    slices = {
        "a": [(a + by, b + by) for by, (_, piece) in zip(shift, names, strict=True) for a, b in piece],
        "b": slices_of(windows_of(other)),
    }
    bins = sums.bins()
    width = max(np.diff(bounds).tolist(), default=1)
    first, last = int(bounds[0]), int(bounds[-1])
    wide = sorted(
        (max(a, first), min(b, last), name)
        for name, of_name in slices.items()
        for a, b in of_name
        if b - a >= width and max(a, first) < min(b, last)
    )
    assert (
        sorted(
            (start, stop, bins.names[name])
            for start, stop, name in zip(bins.start.tolist(), bins.stop.tolist(), bins.name.tolist(), strict=True)
        )
        == wide
    )
    expected = {}
    for k, (start, stop) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        for name, of_name in slices.items():
            short = [(a, b) for a, b in of_name if b - a < width]
            busy = sum(max(min(b, stop) - max(a, start), 0) for a, b in short)
            if busy:
                expected[k, name] = sum(start <= a < stop for a, _ in short), busy
    columns = (bins.bin, bins.bin_name, bins.count, bins.busy)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    assert {(k, bins.names[name]): (n, busy) for k, name, n, busy in rows} == expected
