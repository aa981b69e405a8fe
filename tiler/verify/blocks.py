"""Proves the tracks of a block but its rollups: tiles from the events in their leaves, totals, histograms, overview."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.catalogue import SLICE_KINDS, Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Floats, Ints
from tilescope.tiler.verify.families import FamilyCheck
from tilescope.tiler.verify.histograms import HistogramCheck, what_to_sum
from tilescope.tiler.verify.memory import ProofMemory, ShortOfMemory
from tilescope.tiler.verify.overview import OverviewCheck, busiest
from tilescope.tiler.verify.page_names import PageNamesCheck
from tilescope.tiler.verify.page_reader import fetch_from
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.tree import BlockTree

# The native proof's names of kinds of tracks.
_OTHER, _SLICES, _COUNTER = 0, 1, 2


# With so few rows it is not their number that takes the memory; with more, so many times fewer are tried.
_FEWEST_ROWS = 4096
_FEWER_ROWS = 4


@dataclass(frozen=True, slots=True)
class _Proven:
    """Results of the native proof for some rows: by slot, see `BlockCheck._take_slices` and `_take_counter`."""

    tally: Tally
    slices: dict[int, tuple[int, int, int, int, int, int, tuple[Ints, Ints, Ints]]]
    counters: dict[int, tuple[int, int, Ints, Floats, float, float]]

    def with_rows(self, more: _Proven) -> _Proven:
        """With the overview of rows below these."""
        slices = dict(self.slices)
        for slot, (*_, below) in more.slices.items():
            events, busy, fingerprint, rows, individuals, bins, overview = slices[slot]
            slices[slot] = events, busy, fingerprint, rows, individuals, bins, busiest(overview, below)
        return replace(self, slices=slices)


class BlockCheck:
    """One block. Its pages are read once each, in the order of time; only what runs on is in memory."""

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        tree: BlockTree,
        overview: OverviewCheck,
        families: FamilyCheck,
        memory: ProofMemory,
        done: Callable[[int], None],
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._tree = tree
        self._overview = overview
        self._families = families
        self._memory = memory
        self._done = done
        self._tracks = catalogue.block(tree.block)

    def check(self) -> Tally:
        """Counts of what was checked. Calls `done` with numbers of events. Raises DamagedStore, ShortOfMemory.

        All rows are gone through at a time. When that takes too much memory, it is done again with fewer of them.
        """
        all_rows = max([track.rows for track in self._tracks if _kind(track) == _SLICES], default=1)
        first, width = 0, max(1, all_rows)
        tally: Tally = Tally()
        proven: _Proven | None = None
        while first < all_rows or proven is None:
            short = None
            try:
                now = self._prove(first, first + width)
            except (MemoryError, _native.ShortTile) as error:
                short = self._short(error)
            if short is not None:
                if width <= _FEWEST_ROWS:
                    raise short
                width = -(-width // _FEWER_ROWS)
                continue
            proven = now if proven is None else proven.with_rows(now)
            first += width
        assert proven is not None
        tally += proven.tally
        for slot, of_slices in proven.slices.items():
            self._take_slices(self._tracks[slot], *of_slices, tally=tally)
        for slot, of_counter in proven.counters.items():
            self._take_counter(self._tracks[slot], *of_counter, tally=tally)
        tally["tracks"] += len(proven.slices) + len(proven.counters)
        return tally

    def _prove(self, first_row: int, stop_row: int) -> _Proven:
        tree, tracks = self._tree, self._tracks
        tally: Tally = Tally()
        histograms = HistogramCheck(self._store, tree, tracks, self._families, tally)
        looked_at = np.where(tree.leaf, tree.events, 0)
        # Names are compared the first time that a page is read.
        page_names = PageNamesCheck(self._store, tree, tally) if first_row == 0 else None
        left = set(range(len(tree.page_keys)))

        def done(page: int) -> None:
            self._done(int(looked_at[tree.page_tiles(page)].sum()) if first_row == 0 else 0)

        fetch = fetch_from(self._store, tree, self._memory, done)

        def fetch_and_compare(number: int) -> tuple[bytes, bytes | None]:
            page, residual = fetch(number)
            if page_names is not None and number in left:
                left.remove(number)
                page_names.compare(number, page)
            return page, residual

        try:
            slices, counters = _native.prove_block(
                tree.native,
                self._catalogue.root_level,
                self._catalogue.end,
                self._catalogue.names,
                [_kind(track) for track in tracks],
                [track.rows for track in tracks],
                what_to_sum(tracks, tree),
                fetch_and_compare,
                histograms.compare,
                histograms.compare_together,
                histograms.compare_by_track,
                (first_row, stop_row),
                self._memory.native,
            )
        except _native.WrongTile as error:
            raise tree.error(*error.args) from None
        return _Proven(tally, slices, counters)

    def _short(self, error: MemoryError | _native.ShortTile) -> ShortOfMemory:
        if isinstance(error, _native.ShortTile):
            return self._memory.short(self._tree.name(error.args[0]))
        return self._memory.short(f"tracks {self._tracks[0].id} to {self._tracks[-1].id}")

    def _take_slices(
        self,
        track: TrackEntry,
        events: int,
        busy: int,
        fingerprint: int,
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
        if fingerprint != track.fingerprint:
            raise self._error(track, "its leaves hold other slices than at ingest")
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
