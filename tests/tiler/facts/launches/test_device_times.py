"""Times of the steps of devices, against plain Python: each from the end of the one before to its own end."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.launches.device_times import device_times, joined_times
from tilescope.tiler.facts.launches.step_work import NO_STEP, StepWork
from tilescope.tiler.query.run_steps import StepRows

# Number of the step, start and length.
SLICES = st.lists(st.tuples(st.integers(NO_STEP, 4), st.integers(0, 100), st.integers(0, 20)), max_size=12)
MARKS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 10)), min_size=1, max_size=6)
Slices = list[tuple[int, int, int]]


def ints(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, np.int64)


def work_of(slices: Slices) -> StepWork:
    number, start, length = (ints([piece[column] for piece in slices]) for column in range(3))
    zeros = np.zeros(len(slices), np.int64)
    return StepWork(np.arange(len(slices)), start, start + length, zeros, number, zeros, zeros > 0)


def marks_of(marks: list[tuple[int, int]]) -> StepRows:
    """Steps 0, 1, … one after the other, with the pause before and the length of each."""
    starts, now = [], 0
    for pause, length in marks:
        starts.append(now + pause)
        now += pause + length
    zeros, numbers = np.zeros(len(marks), np.int64), np.arange(len(marks))
    stops = ints(starts) + ints([length for _, length in marks])
    return StepRows(numbers, zeros, ints(starts), stops, zeros + 3, numbers, zeros)


def expected_times(tracks: list[Slices], launches: list[int], marks: StepRows) -> dict[int, tuple[int, int]]:
    work = [(number, start, start + length) for track in tracks for number, start, length in track if number != NO_STEP]
    if not work:
        return {}
    ends = dict(zip(marks.number.tolist(), marks.stop.tolist(), strict=True))
    ends |= {number: max(stop for other, _, stop in work if other == number) for number, _, _ in work}
    begin = min([start for _, start, _ in work] + launches)
    first = min(ends)
    if all(number != first for number, _, _ in work):
        begin = min(begin, dict(zip(marks.number.tolist(), marks.start.tolist(), strict=True))[first])
    times = {}
    for number in sorted(ends):
        times[number] = begin, max(begin, ends[number])
        begin = times[number][1]
    return times


def times_by_number(rows: StepRows) -> dict[int, tuple[int, int]]:
    return {
        number: (start, stop)
        for number, start, stop in zip(rows.number.tolist(), rows.start.tolist(), rows.stop.tolist(), strict=True)
    }


@given(tracks=st.lists(SLICES, min_size=1, max_size=3), launches=st.lists(st.integers(0, 50), max_size=2), marks=MARKS)
def test_a_step_lasts_from_the_end_of_the_one_before(
    tracks: list[Slices], launches: list[int], marks: list[tuple[int, int]]
) -> None:
    rows = device_times([work_of(track) for track in tracks], launches, marks_of(marks))
    assert times_by_number(rows) == expected_times(tracks, launches, marks_of(marks))
    is_marked = rows.number < len(marks)
    assert rows.track.tolist() == np.where(is_marked, 3, -1).tolist()
    assert rows.ordinal.tolist() == np.where(is_marked, rows.number, -1).tolist()


@given(devices=st.lists(SLICES.filter(lambda slices: any(piece[0] >= 0 for piece in slices)), min_size=1, max_size=3))
def test_over_several_devices_a_step_ends_on_the_last(devices: list[Slices]) -> None:
    marks = marks_of([(1, 5)] * 5)
    times = [device_times([work_of(slices)], [], marks) for slices in devices]
    joined = times_by_number(joined_times(times))
    parts = [times_by_number(rows) for rows in times]
    assert [stop for _, stop in joined.values()] == [
        max(accumulated) for accumulated in zip(*([stop for _, stop in part.values()] for part in parts), strict=True)
    ]
    assert joined[0][0] == min(part[0][0] for part in parts)
    assert [start for start, _ in joined.values()][1:] == [stop for _, stop in joined.values()][:-1]
