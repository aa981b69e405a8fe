"""Packed windows are those that were packed, and waits are the same in whatever pieces they come."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.windows import pairs
from tilescope.tiler.facts.findings.device_time import Waits
from tilescope.tiler.facts.findings.packed_windows import PackedWindows
from tilescope.tiler.windows import Windows

SMALL, LARGE = st.integers(1, 1 << 8), st.integers((1 << 32) - 2, (1 << 32) + 2)


@given(st.integers(0, 1 << 61), st.lists(st.tuples(SMALL | LARGE, SMALL | LARGE), min_size=1, max_size=6))
def test_unpacked_windows_are_those_that_were_packed(first: int, steps: list[tuple[int, int]]) -> None:
    borders = list(accumulate([step for pair in steps for step in pair][:-1], initial=first))
    windows = Windows(np.array(borders[::2]), np.array(borders[1::2]))
    packed = PackedWindows.from_windows(windows)
    assert len(packed) == len(windows)
    assert pairs(packed.windows()) == pairs(windows)
    is_small = all(step < 1 << 32 for step in np.diff(borders).tolist())
    assert packed.steps.itemsize == (4 if is_small else 8)


@given(
    steps=st.lists(st.tuples(*[st.integers(1, 50)] * 2), max_size=12),
    cuts=st.sets(st.integers(1, 11)),
    tick_ps=st.integers(200_000, 2_000_000),
)
def test_waits_are_those_before_work_whatever_the_pieces(
    steps: list[tuple[int, int]], cuts: set[int], tick_ps: int
) -> None:
    """Idle stretches with work between them, in pieces: the last stretch ends with no work that is seen."""
    borders = list(accumulate([step for pair in steps for step in pair], initial=0))
    starts, stops = np.array(borders[:-1:2]), np.array(borders[1::2])
    ends = sorted({0, len(steps), *(cut for cut in cuts if cut < len(steps))})
    pieces = [Windows(starts[a:b], stops[a:b]) for a, b in pairwise(ends)]
    waits = Waits.from_idle(pieces, tick_ps)
    before_work = steps[:-1]  # how long a stretch lasts, and the work that ends it
    assert waits.ticks == sum(wait for wait, _ in before_work)
    tiny = [wait for wait, work in before_work if work * tick_ps < 5_000_000 and wait * tick_ps < 30_000_000]
    assert waits.tiny == sum(tiny)
