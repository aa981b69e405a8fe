"""Columns that native code takes: those that it writes to, or that come in several widths, are never converted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tilescope.tiler import _native

Ints = NDArray[np.int64]

FAR = 1 << 40


@pytest.mark.parametrize("out", [np.zeros(6, np.int32)[::2], np.zeros(3, np.int64)])
def test_a_column_is_written_to_where_it_is_or_not_at_all(out: NDArray[np.signedinteger]) -> None:
    keys = np.array([-9, -8, -7])
    with pytest.raises(TypeError):
        _native.near_keys(keys, -9, out)
    with pytest.raises(TypeError):
        _native.count_kinds(np.zeros(3, np.int32), out[:1].astype(np.float64))
    near = np.zeros(3, np.int32)
    assert _native.near_keys(keys, -9, near) == (True, True)
    assert near.tolist() == [0, 1, 2]


CALL, WORK = -4, -5  # keys of one number


def join(calls: Ints) -> int:
    """The number of pairs of calls with these keys and the work of a device."""
    none = np.zeros(0, np.uint32)
    flows = none.astype(np.int32), none.astype(np.int64), none, none, np.array([0, 1], np.uint8)
    joined = _native.LaunchJoin([0, 1], [None, None], [(0, calls), (0, np.array([WORK]))], flows, 10, 10)
    return joined.counts[0]


def test_keys_that_differ_above_32_bits_are_not_taken_for_equal_ones() -> None:
    assert join(np.array([CALL])) == 1
    assert join(np.array([CALL - FAR])) == 0
    with pytest.raises(TypeError):
        join(np.array([CALL - FAR, 0, 0, 0])[::2])
