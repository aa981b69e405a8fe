"""Which stretches of time are one run, and which lie apart, against a plain reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.indexing.tracks.stretches import Stretches

NS = 1000
S = 10**9
HOUR, DAY = 3600 * S, 86_400 * S


def run_of(*stretches: tuple[int, int, int]) -> tuple[int, int]:
    """From the start to the end of what does not lie apart; stretches are start, end and events."""
    start, end, events = np.array(stretches, np.int64).T
    joined = Stretches.joined(start, end, events, 60 * S)
    first, last = joined.main(NS)
    return int(joined.start[first]), int(joined.end[last])


@pytest.mark.parametrize(
    ("stretches", "run"),
    [
        ([(5, 9, 3)], (5, 9)),
        ([(0, 1, 1), (HOUR, HOUR + S, 200)], (HOUR, HOUR + S)),
        ([(0, 1, 3), (HOUR, HOUR + S, 200)], (0, HOUR + S)),  # more than one of a hundred
        ([(0, 1, 1), (10 * S, 11 * S, 200)], (0, 11 * S)),  # no long pause
        ([(0, 1, 1), (HOUR, 2 * HOUR, 200)], (0, 2 * HOUR)),  # no longer than what happens
        ([(0, 1, 3), (400 * DAY, 400 * DAY + S, 17)], (400 * DAY, 400 * DAY + S)),
        ([(0, 1, 5), (400 * DAY, 400 * DAY + S, 6)], (0, 400 * DAY + S)),
        ([(0, S, 90), (10 * HOUR, 10 * HOUR + S, 100), (99 * DAY, 99 * DAY, 1)], (0, 10 * HOUR + S)),
        # What is near to the first half lies apart from it alone, and not from a run of a night.
        ([(0, 1, 1), (HOUR, HOUR + S, 100), (11 * HOUR, 11 * HOUR + S, 90)], (0, 11 * HOUR + S)),
        ([(0, 0, 1), (50 * DAY, 50 * DAY, 1)], (0, 50 * DAY)),
    ],
)
def test_what_lies_apart(stretches: list[tuple[int, int, int]], run: tuple[int, int]) -> None:
    assert run_of(*stretches) == run


@given(
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 300), st.integers(1, 9)), min_size=1, max_size=30),
    st.integers(1, 200),
)
def test_joined(spans: list[tuple[int, int, int]], pause: int) -> None:
    expected: list[list[int]] = []
    for start, length, events in sorted(spans):
        if expected and start - expected[-1][1] < pause:
            expected[-1][1] = max(expected[-1][1], start + length)
            expected[-1][2] += events
        else:
            expected.append([start, start + length, events])
    starts, lengths, counts = np.array(spans, np.int64).T
    joined = Stretches.joined(starts, starts + lengths, counts, pause)
    assert [list(row) for row in zip(joined.start, joined.end, joined.events, strict=True)] == expected
