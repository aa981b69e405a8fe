"""Proves what the manifest says of outliers: that its events are there, and how many lie before and after all else."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec
import numpy as np

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey, Shape, SliceFlag, decode_columns, decompress
from tilescope.tiler.pages.page import Page
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.schema import Outlier, Outliers
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Ints

_KEPT: Final = 16  # blocks, and pages

_Rows = tuple[Ints, Ints, Ints]  # start, end, ordinal


class OutlierCheck:
    """Checks one store. Reads the leaves in which outliers start, or of which a part lies outside of all else."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._store = store
        self._catalogue = catalogue
        self._shape = lru_cache(_KEPT)(self._read_shape)
        self._page = lru_cache(_KEPT)(self._read_page)

    def check(self) -> None:
        """Raises DamagedStore."""
        record = self._store.manifest().get("outliers")
        if record is None:
            return
        try:
            outliers = msgspec.convert(record, Outliers)
        except msgspec.ValidationError as error:
            raise DamagedStore(f"{self._catalogue.location}: the record of outliers is damaged: {error}") from None
        with_outliers = {event.track for event in outliers.events}
        for event in outliers.events:
            self._check_event(event)
        start, end = int(outliers.start), int(outliers.end)
        before = after = 0
        for track in self._catalogue.tracks:
            if track.kind == TrackKind.ROLLUP or track.span is None:
                continue
            first, last = track.span
            if first < start:
                starts, ends, _ = self._rows(track, 0, start)
                before += int(((starts < start) & (ends < start)).sum())
            if last > end:
                starts, _, _ = self._rows(track, end + 1, last + 1)
                after += int((starts > end).sum())
                if not (starts > end).any() and track.id not in with_outliers:
                    raise self._damaged(f"track {track.id} has events beyond {end}, the end of all but outliers")
        if (before, after) != (int(outliers.before), int(outliers.after)):
            raise self._damaged(
                f"{before} and {after} events lie before and after all else, the manifest says {outliers.before} and "
                f"{outliers.after}"
            )

    def _check_event(self, event: Outlier) -> None:
        if not 0 <= event.track < len(self._catalogue.tracks):
            raise self._damaged(f"an outlier is on track {event.track}, which does not exist")
        start, end = int(event.start), int(event.end)
        starts, ends, ordinals = self._rows(self._catalogue.tracks[event.track], start, start + 1)
        matches = np.flatnonzero(ordinals == int(event.ordinal))
        if len(matches) != 1 or (int(starts[matches[0]]), int(ends[matches[0]])) != (start, end):
            raise self._damaged(f"track {event.track}: event {event.ordinal} is not from {start} to {end}")

    def _rows(self, track: TrackEntry, first: int, stop: int) -> _Rows:
        """The events that start in the leaves of a track that have a tick of [first, stop)."""
        shape = self._shape(track.block)
        leaves = shape.leaves(track.id % TRACKS_PER_BLOCK)
        shift = 2 * shape.level[leaves] + 8
        leaves = leaves[(shape.index[leaves] << shift < stop) & ((shape.index[leaves] + 1) << shift > first)]
        none = np.zeros(0, np.int64)
        parts: list[_Rows] = [(none, none, none)]
        page_starts = shape.page_starts()
        for leaf in leaves.tolist():
            first_of_page = int(page_starts[np.searchsorted(page_starts, leaf, side="right") - 1])
            page = self._page(shape.page_at(first_of_page))
            index_in_page = leaf - first_of_page
            rows = slice(int(page.slice_ends[index_in_page]), int(page.slice_ends[index_in_page + 1]))
            own = (page.slices.flags[rows] & SliceFlag.REACHES_IN) == 0
            start, duration = page.slices.start[rows][own], page.slices.duration[rows][own]
            parts.append((start, start + duration, page.slices.ordinal[rows][own]))
            rows = slice(int(page.sample_ends[index_in_page]), int(page.sample_ends[index_in_page + 1]))
            time = page.samples.time[rows]
            parts.append((time, time, page.samples.ordinal[rows]))
        start, end, ordinal = (np.concatenate(column) for column in zip(*parts, strict=True))
        return start, end, ordinal

    def _read_shape(self, block: int) -> Shape:
        member = self._store.get(SHAPE, block)
        if member is None:
            raise self._damaged(f"block {block} has no shape record")
        return Shape.decode(decompress(member))

    def _read_page(self, key: PageKey) -> Page:
        member = stored_page(self._store, key)
        if member is None:
            raise self._damaged(f"{key.text()} is missing")
        return decode_columns(decompress(member))

    def _damaged(self, what: str) -> DamagedStore:
        return DamagedStore(f"{self._catalogue.location}: {what}")
