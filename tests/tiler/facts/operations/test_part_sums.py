"""Native sums of the time of operations by window and code of their kinds, and places of equal rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.device.operations import Operations

Ints = NDArray[np.int64]

KINDS, CODES, LISTED, TRACK = 4, 3, 1, 5
MOST, FIRST = 40, 100
NONE = np.zeros(2, np.int64)


@dataclass(frozen=True)
class One:
    """An operation; `number` is -1 where it has none."""

    kind: int
    parent: int = -1
    duration: int = 1
    number: int = -1
    is_left_out: bool = False


ops = st.lists(
    st.builds(
        One,
        st.integers(0, KINDS - 1),
        st.integers(-1, KINDS - 1),
        st.integers(0, 99),
        st.integers(-1, 3),
        st.booleans(),
    ),
    min_size=1,
    max_size=MOST,
)
codes_of_kinds = st.lists(st.integers(0, CODES - 1), min_size=KINDS, max_size=KINDS)


def record(of: Sequence[One], track: int = TRACK) -> bytes:
    """The record of operations."""

    def column(name: str, rows: Sequence[One] = of) -> Ints:
        return np.array([getattr(one, name) for one in rows], np.int64)

    told = [place for place, one in enumerate(of) if one.number >= 0]
    numbers = {"all_reduce_unique_id": column("number", [of[place] for place in told])} if told else {}
    made = Operations(column("kind"), column("parent"), column("duration"), np.array(told, np.int64), numbers)
    return made.encode(track)


def sums_of(codes: Sequence[int], windows: int) -> _native.PartSums:
    """Without anything added."""
    return _native.PartSums(np.array(codes, np.uint8), CODES, windows, LISTED, Col.ALL_REDUCE)


def add(sums: _native.PartSums, data: bytes, borders: Sequence[int], left_out: Sequence[int] = ()) -> list[list[int]]:
    """Adds a record; windows lie between borders, which are places. What is returned, as lists."""
    at = np.array(borders, np.int64) + FIRST
    first, last = (np.ascontiguousarray(of) for of in (at[:-1], at[1:]))
    size, *told = sums.add(data, TRACK, MOST, FIRST, first, last, np.array(left_out, np.int64) + FIRST)
    return [[size], *(column.tolist() for column in told)]


@given(ops, codes_of_kinds, st.lists(st.integers(-9, MOST + 9), min_size=2, max_size=6, unique=True))
def test_sums_are_plain_sums(of: list[One], codes: list[int], borders: list[int]) -> None:
    borders.sort()
    left_out = [place for place, one in enumerate(of) if one.is_left_out]
    sums = sums_of(codes, len(borders) - 1)
    told = add(sums, record(of), borders, left_out)
    columns = [[getattr(of[place], name) for place in left_out] for name in ("kind", "parent", "duration", "number")]
    assert told == [[len(of)], *columns]
    plain = [[0] * CODES for _ in borders[1:]]
    listed = []
    for window, (begin, end) in enumerate(pairwise(borders)):
        for place, one in enumerate(of):
            if not begin <= place < end or one.is_left_out:
                continue
            plain[window][codes[one.kind]] += one.duration
            if one.parent >= 0:
                plain[window][codes[one.parent]] -= one.duration
            if one.number >= 0 and codes[one.kind] == LISTED:
                listed.append((window, one.number, one.duration))
    assert sums.sums().reshape(-1, CODES).tolist() == plain
    assert list(zip(*(column.tolist() for column in sums.listed()), strict=True)) == listed
    assert sums.taken() == sum(one.duration for one in of)


@pytest.mark.parametrize(
    "data",
    [
        record([One(KINDS)]),
        record([One(0, KINDS)]),
        record([One(0, -2)]),
        record([One(0, -1, -1)]),
        record([One(0)] * (MOST + 1)),
        record([One(0)], track=TRACK + 1),
        record([One(0)])[:-1],
        record([One(0)])[:15],
        b"",
        b"TSOS" + record([One(0)])[4:],
        Operations(NONE, NONE, NONE, np.array([1, 0]), {"all_reduce_unique_id": NONE}).encode(TRACK),
        Operations(NONE, NONE, NONE, np.array([2]), {"all_reduce_unique_id": NONE[:1]}).encode(TRACK),
        Operations(NONE, NONE[:1], NONE).encode(TRACK),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(data: bytes) -> None:
    with pytest.raises(_native.DamagedContainer):
        add(sums_of([0] * KINDS, 1), data, [0, 9])


def test_times_that_are_too_long_together_are_refused() -> None:
    with pytest.raises(OverflowError, match="too long together"):
        add(sums_of([0] * KINDS, 1), record([One(0, -1, 1 << 61)] * 2), [0, 9])


def test_what_is_asked_for_wrongly_is_refused() -> None:
    with pytest.raises(ValueError, match="that there is not"):
        sums_of([CODES] * KINDS, 1)
    with pytest.raises(ValueError, match="different lengths"):
        add(sums_of([0] * KINDS, 2), record([One(0)]), [0, 9])
    with pytest.raises(ValueError, match="that there is not"):
        add(sums_of([0] * KINDS, 1), record([One(0)]), [0, 9], [1])


@given(st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), max_size=12))
def test_equal_rows_have_one_place(rows: list[list[int]]) -> None:
    places = _native.MetadataRows(2)
    found = [int(places.add(np.array(row, np.int32))[0]) for row in rows]
    again = places.add(np.array(rows, np.int32).reshape(-1))
    met = list(dict.fromkeys(map(tuple, rows)))
    assert found == again.tolist() == [met.index((row[0], row[1])) for row in rows]
    assert len(places) == len(met)
    assert places.rows(0).reshape(-1, 2).tolist() == [list(row) for row in met]


def test_rows_that_are_cut_short_are_refused() -> None:
    with pytest.raises(ValueError, match="cut short"):
        _native.MetadataRows(2).add(np.zeros(3, np.int32))
