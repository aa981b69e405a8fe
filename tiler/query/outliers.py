"""The outliers of a run: events that are apart from all else or cannot be true, which figures leave out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.lookup.histograms import Rename
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Shape, decode_columns
from tilescope.tiler.query.events import Events
from tilescope.tiler.records.span_sums import LEFT_OUT
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.schema import Outliers, RunManifest

Ints = NDArray[np.int64]

_APART = ("before", "after")


class RunOutliers:
    """The outliers that the manifest of a run lists. `rest` are the ticks of all other events."""

    def __init__(self, record: Outliers) -> None:
        self.record = record
        self.rest = TickRange(int(record.start), int(record.end) + 1)
        ordinals: dict[int, list[int]] = {}
        for event in record.events:
            if event.reason not in _APART:  # a span leaves out what lies apart
                ordinals.setdefault(event.track, []).append(int(event.ordinal))
        self._ordinals = {track: np.array(sorted(numbers), np.int64) for track, numbers in ordinals.items()}

    @classmethod
    def read(cls, manifest: RunManifest) -> RunOutliers | None:
        """The outliers of a manifest; None: there are none. Raises StoredLast while the run is indexed."""
        return None if manifest.outliers is None else cls(manifest.outliers)

    def ordinals(self, track: int) -> Ints | None:
        """Ordinals of a track's events that cannot be true, ascending; None: all can."""
        return self._ordinals.get(track)

    def without(self, events: Events) -> Events:
        """Events of a track, without those that cannot be true."""
        ordinals = self.ordinals(events.track)
        return events if ordinals is None else events.take(~np.isin(events.ordinal, ordinals))

    def rename(self, names: Rename | None = None) -> Rename:
        """The names of the slices of a page (None: their own), LEFT_OUT for those that cannot be true."""
        return leaving_out(self.ordinals, names)


def leaving_out(ordinals_of: Callable[[int], Ints | None], names: Rename | None = None) -> Rename:
    """The names of the slices of a page (None: their own), LEFT_OUT for those with some ordinals, by track."""

    def renamed(content: bytes, shape: Shape, first: int, tiles: Ints) -> NDArray[np.int32]:
        page = decode_columns(content)
        page_names = page.slices.name.astype(np.int32) if names is None else names(content, shape, first, tiles)
        for index_in_page in np.unique(tiles - first).tolist():
            ordinals = ordinals_of(shape.block * TRACKS_PER_BLOCK + int(shape.slot[first + index_in_page]))
            if ordinals is not None:
                rows = slice(int(page.slice_ends[index_in_page]), int(page.slice_ends[index_in_page + 1]))
                page_names[rows][np.isin(page.slices.ordinal[rows], ordinals)] = LEFT_OUT
        return page_names

    return renamed
