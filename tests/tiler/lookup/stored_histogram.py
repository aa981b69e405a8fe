"""The histogram of a span of a track, from stored ones and leaves."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from tilescope.tiler.lookup.histograms import StoredTiles, histogram_parts
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.records.histogram import BUSY_LIMIT, Histogram, sum_by_name
from tilescope.tiler.store.store import Store
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows


def histogram_of(store: Store, track: int, start: int, end: int) -> Histogram:
    """The histogram of the ticks [start, end) of a track of slices, or of all that a rollup sums."""
    entry = store.internals()["tracks"][track]
    run_end = int(store.manifest()["end"])
    windows = Windows.single(start, end if end <= run_end else TICK_LIMIT)
    exact = np.int64 if int(entry["busy"]) < BUSY_LIMIT else object
    parts: list[Histogram] = []
    if start < end:
        for block, children in groupby(entry.get("children", [track]), lambda child: child // TRACKS_PER_BLOCK):
            slots = {child % TRACKS_PER_BLOCK: windows for child in children}
            parts += histogram_parts(StoredTiles(store), block, slots, exact)
    return sum_by_name(parts, exact)
