"""Compares the overview layer with what the proofs of the tracks found.

All entries of a run need not fit in memory, and pages hold them by time, not by track. So the pages are read first, and
of each track kept how many entries it has, and the sum of their hashes. Only where these differ are the pages read
again, to say which entry is wrong.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.overview import FULL, OVERVIEW, OverviewEntries, OverviewGrid
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Floats, Ints, first_difference, hash_rows
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.report import Tally

# Sums that surely fit in 64 bits when they are multiplied with FULL.
_SMALL = 1 << 54


def busiest(rows: tuple[Ints, Ints, Ints], below: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints]:
    """The busier bins of two groups of rows, each (bin, busy, name): of equal ones those of the first."""
    bin, busy, name = (np.concatenate(columns) for columns in zip(rows, below, strict=True))
    order = np.lexsort((np.arange(len(bin)), -busy, bin))
    first = order[np.flatnonzero(np.diff(bin[order], prepend=-1))]
    return bin[first], busy[first], name[first]


class OverviewCheck:
    """The layer of a run. Tracks may be compared in any order, and by several threads."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._store = store
        self._catalogue = catalogue
        self._grid = OverviewGrid.of(catalogue.end)
        tracks = len(catalogue.tracks)
        self._counts: Ints = np.zeros(tracks, np.int64)
        self._hashes: NDArray[np.uint64] = np.zeros(tracks, np.uint64)

    def read(self) -> Tally:
        """Reads all pages. To be called first. Raises DamagedStore."""
        tracks = len(self._catalogue.tracks)
        for number in range(self._grid.pages):
            page = self._page(number)
            if len(page) and int(page.track.max()) >= tracks:
                raise self._error("entries of tracks that do not exist")
            self._counts += np.bincount(page.track, minlength=tracks)
            np.add.at(self._hashes, page.track, hash_rows([page.bin, page.utilisation, page.name]))
        return Tally(overview_entries=int(self._counts.sum()))

    def compare_busy(self, track: TrackEntry, bin: Ints, busy: Ints, name: Ints, *, lanes: int) -> None:
        """Compares the entries of a track with bins that are busy in at most `lanes` rows. Raises DamagedStore."""
        capacity = lanes << (2 * self._grid.level)
        if not len(busy) or (int(busy.max()) < _SMALL and capacity < _SMALL):
            parts = np.clip(-(-FULL * busy // capacity), 1, FULL)
        else:  # as Python's integers
            parts = np.array([min(FULL, max(1, -(-FULL * ticks // capacity))) for ticks in busy.tolist()], np.int64)
        self._compare(track, (bin, parts, name))

    def compare_peaks(self, track: TrackEntry, bin: Ints, peak: Floats, least: float, greatest: float) -> None:
        """Compares those of a counter, given the greatest value in each bin. Raises DamagedStore."""
        parts: Ints = np.full(len(bin), FULL, np.int64)
        if math.isfinite(greatest - least) and greatest > least:
            parts = 1 + ((FULL - 1) * ((peak - least) / (greatest - least))).astype(np.int64)
        self._compare(track, (bin, parts, np.full(len(bin), -1, np.int64)))

    def _check_span(self, track: TrackEntry, bin: Ints) -> None:
        """Checks that a track with events in these bins spans from the first of them to the last."""
        shift = 2 * self._grid.level
        if track.span is None or not len(bin):
            return
        first, last = track.span
        ends = (last - 1) >> shift, last >> shift  # an event of length 0 may lie at the very end
        if first >> shift != int(bin.min()) or int(bin.max()) not in ends:
            raise self._error(f"track {track.id} spans {first} to {last}, which is not where its events are")

    def _compare(self, track: TrackEntry, expected: tuple[Ints, Ints, Ints]) -> None:
        self._check_span(track, expected[0])
        same = len(expected[0]) == self._counts[track.id]
        if same and hash_rows(list(expected)).sum(dtype=np.uint64) == self._hashes[track.id]:
            return
        entries = OverviewEntries.join([self._of_track(number, track.id) for number in range(self._grid.pages)])
        stored = entries.bin, entries.utilisation, entries.name
        k = first_difference(expected, stored)
        if k is None:
            raise self._error(f"it was altered while it was read: track {track.id}")
        is_, should = (
            [int(column[k]) for column in columns] if k < len(columns[0]) else None for columns in (stored, expected)
        )
        what = f"in the overview (bin, utilisation, name) is {is_}, from the events it is {should}"
        raise self._catalogue.track_error(track.id, what)

    def _of_track(self, number: int, track: int) -> OverviewEntries:
        page = self._page(number)
        mine = page.track == track
        return OverviewEntries(*(getattr(page, column)[mine] for column in OverviewEntries.__struct_fields__))

    def _page(self, number: int) -> OverviewEntries:
        record = self._store.get(OVERVIEW, number)
        if record is None:
            raise self._error(f"page {number} is missing")
        try:
            page = OverviewEntries.decode(inflate(record), self._grid.level, number)
        except DamagedStore as error:
            raise self._error(f"page {number} is damaged: {error}") from error
        key = page.bin * (len(self._catalogue.tracks) + 1) + page.track
        if (np.diff(key) <= 0).any() or len(page) != len(page.page(number)) or (page.track < 0).any():
            raise self._error(f"page {number}: entries are not in order, or of another page")
        return page

    def _error(self, what: str) -> DamagedStore:
        return DamagedStore(f"{self._catalogue.location}: the overview: {what}")
