"""What tiles take for slices that are open at once is counted, refused beyond a budget, and given back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tilescope.tiler import _native

N = 40_000
ROOT = 13


Ints = NDArray[np.int64]
Columns = tuple[Ints, Ints, NDArray[np.uint32], NDArray[np.int32], NDArray[np.uint8]]


def columns(far: bool) -> Columns:
    """Slices in one another; or equal ones, so much shorter than the run that they are bins of many levels."""
    start = np.arange(N) if not far else np.full(N, 70)
    duration = 4 * N - 2 * start if not far else np.full(N, 50)
    if far:
        start, duration = np.append(start, 4 ** (ROOT + 3)), np.append(duration, 1)
    row = np.append(np.arange(N), 0)[: len(start)].astype(np.uint32)
    return start, duration, row, np.zeros(len(start), np.int32), np.zeros(len(start), np.uint8)


@pytest.mark.parametrize("far", [False, True])
def test_tiles_hold_what_they_take_and_give_it_back(far: bool) -> None:
    budget = _native.MemoryBudget(1 << 30)
    tiles = _native.slice_tiles(*columns(far), ROOT, budget)
    held = budget.taken
    assert held > 4 * N
    block = _native.Block(0)
    block.add(0, tiles)
    del tiles
    assert budget.taken == held
    del block
    assert budget.taken == 0


def _histograms(budget: _native.MemoryBudget) -> None:
    start, duration, _, name, _ = columns(far=False)
    tiles = np.full(1, 4, np.uint8), np.zeros(1, np.int64), np.ones(1, np.uint32)
    _native.Histograms([(start, duration, name)], *tiles, 10, budget=budget).next(0)


def _rollup(budget: _native.MemoryBudget) -> None:
    start, duration, _, name, _ = columns(far=False)
    _native.rollup_tiles([_native.KeptSlices(start, duration, name)], 5, budget)


TAKERS: dict[str, Callable[[_native.MemoryBudget], object]] = {
    "nested": lambda budget: _native.slice_tiles(*columns(far=False), ROOT, budget),
    "far": lambda budget: _native.slice_tiles(*columns(far=True), ROOT, budget),
    "overview": lambda budget: _native.slice_tiles(*columns(far=False), ROOT, budget, ROOT - 1),
    "rows": lambda budget: _native.assign_rows(*columns(far=False)[:2], np.empty(N, np.uint32), budget),
    "overlapping rows": lambda budget: _native.assign_rows(np.arange(N), np.full(N, N), np.empty(N, np.uint32), budget),
    "histograms": _histograms,
    "rollup": _rollup,
}


@pytest.mark.parametrize("what", TAKERS)
def test_more_than_the_budget_is_refused_and_nothing_of_it_stays_taken(what: str) -> None:
    enough, little = _native.MemoryBudget(1 << 30), _native.MemoryBudget(3 * N)
    TAKERS[what](enough)
    with pytest.raises(MemoryError):
        TAKERS[what](little)
    assert enough.taken == little.taken == 0
    assert enough.refused() == 0
    assert little.refused() > 3 * N


def test_a_very_large_page_is_taken_from_the_budget() -> None:
    n = 200_000  # without length, at one time: a single row, and a single tile
    zeros = np.zeros(n, np.int64)
    block = _native.Block(0)
    block.add(
        0, _native.slice_tiles(zeros, zeros, zeros.astype(np.uint32), zeros.astype(np.int32), zeros.astype(np.uint8), 0)
    )
    block.seal()
    budget = _native.MemoryBudget(1 << 20)
    with pytest.raises(MemoryError):
        block.encode(0, 1, budget)
    assert budget.taken == 0
    assert block.encode(0, 1, _native.MemoryBudget(1 << 30)) == block.encode(0, 1)
