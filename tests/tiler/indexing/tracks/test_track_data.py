"""Columns of a track."""

from __future__ import annotations

import numpy as np

from tilescope.tiler.indexing.tracks.track_data import TrackData, exact_sum


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


def test_sums_are_exact_beyond_64_bits() -> None:
    assert exact_sum(np.full(9, 2**61, np.int64)) == 9 * 2**61
    assert exact_sum(np.zeros(0, np.int64)) == 0
