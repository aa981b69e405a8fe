"""The time axis of a run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.indexing.event_chunks import chunk
from tilescope.tiler.columns import Census, EventChunk
from tilescope.tiler.indexing.reading.timeline import FileTimes, Timeline

EPOCH = 1_769_853_600_000_000_000
YEAR_NS = 365 * 86400 * 10**9


def timeline(*chunks: EventChunk, base_ns: int = 0) -> Timeline:
    return Timeline.from_files([file_of(*chunks, base_ns=base_ns)])


def file_of(*chunks: EventChunk, base_ns: int = 0) -> FileTimes:
    census = Census()
    for some in chunks:
        census.add(some)
    return FileTimes(census.span(), base_ns, census.__iter__)


def test_whole_nanoseconds_are_ticks_of_a_nanosecond() -> None:
    axis = timeline(chunk([EPOCH + 5, EPOCH, EPOCH + 7], duration_ns=[9, 1, 1], time_ps=[0, 0, 0]))
    assert axis == Timeline(EPOCH, 1000, 14, False)
    assert axis.ticks(np.array([EPOCH + 5]), None, 0).tolist() == [5]


def test_any_picosecond_makes_ticks_of_a_picosecond() -> None:
    axis = timeline(chunk([EPOCH], duration_ns=[2]), chunk([EPOCH + 1], time_ps=[999], duration_ps=[2]))
    assert axis == Timeline(EPOCH, 1, 2001, False)
    assert axis.ticks(np.array([EPOCH + 1]), np.array([999], np.int16), 0).tolist() == [1999]
    assert axis.durations(None, np.array([3]), None).tolist() == [3000]
    assert axis.durations(None, np.array([0]), np.array([2], np.int16)).tolist() == [2]


@given(st.lists(st.tuples(*[st.integers(0, 10**6), st.integers(0, 999)] * 2), min_size=1, max_size=8))
def test_the_end_is_that_of_the_last_event(rows: list[tuple[int, ...]]) -> None:
    time_ns, time_ps, duration_ns, duration_ps = ([row[k] for row in rows] for k in range(4))
    events = chunk(time_ns, time_ps=time_ps, duration_ns=duration_ns, duration_ps=duration_ps)
    axis = timeline(events)
    ticks = axis.ticks(events.time_ns, events.time_ps, 0)
    durations = axis.durations(events.time_ps, events.duration_ns, events.duration_ps)
    if axis.tick_ps == 1:
        origin_ps = min(time_ns) * 1000
        assert ticks.tolist() == [1000 * ns + ps - origin_ps for ns, ps, _, _ in rows]
        assert durations.tolist() == [1000 * ns + ps for _, _, ns, ps in rows]
    assert axis.end == (ticks + durations).max()
    assert ticks.min() >= 0


def test_a_run_too_long_for_picoseconds_is_rounded_to_nanoseconds() -> None:
    axis = timeline(chunk([0, YEAR_NS], time_ps=[1, 999], duration_ps=[1, 1]))
    assert (axis.tick_ps, axis.rounds) == (1000, True)


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=20))
def test_rounding_makes_no_overlaps(steps: list[int]) -> None:
    """Slices one right after the other, in picoseconds, still are when their times are rounded down."""
    edges = np.cumsum(steps)
    start, length = edges[:-1], np.diff(edges)
    axis = Timeline(0, 1000, 1 << 60, True)
    ticks = axis.ticks(start // 1000, (start % 1000).astype(np.int16), 0)
    durations = axis.durations((start % 1000).astype(np.int16), length // 1000, (length % 1000).astype(np.int16))
    assert ticks.tolist() == (start // 1000).tolist()
    assert (ticks + durations).tolist() == (edges[1:] // 1000).tolist()


def test_files_share_the_origin_and_each_has_its_base() -> None:
    late, early = file_of(chunk([EPOCH + 300])), file_of(chunk([100], duration_ns=[5]), base_ns=EPOCH)
    axis = Timeline.from_files([late, early, file_of()])
    assert axis == Timeline(EPOCH + 100, 1000, 200, False)
    assert axis.ticks(np.array([100]), None, EPOCH).tolist() == [0]


def test_no_events_at_all() -> None:
    assert Timeline.from_files([file_of(base_ns=5)]) == Timeline(0, 1000, 0, False)


def test_what_fits_exactly_is_whole() -> None:
    assert timeline(chunk([0, 2**61 - 2])) == Timeline(0, 1000, 2**61 - 2, False)
    longest = 2**61 // 1000 - 1
    assert timeline(chunk([0, longest], time_ps=[1, 1])) == Timeline(0, 1, longest * 1000 + 1, False)


@pytest.mark.parametrize("wild", [2**61 - 1, 2**63 - 1, -(2**61), -(2**63)])
def test_a_wild_time_costs_the_others_nothing(wild: int) -> None:
    axis = timeline(chunk([5, 7], time_ps=[1, 2], duration_ps=[0, 999]), chunk([wild], duration_ns=[0]))
    assert (axis.origin_ns, axis.tick_ps, axis.end, axis.rounds) == (5, 1, 3001, False)
    assert axis.window is not None


def test_hosts_that_were_traced_a_month_apart_stay_together() -> None:
    month = chunk([40 * 86400 * 10**9 + k for k in range(300)], time_ps=[1] * 300)
    axis = Timeline.from_files([file_of(chunk(list(range(100_000)), time_ps=[1] * 100_000)), file_of(month)])
    assert (axis.tick_ps, axis.rounds, axis.window) == (1000, True, None)


@pytest.mark.parametrize(("wild", "kept"), [(1, True), (3, True), (4, False)])
def test_picoseconds_may_cost_one_event_in_a_hundred(wild: int, kept: bool) -> None:
    axis = timeline(chunk([5] * 300, time_ps=[1] * 300), chunk([YEAR_NS + k for k in range(wild)]))
    assert (axis.tick_ps, axis.window is not None) == ((1, True) if kept else (1000, False))


def test_a_base_time_beyond_64_bits() -> None:
    axis = Timeline.from_files(
        [file_of(chunk([2**63 - 5]), base_ns=2**63 - 1), file_of(chunk([3]), base_ns=2**64 - 20)]
    )
    assert axis == Timeline(2**64 - 17, 1000, 11, False)
    assert axis.ticks(np.array([2**63 - 5]), None, 2**63 - 1).tolist() == [11]
    assert axis.ticks(np.array([3]), None, 2**64 - 20).tolist() == [0]
