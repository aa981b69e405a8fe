"""Columns that native code takes: as they are, or in a type that has all of their values; to be written to, no copy."""

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
    assert join(np.array([CALL - FAR, 0, 0, 0])[::2]) == 0
    assert join(np.array([CALL, 0, 0, 0])[::2]) == 1


PHASES = np.zeros(2, np.uint8)
TIMES = np.array([5, 7])


@pytest.mark.parametrize(
    "values",
    [
        np.array([1, FAR]),  # cut to 32 bits: 1, 0
        np.array([1, 2], np.uint32),
        np.array([1.5, 2.5]),
        np.array([True, False]),
    ],
)
def test_a_column_in_a_type_that_has_not_all_of_its_values_is_refused(values: NDArray[np.generic]) -> None:
    with pytest.raises(TypeError, match=r"add\(self, track: ndarray\[dtype=int32"):
        _native.Activities().add(values, PHASES, TIMES, TIMES)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32])
def test_a_column_in_a_narrower_type_is_taken(kind: type[np.integer]) -> None:
    activities = _native.Activities()
    activities.add(np.array([2, 0, 2, 1], kind)[::2], PHASES, TIMES, TIMES)
    assert activities.tracks == 1


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.int8, np.int16, np.int32, np.int64])
def test_sums_are_those_of_the_values_whatever_their_type(kind: type[np.integer]) -> None:
    info = np.iinfo(kind)
    values = [info.min, info.max, info.max // 3]
    high, low = _native.halves_of_sum(np.array(values, kind))
    assert (high << 32) + low == sum(values)
