"""Native counts of operations by window and place are those of a plain loop, however records divide the events."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.facts.operations.exact_columns import exact, sums_of_products
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.device.operations import Operations

KINDS, PLACES, WINDOWS, TRACK, MOST = 3, 5, 4, 9, 40
SAID = np.array([Col.EVENT_FLOPS, Col.EVENT_BYTES], np.uint8)

Row = tuple[int, int, int, int, bool]  # kind, parent, duration, FLOPs or -1, whether a window cuts it


def ints(values: object) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def record(rows: list[Row]) -> bytes:
    told = [at for at, row in enumerate(rows) if row[3] >= 0]
    numbers = {"flops": ints([rows[at][3] for at in told])} if told else {}
    kind, parent, duration = (ints([row[at] for row in rows]) for at in range(3))
    return Operations(kind, parent, duration, ints(told), numbers).encode(TRACK)


rows_of_track = st.lists(
    st.tuples(
        st.integers(0, KINDS - 1),
        st.integers(-1, KINDS - 1),
        st.sampled_from([0, 1, 7, 2**62]),
        st.integers(-1, 3),
        st.booleans(),
    ),
    min_size=1,
    max_size=MOST,
)
ranges_of_events = st.lists(
    st.tuples(st.integers(0, MOST), st.integers(0, MOST), st.integers(0, WINDOWS - 1)), max_size=6
)


@given(
    rows_of_track,
    ranges_of_events,
    st.lists(st.integers(0, PLACES - 1), min_size=KINDS, max_size=KINDS),
    st.lists(st.integers(0, 1), min_size=KINDS, max_size=KINDS),
    st.integers(1, MOST),
)
def test_counts_are_those_of_a_plain_loop(
    rows: list[Row], ranges: list[tuple[int, int, int]], place: list[int], timed: list[int], size: int
) -> None:
    first, last, window = (ints([of[at] for of in ranges]) for at in range(3))
    counts = [_native.WindowCounts(WINDOWS, PLACES) for _ in range(2)]
    for number, begin in enumerate(range(0, len(rows), size)):
        some = rows[begin : begin + size]
        cut = [begin + at for at, row in enumerate(some) if row[4]]
        found = counts[number % 2].add(
            record(some),
            TRACK,
            MOST,
            begin,
            first,
            last,
            window,
            ints(place),
            np.array(timed, np.uint8),
            SAID,
            2,
            ints(cut),
        )
        count, has, special, numbers, *columns = found
        assert count == len(some)
        assert has.tolist() == [int(any(row[3] >= 0 for row in some)), 0]
        says = [(begin + at, row[3]) for at, row in enumerate(some) if row[3] >= 0 and place[row[0]] >= 2]
        assert special.tolist() == [at for at, _ in says]
        assert numbers.reshape(-1, 2).tolist() == [[flops, -1] for _, flops in says]
        assert [of.tolist() for of in columns] == [[rows[at][column] for at in cut] for column in range(3)]
    counts[0].merge(counts[1])
    wanted = np.zeros((WINDOWS, PLACES), np.int64)
    times = [0] * WINDOWS
    for begin, end, at in ranges:
        for kind, parent, duration, _, is_cut in rows[begin:end]:
            wanted[at, place[kind]] += 1
            if not is_cut:
                times[at] += duration * (timed[kind] - (timed[parent] if parent >= 0 else 0))
    assert counts[0].counts().reshape(WINDOWS, PLACES).tolist() == wanted.tolist()
    low, high = counts[0].times()
    assert [int(a) + (int(b) << 64) for a, b in zip(low, high, strict=True)] == times


def test_what_makes_no_sense_is_refused() -> None:
    counts = _native.WindowCounts(WINDOWS, PLACES)
    none, no_kind = ints([]), np.zeros(0, np.uint8)
    data = record([(0, -1, 1, -1, False)])

    def add(window: int = 0, place: int = 0, cut: int | None = None, timed: NDArray[np.uint8] = no_kind) -> None:
        cuts = none if cut is None else ints([cut])
        counts.add(data, TRACK, MOST, 7, ints([0]), ints([9]), ints([window]), ints([place] * 3), timed, SAID, 9, cuts)

    add()
    for wrong in (
        lambda: add(window=WINDOWS),
        lambda: add(window=-1),
        lambda: add(place=PLACES),
        lambda: add(place=-1),
        lambda: add(cut=8),
        lambda: add(cut=6),
        lambda: add(timed=np.zeros(2, np.uint8)),
        lambda: counts.merge(_native.WindowCounts(WINDOWS, PLACES + 1)),
        lambda: _native.WindowCounts(1 << 20, 1 << 20),
    ):
        with pytest.raises(ValueError, match=r"."):
            wrong()
    assert int(counts.counts().sum()) == 1


def test_sums_of_products_have_no_limit() -> None:
    rows = ints([[1, 2], [3, 0], [0, 0]])
    assert sums_of_products(rows, [ints([5, 7]), exact([2**62, 2**62]), exact([2**70, 1])]) == [
        [19, 15, 0],
        [3 * 2**62, 3 * 2**62, 0],
        [2**70 + 2, 3 * 2**70, 0],
    ]
    assert sums_of_products(np.zeros((2, 0), np.int64), [ints([])]) == [[0, 0]]
