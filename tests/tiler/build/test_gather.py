"""Gathering chunks per track."""

from __future__ import annotations

import random

import numpy as np

from tests.tiler.build.event_chunks import chunk
from tilescope.tiler.build.gather import Gatherer, TrackEvents
from tilescope.tiler.columns import Phase


def args_of(events: TrackEvents) -> list[bytes]:
    starts = np.concatenate([[0], events.args_end[:-1]])
    return [events.args[a:b].tobytes() for a, b in zip(starts, events.args_end, strict=True)]


def test_the_order_of_the_file_is_kept_within_each_track() -> None:
    rng = random.Random(1)
    gatherer = Gatherer()
    expected: dict[int, list[tuple[int, bytes]]] = {}
    for _ in range(5):
        rows = [(rng.randrange(4), rng.randrange(100), bytes(rng.randrange(5))) for _ in range(rng.randrange(1, 30))]
        for track, time, args in rows:
            expected.setdefault(track, []).append((time, args))
        gatherer.add(chunk([r[1] for r in rows], track=[r[0] for r in rows], args=[r[2] for r in rows]))
    assert gatherer.events == sum(map(len, expected.values()))
    for track, of_track in expected.items():
        events = gatherer.take(track)
        assert events is not None
        assert list(zip(events.time_ns.tolist(), args_of(events), strict=True)) == of_track
        assert gatherer.take(track) is None


def test_columns_that_only_some_chunks_have() -> None:
    gatherer = Gatherer()
    gatherer.add(chunk([1, 2]))
    gatherer.add(chunk([3], time_ps=[7], key=[5], value=[1.5]))
    events = gatherer.take(0)
    assert events is not None
    assert events.time_ps is not None
    assert events.key is not None
    assert events.value is not None
    assert events.time_ps.tolist() == [0, 0, 7]
    assert events.key.tolist() == [-1, -1, 5]
    assert np.array_equal(events.value, [np.nan, np.nan, 1.5], equal_nan=True)
    assert events.duration_ps is None


def test_flow_ends_are_not_counted() -> None:
    gatherer = Gatherer()
    gatherer.add(chunk([1, 2, 3], phase=[Phase.COMPLETE, Phase.FLOW_START, Phase.INSTANT]))
    gatherer.add(chunk([]))
    assert gatherer.events == 2
