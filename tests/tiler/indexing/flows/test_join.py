"""Joining and binding flow ends: any ends, any slices, against plain Python."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.indexing.flow_reference import End, following, innermost, join
from tilescope.tiler import _native
from tilescope.tiler.columns import EventFlag, Phase
from tilescope.tiler.indexing import scratch
from tilescope.tiler.indexing.flows.binding import bind
from tilescope.tiler.indexing.flows.join import JoinedFlows, join_flows
from tilescope.tiler.indexing.reading.flow_rows import FlowRows
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.track_data import TrackData

PHASES = st.sampled_from([Phase.FLOW_START, Phase.FLOW_STEP, Phase.FLOW_END])
ENDS = st.lists(st.tuples(PHASES, st.integers(0, 6), st.integers(-1, 3)), max_size=30)
SLICES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 12)), max_size=20)


def assert_same_edges(joined: JoinedFlows, expected: JoinedFlows) -> None:
    assert joined.source.tolist() == expected.source.tolist()
    assert joined.target.tolist() == expected.target.tolist()
    assert msgspec.structs.astuple(joined)[2:] == msgspec.structs.astuple(expected)[2:]


@given(ENDS)
def test_join(ends: list[tuple[Phase, int, int]]) -> None:
    phase = np.array([end[0] for end in ends], np.uint8)
    tick = np.array([end[1] for end in ends], np.int64)
    key = np.array([end[2] for end in ends], np.int64)
    joined = join_flows(phase, tick, key)
    for shares in (2, 5):
        parts = [join_flows(phase, tick, key, share, shares) for share in range(shares)]
        assert_same_edges(JoinedFlows.together(parts), joined)
    # The position in the file stands for the slice.
    expected = join([End(int(p), t, k, 0, n) for n, (p, t, k) in enumerate(ends)])
    found = Counter((0, s, int(tick[s]), 0, t, int(tick[t])) for s, t in zip(joined.source, joined.target, strict=True))
    assert found == expected.edges
    assert expected.counts == {
        "edges": str(len(joined)),
        "starts_without_end": str(joined.starts_without_end),
        "ends_without_start": str(joined.ends_without_start),
        "without_id": str(joined.without_id),
        "without_slice": "0",
    }


@given(SLICES, st.lists(st.tuples(PHASES, st.integers(0, 34), st.booleans()), max_size=20))
def test_bind(slices: list[tuple[int, int]], ends: list[tuple[Phase, int, bool]]) -> None:
    slices = sorted(slices, key=lambda one: (one[0], -one[1]))
    start = np.array([one[0] for one in slices], np.int64)
    duration = np.array([one[1] for one in slices], np.int64)
    n = len(slices)
    data = TrackData(
        start,
        duration,
        np.zeros(n, np.uint32),
        np.zeros(n, np.int32),
        np.zeros(n, np.uint8),
        None,
        np.zeros(n, np.int64),
        np.zeros(0, np.uint8),
        1,
        0,
    )
    rows = FlowRows(
        np.array([end[0] for end in ends], np.uint8),
        np.array([end[1] for end in ends], np.int64),
        np.zeros(len(ends), np.int64),
        np.array([EventFlag.BIND_ENCLOSING * end[2] for end in ends], np.uint8),
        None,
    )
    expected = [
        following(start, tick)
        if phase == Phase.FLOW_END and not enclosing
        else innermost(start, start + duration, tick)
        for phase, tick, enclosing in ends
    ]
    for part in (1 << 18, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scratch, "_PART", part)
            assert [None if k < 0 else k for k in bind(rows, data, Scratch()).tolist()] == expected
            assert bind(rows, None, Scratch()).tolist() == [-1] * len(ends)


def test_refused_columns() -> None:
    ints, bytes_ = np.zeros(2, np.int64), np.zeros(3, np.uint8)
    with pytest.raises(ValueError, match="differ in length"):
        join_flows(bytes_, ints, ints)
    for share, shares in ((1, 1), (0, 0), (0, 1025)):
        with pytest.raises(ValueError, match="a share that is none"):
            join_flows(bytes_[:2], ints, ints, share, shares)
    with pytest.raises(ValueError, match="differ in length"):
        _native.InnermostSlices(ints, ints[:1])
    with pytest.raises(ValueError, match="not in order"):
        _native.InnermostSlices(ints, ints).of(np.array([2, 1]))
