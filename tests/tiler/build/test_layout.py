"""The order of tracks on the screen."""

from __future__ import annotations

import numpy as np

from tilescope.tiler.build.layout import lay_out
from tilescope.tiler.build.track_data import TrackData, exact_sum
from tilescope.tiler.columns import Process, TraceSummary, Track, TrackKind


def data(*durations: int) -> TrackData:
    n = len(durations)
    zeros = np.zeros(n, np.int64)
    return TrackData(
        zeros,
        np.array(durations, np.int64),
        np.arange(n, dtype=np.uint32),
        np.zeros(n, np.int32),
        np.zeros(n, np.uint8),
        None,
        zeros,
        np.zeros(0, np.uint8),
        rows=n,
        busy=sum(durations),
    )


def test_hosts_processes_and_tracks_in_order() -> None:
    first = TraceSummary("xspace", hostname="host10")
    second = TraceSummary("xspace", hostname="host9")
    first.processes = [Process("late", sort_index=5), Process("early")]
    first.tracks = [
        Track(0, TrackKind.SLICE, "a"),
        Track(1, TrackKind.SLICE, "second", sort_index=2),
        Track(1, TrackKind.COUNTER, "first"),
        Track(1, TrackKind.FLOW, "second"),
    ]
    second.processes = [Process("only", "pid 3")]
    second.tracks = [Track(0, TrackKind.INSTANT, "marks")]
    found = {(0, 0): data(5), (0, 1): data(7, 3), (0, 2): None, (1, 0): None}
    layout = lay_out([first, second], found.get)
    assert [(g.kind, g.name, g.parent, g.rollup) for g in layout.groups] == [
        ("host", "host9", None, None),
        ("process", "only", 0, None),
        ("host", "host10", None, None),
        ("process", "early", 2, 1),
        ("process", "late", 2, 4),
    ]
    assert [(t.id, t.kind, t.name) for t in layout.tracks] == [
        (0, "instant", "marks"),
        (1, "rollup", "early"),
        (2, "counter", "first"),
        (3, "slice", "second"),
        (4, "rollup", "late"),
        (5, "slice", "a"),
    ]
    rollup = layout.tracks[1]
    assert (rollup.events, rollup.busy, rollup.to_json()["lanes"]) == (2, 10, 2)


def test_sums_are_exact_beyond_64_bits() -> None:
    assert exact_sum(np.full(9, 2**61, np.int64)) == 9 * 2**61
    assert exact_sum(np.zeros(0, np.int64)) == 0
