"""Cycles are looked for seldom while a run is indexed, and as before afterwards."""

from __future__ import annotations

import gc
from contextlib import suppress

import pytest

from tilescope.tiler.indexing.garbage import seldom_collected


@pytest.mark.parametrize("before", [(700, 10, 10), (0, 10, 10), (100_000, 5, 5)])
def test_thresholds_are_raised_and_put_back(before: tuple[int, int, int]) -> None:
    own = gc.get_threshold()
    gc.set_threshold(*before)
    try:
        with suppress(ZeroDivisionError), seldom_collected():
            within = gc.get_threshold()
            assert 1 // 0
        assert gc.get_threshold() == before
    finally:
        gc.set_threshold(*own)
    assert within[0] == (max(before[0], 50_000) if before[0] else 0)
    assert all(now >= then for now, then in zip(within, before, strict=True))
