"""The time axis of a run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.build.event_chunks import chunk
from tilescope.tiler.build.timeline import Timeline
from tilescope.tiler.columns import EventChunk, Span
from tilescope.tiler.errors import TilescopeError

EPOCH = 1_769_853_600_000_000_000
YEAR_NS = 365 * 86400 * 10**9


def timeline(*chunks: EventChunk, base_ns: int = 0) -> Timeline:
    span = Span()
    for some in chunks:
        span.add(some)
    return Timeline.of([(span, base_ns)])


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
    early, late = Span(), Span()
    early.add(chunk([100], duration_ns=[5]))
    late.add(chunk([EPOCH + 300]))
    axis = Timeline.of([(late, 0), (early, EPOCH), (Span(), 0)])
    assert axis == Timeline(EPOCH + 100, 1000, 200, False)
    assert axis.ticks(np.array([100]), None, EPOCH).tolist() == [0]


def test_no_events_at_all() -> None:
    assert Timeline.of([(Span(), 5)]) == Timeline(0, 1000, 0, False)


@pytest.mark.parametrize("last", [2**61, 2**63 - 5])
def test_times_that_no_axis_holds(last: int) -> None:
    with pytest.raises(TilescopeError, match="73 years"):
        timeline(chunk([0, last], duration_ns=[0, 2**62 if last > 2**62 else 0]))
