"""The histograms that are stored of a track: those of its tiles with many events."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import (
    BUSY_LIMIT,
    HISTOGRAM_ROWS,
    TRACKS_PER_BLOCK,
    DurationSpread,
    Histogram,
    Shape,
    compress,
)
from tilescope.tiler.store import keys
from tilescope.tiler.store.store import Entry


def histograms(
    track: int, data: TrackData, shape: Shape, budget: _native.MemoryBudget | None = None
) -> Iterator[Entry]:
    """Entries of the track's histograms, each as soon as it is summed. `shape`: of its block.

    Raises MemoryError when more slices are open at once than `budget` has room for.
    """
    if data.value is not None or data.busy >= BUSY_LIMIT:
        return
    tiles = np.flatnonzero((shape.slot == track % TRACKS_PER_BLOCK) & shape.has_histogram)
    if not len(tiles):
        return
    level, index = shape.level[tiles], shape.index[tiles]
    order = np.lexsort([-level, index << (2 * level + 8)])
    level, index, tiles = level[order], index[order], tiles[order]
    slices = data.start, data.duration, data.name
    walk = _native.Histograms(*slices, level.astype(np.uint8), index, shape.is_leaf[tiles], budget)
    while (found := walk.next(HISTOGRAM_ROWS)) is not None:
        level_of, index_of, (name, count, busy, self_busy, duration, longest, shortest), buckets = found
        # The low halves do: the track's total is below BUSY_LIMIT.
        ticks = [low.view(np.int64) for low, _ in (busy, self_busy, duration)]
        record = Histogram(name, count, ticks[0], ticks[1], ticks[2], longest, shortest).encode(track, level_of)
        yield keys.histogram(track, level_of, index_of), compress(record)
        yield keys.spread(track, level_of, index_of), compress(DurationSpread(*buckets).encode(track, level_of))
