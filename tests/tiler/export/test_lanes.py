"""On each lane slices nest, and as few as possible leave the first."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.export.event_text import microseconds
from tilescope.tiler.export.lanes import MAX_LANES, MAX_OPEN, ThreadLanes

SLICES = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=60)


@given(SLICES)
def test_slices_of_a_lane_nest(slices: list[tuple[int, int]]) -> None:
    placed: dict[int, list[tuple[int, int]]] = {}
    lanes = ThreadLanes()
    for start, duration in sorted(slices, key=lambda one: (one[0], -one[1])):
        end = start + duration
        lane = lanes.place(start, end)
        assert lanes.is_first == all(other != start for other, _ in placed.get(lane, []))
        for other_start, other_end in placed.setdefault(lane, []):
            assert other_start <= start
            assert other_end <= start or end <= other_end
        for before in range(lane):
            assert any(start < other_end < end for _, other_end in placed[before])
        placed[lane].append((start, end))
    assert len(lanes) == len(placed)


def test_more_lanes_than_there_are() -> None:
    lanes = ThreadLanes()
    assert [lanes.place(k, 1000 + k) for k in range(MAX_LANES + 5)][-6:] == [MAX_LANES - 1] * 6


def test_what_is_kept_of_deep_slices_is_bounded() -> None:
    """A cursor travels with each piece of a file."""
    lanes = ThreadLanes()
    assert {lanes.place(k, 10**9 - k) for k in range(20 * MAX_OPEN)} == {0}
    assert len(pickle.dumps(lanes)) < 10 * MAX_OPEN


@given(st.integers(-(1 << 80), 1 << 80))
def test_microseconds_are_exact(ps: int) -> None:
    from decimal import Decimal

    text = microseconds(ps)
    assert Decimal(text) * 10**6 == ps
    assert "e" not in text
    assert not text.endswith(".")
