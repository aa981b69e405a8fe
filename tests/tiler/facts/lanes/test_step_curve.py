"""Bins of step functions, against every tick in plain Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.lanes import StepCurve, borders, curve_bins, step_curve
from tilescope.tiler.size_estimate import estimated_bytes

CHANGES = st.lists(st.tuples(st.integers(0, 40), st.integers(-5, 9)), max_size=12)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_curve, "_BLOCK", 2)


def curve_of(start: int, stop: int, changes: list[tuple[int, int]]) -> StepCurve:
    rows = [(start, 3), *sorted((start + offset, value) for offset, value in changes if start + offset < stop)]
    time, value = zip(*rows, strict=True)
    return StepCurve(start, stop, np.array(time), np.array(value))


@given(cuts=st.lists(st.integers(0, 40), min_size=2, max_size=4, unique=True), changes=CHANGES, data=st.data())
def test_bins_of_a_curve_in_pieces(cuts: list[int], changes: list[tuple[int, int]], data: st.DataObject) -> None:
    cuts.sort()
    curves = [curve_of(a, b, changes) for a, b in pairwise(cuts)]
    start, stop = sorted((data.draw(st.integers(0, 45)), data.draw(st.integers(0, 45))))
    bounds = borders(start, stop, data.draw(st.integers(1, 30)))
    assert bounds[0] == start
    assert bounds[-1] == stop
    lengths = np.diff(bounds)
    assert not len(lengths) or lengths.max() - lengths.min() <= 1
    bins = curve_bins([None, *curves], bounds)
    for k, (a, b) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        values: list[int] = []  # of all ticks
        seen: set[int] = set()  # those that were replaced at their own tick as well
        for curve in curves:
            for tick in range(max(a, curve.start), min(b, curve.stop)):
                upto = [
                    value for time, value in zip(curve.time.tolist(), curve.value.tolist(), strict=True) if time <= tick
                ]
                here = [
                    value for time, value in zip(curve.time.tolist(), curve.value.tolist(), strict=True) if time == tick
                ]
                values.append(upto[-1])
                seen |= {upto[-1], *here}
        assert int(bins.recorded[k]) == len(values)
        assert int(bins.total[k]) == sum(values)
        if values:
            assert (int(bins.least[k]), int(bins.greatest[k])) == (min(seen), max(seen))


def test_sums_beyond_64_bits_are_exact() -> None:
    most = 1 << 61
    curve = StepCurve(0, 1 << 40, np.array([0, 5]), np.array([most, most - 1]))
    bins = curve_bins([curve], borders(0, 1 << 40, 2))
    assert bins.total.tolist() == [most * 5 + (most - 1) * ((1 << 39) - 5), (most - 1) << 39]
    halves = [curve_bins([part], borders(0, 16, 1)) for part in (curve,)]
    assert halves[0].total.tolist() == [most * 5 + (most - 1) * 11]


def test_the_size_of_a_curve_has_what_is_kept_beside_its_columns() -> None:
    curve = StepCurve(0, 1000, np.arange(1000), np.arange(1000))
    before = estimated_bytes(curve)
    assert before >= 2 * 8 * 1000
    curve.area(np.array([500]))
    assert estimated_bytes(curve) >= before + 8 * 1000
    curve.extremes(np.array([0, 500]))
    assert estimated_bytes(curve) >= before + 8 * 1000 + 2 * 8 * 500  # blocks of two
