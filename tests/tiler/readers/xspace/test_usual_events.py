"""Events as profilers write them are read in a way of their own: what a line is said to be is the same in both ways."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tiler.readers import wire_writer as w
from tests.tiler.readers.xspace.test_property import NAMES, USUAL_EVENTS
from tilescope.tiler import _native

LINES = st.lists(USUAL_EVENTS, max_size=30)
STAT_NAMES = st.lists(st.tuples(st.integers(0, 90), NAMES), max_size=8)
UNKNOWN = w.number(900, 7)
REST = w.data(905, b"\x08" * 80)


def surveyed(events: list[bytes], stat_names: list[tuple[int, str]], step: int) -> tuple[object, ...]:
    """What is found in a line of these events, which is read in steps of so many bytes."""
    line = w.message(3, *(w.data(4, event) for event in events))
    raw = w.message(1, line, *(w.stat_metadata(key, name) for key, name in stat_names)) + REST
    file = _native.XSpaceFile(np.frombuffer(raw, np.uint8), 1 << 30, 0, 0, 0)
    assert not file.read_outline(len(raw))
    survey = file.survey(0)
    while survey.advance(survey.position + step):
        pass
    file.surveyed(0, survey)
    file.settle(0, 0)
    while file.seal(1):
        pass
    of = file.line(0)
    shift, first, busy = file.activity(0)
    times = (of.first_ps, of.end_ns, of.end_ps, of.any_ps)
    return of.events, of.out_of_range, of.flow_ends, times, file.names(), file.args_room(0), shift, first, busy.tolist()


@given(events=LINES, stat_names=STAT_NAMES, step=st.integers(1, 2000))
@settings(deadline=None)
def test_the_same_as_with_a_field_that_nobody_knows(
    events: list[bytes], stat_names: list[tuple[int, str]], step: int
) -> None:
    assert surveyed(events, stat_names, step) == surveyed([event + UNKNOWN for event in events], stat_names, step)


def test_many_events_in_the_order_of_time() -> None:
    """The bins of a busy line are the sums of what its events last there."""
    starts = np.cumsum(np.random.default_rng(7).integers(0, 9_000, 3_000)) * 1000
    durations = np.random.default_rng(8).integers(0, 20_000, 3_000)
    events = [
        w.number(1, 3) + w.number(2, int(start)) + w.number(3, int(duration))
        for start, duration in zip(starts, durations, strict=True)
    ]
    *_, shift, first, busy = surveyed(events, [], 1 << 20)
    assert isinstance(shift, int)
    assert isinstance(first, int)
    assert isinstance(busy, list)
    expected = [0] * len(busy)
    for start, duration in zip(starts.tolist(), durations.tolist(), strict=True):
        end = start + max(duration, 1)
        for at in range(start >> shift, (end - 1 >> shift) + 1):
            expected[at - first] += min(end, at + 1 << shift) - max(start, at << shift)
    assert busy == expected
