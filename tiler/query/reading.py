"""Reads for one question: pages are kept decoded as long as it may need them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np

from tilescope.tiler.lookup.histograms import Rename, add_windows, histogram_parts
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey, Shape
from tilescope.tiler.pages.leaf_parts import LeafStarts
from tilescope.tiler.query.events import EventPlan, Events, LeafRun
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.records.histogram import BUSY_LIMIT, Histogram
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.store.store import Store
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, WindowsOf

# The leaves of small tracks of a block share pages, one for each level; those of a large track take turns between
# levels. A page takes about half a megabyte.
_KEPT_PAGES = 16

# Histograms of a block are read where at most so many times the tracks asked for are in it.
_MORE_TRACKS = 4


class Reading:
    """Reads for one question, whose tracks come in ascending order. Not for several threads at once."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._kept = lru_cache(_KEPT_PAGES)(reader.decoded_page)
        self._contents = lru_cache(_KEPT_PAGES)(reader.page_content)

    def events(self, plan: EventPlan, runs: Sequence[LeafRun]) -> Iterator[Events]:
        """The events in some leaves of a plan, page by page, without outliers if the reader leaves them out.

        Raises DamagedStore.
        """
        outliers = self._reader.outliers
        for events in self.events_and_outliers(plan, runs):
            yield events if outliers is None else outliers.without(events)

    def events_and_outliers(self, plan: EventPlan, runs: Sequence[LeafRun]) -> Iterator[Events]:
        """All of them. Raises DamagedStore."""
        for run in runs:
            yield plan.events(run, self._kept(run.page))

    def starts(self, plan: EventPlan) -> Iterator[LeafStarts]:
        """The slices that start in the leaves of a plan, page by page, outliers too.

        Raises DamagedStore.
        """
        for run in plan.leaf_runs:
            yield plan.starts(run, self._contents(run.page))

    def histogram_parts(self, tracks: Sequence[int], windows_of: WindowsOf) -> Iterator[Histogram]:
        """Histograms that add up to count and time of each name in windows of tracks of slices: exactly.

        Sums of ticks are int64 where those of each track fit. Raises DamagedStore.
        """
        for block, windows, stored, renaming in self._by_block(tracks, windows_of):
            yield from histogram_parts(self, block, windows, np.int64 if stored else object, renaming)

    def add_windows(
        self,
        sums: SpanSums,
        tracks: Sequence[int],
        windows_of: WindowsOf,
        as_name: Callable[[int], int] | None = None,
        rename: Rename | None = None,
        harmless: Sequence[int] = (),
    ) -> Iterator[None]:
        """Adds what lies in windows of tracks of slices; `as_name`: what all events of a track are summed up under.

        `rename` gives slices other names, page by page. `harmless`: more tracks, parts of which may be added. Raises
        DamagedStore.
        """
        aside = SpanSums(spread=sums.has_spread)
        track_list = self._reader.tree.tracks
        more = Counter(
            track // TRACKS_PER_BLOCK
            for track in harmless
            if track_list[track].events != 0 and track_list[track].busy < BUSY_LIMIT
        )
        for block, windows, stored, renaming in self._by_block(tracks, windows_of, rename):
            first = block * TRACKS_PER_BLOCK
            names = {} if as_name is None else {slot: as_name(first + slot) for slot in windows}
            tracks_in_all = self._reader.tree.summed_in_blocks[block]
            # Those of a few tracks have far fewer rows than that of all.
            whole = stored and len(windows) + more[block] == tracks_in_all <= _MORE_TRACKS * len(windows)
            yield from add_windows(
                self, block, windows, sums, aside=aside, stored=stored, whole=whole, as_name=names, rename=renaming
            )
            yield
        sums.add(aside)

    def _by_block(
        self, tracks: Sequence[int], windows_of: WindowsOf, rename: Rename | None = None
    ) -> Iterator[tuple[int, dict[int, Windows], bool, Rename | None]]:
        """Blocks, each with windows by slot; by themselves tracks with stored histograms, without, and with outliers.

        With other names for their slices: on a track with outliers these are left out.
        """
        track_list, outliers = self._reader.tree.tracks, self._reader.outliers

        def sort_of(track: int) -> tuple[bool, bool]:
            has_outliers = outliers is not None and outliers.ordinals(track) is not None
            return track_list[track].busy < BUSY_LIMIT, has_outliers

        with_events = (track for track in tracks if track_list[track].events != 0)
        for block, of_block in groupby(with_events, lambda track: track // TRACKS_PER_BLOCK):
            for (stored, has_outliers), alike in groupby(of_block, sort_of):
                # Tracks that share windows still do when these are prolonged. An id is taken while its object lives.
                prolonged: dict[int, tuple[Windows, Windows]] = {}
                windows = {}
                for track in alike:
                    track_windows = windows_of(track)
                    if id(track_windows) not in prolonged:
                        prolonged[id(track_windows)] = track_windows, self._prolonged(track_windows)
                    if len(track_windows):
                        windows[track % TRACKS_PER_BLOCK] = prolonged[id(track_windows)][1]
                yield block, windows, stored, outliers.rename(rename) if outliers and has_outliers else rename

    def _prolonged(self, windows: Windows) -> Windows:
        """Tiles reach beyond the run, and are within its last window all the same."""
        if windows.stop <= self._reader.end:
            return windows
        return Windows(windows.starts, np.append(windows.stops[:-1], TICK_LIMIT))

    @property
    def store(self) -> Store:
        """The store that it reads."""
        return self._reader.store

    def block_shape(self, block: int) -> Shape:
        """The shape of a block."""
        return self._reader.tiles(block).shape

    def page_content(self, key: PageKey) -> bytes:
        """A page, uncompressed."""
        return self._reader.page_content(key)
