"""Slices that start together, brought into canonical order where they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tilescope.tiler import _native

Ints = NDArray[np.int64]

# How much later than the slice before, how long, its arguments.
SLICES = st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 5]), st.integers(0, 4), st.binary(max_size=3)), max_size=40)


@dataclass
class Columns:
    start: Ints
    duration: Ints
    name: NDArray[np.int32]
    flags: NDArray[np.uint8]
    args_end: Ints
    args: NDArray[np.uint8]
    source: Ints

    @classmethod
    def of(cls, starts: list[int], durations: list[int], args: list[bytes]) -> Columns:
        n = len(starts)
        name, flags = np.arange(n, dtype=np.int32) + 7, (np.arange(n) % 251).astype(np.uint8)
        ends = np.cumsum([len(of) for of in args], dtype=np.int64) if n else np.empty(0, np.int64)
        data = np.frombuffer(b"".join(args), np.uint8).copy()
        return cls(
            np.array(starts, np.int64), np.array(durations, np.int64), name, flags, ends, data, np.arange(n, dtype=int)
        )

    def order(self, *, with_source: bool = True) -> bool:
        columns = self.start, self.duration, self.name, self.flags, self.args_end, self.args
        return _native.order_ties(*columns, self.source if with_source else None)

    def rows(self) -> list[tuple[int, int, int, int, bytes]]:
        begin = [0, *self.args_end.tolist()]
        args = [self.args[first:stop].tobytes() for first, stop in zip(begin, self.args_end.tolist(), strict=False)]
        columns = (of.tolist() for of in (self.start, self.duration, self.name, self.flags))
        return list(zip(*columns, args, strict=True))


@given(SLICES)
def test_longer_ones_come_first_and_equal_ones_stay(slices: list[tuple[int, int, bytes]]) -> None:
    starts = np.cumsum([step for step, _, _ in slices]).astype(int).tolist()
    columns = Columns.of(starts, [length for _, length, _ in slices], [args for _, _, args in slices])
    before = columns.rows()
    expected = sorted(range(len(before)), key=lambda k: (before[k][0], -before[k][1]))
    assert columns.order()
    assert columns.rows() == [before[k] for k in expected]
    assert columns.source.tolist() == expected
    assert _native.in_canonical_order(columns.start, columns.duration)


def test_more_groups_than_are_noted() -> None:
    groups = 70_000
    sizes = np.where(np.arange(groups) % 7 == 0, 3, 2)
    starts = np.repeat(np.arange(groups), sizes)
    durations = np.arange(len(starts)) % 5  # most grow, some groups are in order
    columns = Columns.of(starts.tolist(), durations.tolist(), [b"%d" % (k % 11) for k in range(len(starts))])
    before = columns.rows()
    assert columns.order()
    order = np.lexsort((np.arange(len(starts)), -durations, starts))
    assert columns.rows() == [before[k] for k in order]
    assert columns.source.tolist() == order.tolist()


@pytest.mark.parametrize("where", [0, 500])
def test_nothing_changes_when_a_start_decreases(where: int) -> None:
    starts = list(range(1000))
    starts[where + 2] = starts[where] - 1
    columns = Columns.of(starts, [1, 2] * 500, [b"a", b"bc"] * 500)
    columns.start[900:] = 900
    before = columns.rows()
    assert not columns.order()
    assert columns.rows() == before
    assert columns.source.tolist() == list(range(1000))


def test_nothing_changes_when_too_many_start_together() -> None:
    columns = Columns.of([5] * 5000, list(range(5000)), [b""] * 5000)
    before = columns.rows()
    assert not columns.order(with_source=False)
    assert columns.rows() == before


def test_arguments_that_are_not_there_are_refused() -> None:
    columns = Columns.of([5, 5], [1, 2], [b"abc", b"d"])
    columns.args_end[1] = 5
    with pytest.raises(ValueError, match="beyond"):
        columns.order()
    columns.args_end[:] = 3, 2
    with pytest.raises(ValueError, match="decrease"):
        columns.order()
    with pytest.raises(ValueError, match="differ in length"):
        _native.order_ties(
            columns.start, columns.duration, columns.name, columns.flags, columns.args_end, columns.args, np.arange(1)
        )


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=30))
def test_a_sum_beyond_64_bits(values: list[int]) -> None:
    high, low = _native.halves_of_sum(np.array(values, np.int64))
    assert (high << 32) + low == sum(values)
