"""Proves the tracks of a block but its rollups: tiles from the events in their leaves, totals, histograms, overview."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.verify.catalogue import SLICE_KINDS, Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Floats, Ints
from tilescope.tiler.verify.histograms import HistogramCheck, tiles_with_histogram
from tilescope.tiler.verify.overview import OverviewCheck
from tilescope.tiler.verify.page_reader import fetch_from
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree

# The native proof's names of kinds of tracks.
_OTHER, _SLICES, _COUNTER = 0, 1, 2


class BlockCheck:
    """One block. Its pages are read once each, in the order of time; only what runs on is in memory."""

    def __init__(
        self,
        store: RunStore,
        catalogue: Catalogue,
        tree: BlockTree,
        overview: OverviewCheck,
        done: Callable[[int], None],
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._tree = tree
        self._overview = overview
        self._done = done
        self._tracks = catalogue.block(tree.block)

    def check(self) -> Tally:
        """What was looked at. Calls `done` with numbers of events. Raises DamagedStore."""
        tree, tracks = self._tree, self._tracks
        tally: Tally = Tally()
        has_histogram = np.zeros(len(tree), np.bool_)
        for track in tracks:
            has_histogram[tiles_with_histogram(track, tree)] = True
        histograms = HistogramCheck(self._store, tree, tracks, tally)
        looked_at = np.where(tree.leaf, tree.events, 0)

        def done(page: int) -> None:
            self._done(int(looked_at[tree.page_tiles(page)].sum()))

        try:
            slices, counters = _native.prove_block(
                tree.native,
                self._catalogue.root_level,
                self._catalogue.end,
                self._catalogue.names,
                [_kind(track) for track in tracks],
                [track.rows for track in tracks],
                has_histogram,
                fetch_from(self._store, tree, done),
                histograms.compare,
            )
        except _native.WrongTile as error:
            raise tree.error(*error.args) from None
        for slot, of_slices in slices.items():
            self._take_slices(tracks[slot], *of_slices, tally=tally)
        for slot, of_counter in counters.items():
            self._take_counter(tracks[slot], *of_counter, tally=tally)
        tally["tracks"] += len(slices) + len(counters)
        return tally

    def _take_slices(
        self,
        track: TrackEntry,
        events: int,
        busy: int,
        rows: int,
        individuals: int,
        bins: int,
        overview: tuple[Ints, Ints, Ints],
        tally: Tally,
    ) -> None:
        if (events, busy) != (track.events, track.busy):
            raise self._error(
                track,
                f"{events} events and {busy} busy ticks in its leaves, {track.events} and {track.busy} at ingest",
            )
        if events and rows != track.rows:
            raise self._error(track, f"not all of its {track.rows} rows have a slice")
        self._overview.compare_busy(track, *overview, lanes=1)
        tally["events"] += events
        tally["individuals"] += individuals
        tally["bins"] += bins

    def _take_counter(
        self,
        track: TrackEntry,
        samples: int,
        bins: int,
        overview_bins: Ints,
        peaks: Floats,
        least: float,
        greatest: float,
        tally: Tally,
    ) -> None:
        if samples != track.events:
            raise self._error(track, f"{samples} samples in its leaves, {track.events} at ingest")
        self._overview.compare_peaks(track, overview_bins, peaks, least, greatest)
        tally["samples"] += samples
        tally["events"] += samples
        tally["counter_bins"] += bins

    def _error(self, track: TrackEntry, what: str) -> DamagedStore:
        return self._catalogue.track_error(track.id, what)


def _kind(track: TrackEntry) -> int:
    if not track.events:
        return _OTHER
    return _COUNTER if track.kind == TrackKind.COUNTER else _SLICES if track.kind in SLICE_KINDS else _OTHER
