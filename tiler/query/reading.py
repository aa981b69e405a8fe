"""What one question reads: pages are kept decoded as long as it may need them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from tilescope.tiler.pages import BUSY_LIMIT, Histogram, Page, PageKey, Shape, sum_by_name
from tilescope.tiler.query.events import EventPlan, Events, LeafRun
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.store.histograms import histogram_parts
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

# The leaves of small tracks of a block share pages, one for each level; those of a large track take turns between
# levels. A page takes about half a megabyte.
_KEPT_PAGES = 16


class Reading:
    """Reads for one question, whose tracks come in ascending order. Not for several threads at once."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._kept = lru_cache(_KEPT_PAGES)(reader.decoded_page)

    def events(self, plan: EventPlan, runs: Sequence[LeafRun]) -> Iterator[Events]:
        """The events in some leaves of a plan, page by page. Raises DamagedStore."""
        for run in runs:
            yield plan.events(run, self._kept(run.page))

    def histogram(self, track: int, windows: Windows) -> Histogram:
        """How often each name occurs in windows of a track of slices, and how long: exactly. Raises DamagedStore."""
        busy = int(self._reader.tree.tracks[track]["busy"])
        exact = np.int64 if busy < BUSY_LIMIT else object
        if not len(windows) or self._reader.tree.tracks[track]["events"] == "0":
            return sum_by_name([], exact)
        if windows.stop > self._reader.end:  # tiles reach beyond the run, and are within the last window all the same
            windows = Windows(windows.starts, np.append(windows.stops[:-1], TICK_LIMIT))
        return sum_by_name(list(histogram_parts(self, track, windows, exact)), exact)

    def decoded_shape(self, block: int) -> Shape:
        """The shape of a block."""
        return self._reader.tiles(block).shape

    def decoded_page(self, key: PageKey) -> Page:
        """A page."""
        return self._kept(key)

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None:
        """The stored histogram of a tile, compressed."""
        return self._reader.store.histogram_record(track, level, index)
