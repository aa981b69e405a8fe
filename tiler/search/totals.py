"""Totals of the selected events in some windows, name by name: how many, and how long they are busy there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.records.histogram import BUSY_LIMIT
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.search.hits import Finder, Hits
from tilescope.tiler.search.leaves import Leaves, leaves
from tilescope.tiler.search.selection import Selection, occurring
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]

# So few leaves are looked through sooner than histograms are read: a fifth of a millisecond for a page.
_FEW_LEAVES = 128

# Leaves between two steps in which sums are made: memory does not grow with the number of hits.
_LEAVES_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Totals:
    """Columns of shape (n,), the busiest name first, then by count, then by name id; names without hits are left out.

    `count`: events that start in a window; `busy`: ticks of events within one, Python's integers where they are large.
    """

    name: Ints
    count: Ints
    busy: NDArray[Any]

    def __len__(self) -> int:
        return len(self.name)


def totals(reader: QueryReader, selection: Selection, windows_of: WindowsOf) -> Interruptible[Totals]:
    """From histograms where names alone are selected, otherwise from the leaves. Raises DamagedStore."""
    yield
    requested = selection.tracks
    selection = yield from occurring(reader, selection)
    if not selection.names.any() or not len(selection.tracks):
        return _summed([], np.int64)
    all_busy = sum(reader.tree.tracks[track].busy for track in selection.tracks)
    dtype = np.int64 if all_busy < BUSY_LIMIT else object
    batches = list(leaves(reader, selection, windows_of, reaching=True))
    yield
    if selection.is_by_name and sum(map(len, batches)) > _FEW_LEAVES:
        return (yield from _of_histograms(reader, selection, requested, windows_of, dtype))
    finder = Finder(reader, selection, reaching=True)
    parts: list[Totals] = []
    for batch in batches:
        for first in range(0, len(batch), _LEAVES_AT_ONCE):
            hits = yield from finder.find([batch.take(slice(first, first + _LEAVES_AT_ONCE))])
            parts = [_summed([*parts, _of_hits(hits, batch.windows)], dtype)]
    return _summed(parts, dtype)


def per_track(reader: QueryReader, selection: Selection, windows_of: WindowsOf) -> Interruptible[dict[int, int]]:
    """Number of selected events that start in the windows of each track that has any. For selections by name alone."""
    count_by_track: dict[int, int] = {}
    few: list[Leaves] = []
    counts = np.zeros(len(reader.tree.tracks), np.int64)
    reading = Reading(reader)
    for batch in leaves(reader, selection, windows_of, reaching=False):
        on_track = np.bincount(batch.slot, minlength=TRACKS_PER_BLOCK)
        few.append(batch.take(on_track[batch.slot] <= _FEW_LEAVES))
        for slot in np.flatnonzero(on_track > _FEW_LEAVES).tolist():
            track = batch.block * TRACKS_PER_BLOCK + slot
            for part in reading.histogram_parts([track], windows_of):
                counts[track] += part.count[selection.names[part.name + 1]].sum()
                yield
    finder = Finder(reader, selection)
    for batch in few:
        hits = yield from finder.find([batch])
        counts += np.bincount(hits.track, minlength=len(counts))
    for track in np.flatnonzero(counts).tolist():
        count_by_track[track] = int(counts[track])
    return count_by_track


def _of_histograms(
    reader: QueryReader, selection: Selection, requested: Sequence[int], windows_of: WindowsOf, dtype: type[Any]
) -> Interruptible[Totals]:
    sums = SpanSums()
    # On the other tracks that were asked for, no selected name occurs.
    harmless = sorted(set(requested).difference(selection.tracks))
    yield from Reading(reader).add_windows(sums, selection.tracks, windows_of, harmless=harmless)
    sums_by_name = sums.sums(dtype)
    wanted = selection.names[sums_by_name.name + 1]
    return _summed([Totals(sums_by_name.name[wanted], sums_by_name.count[wanted], sums_by_name.busy[wanted])], dtype)


def _of_hits(hits: Hits, windows: Windows) -> Totals:
    starts_in = windows.hold(hits.start).astype(np.int64)
    before = np.append(0, np.cumsum(windows.stops - windows.starts))

    def ticks_until(ticks: Ints) -> Ints:
        """Number of the windows' ticks before each of these."""
        window_count = np.searchsorted(windows.starts, ticks, side="right")
        last = np.minimum(ticks, np.append(0, windows.stops)[window_count]) - np.append(0, windows.starts)[window_count]
        return np.where(window_count > 0, before[np.maximum(window_count - 1, 0)] + last, 0)

    busy = ticks_until(hits.start + hits.duration) - ticks_until(hits.start)
    return Totals(hits.name, starts_in, busy)


def _summed(parts: list[Totals], dtype: type[Any]) -> Totals:
    none = np.zeros(0, np.int64)
    name, inverse = np.unique(np.concatenate([none, *(part.name for part in parts)]), return_inverse=True)
    count = np.zeros(len(name), np.int64)
    np.add.at(count, inverse, np.concatenate([none, *(part.count for part in parts)]))
    busy = np.zeros(len(name), dtype)
    np.add.at(busy, inverse, np.concatenate([none.astype(dtype), *(part.busy.astype(dtype) for part in parts)]))
    nonzero = np.flatnonzero((count != 0) | (busy != 0))
    order = (
        nonzero[np.lexsort((-count[nonzero], -busy[nonzero]))]
        if dtype is not object
        else _by_size(nonzero, count, busy)
    )
    return Totals(name[order], count[order], busy[order])


def _by_size(rows: Ints, count: Ints, busy: NDArray[Any]) -> Ints:
    return np.array(sorted(rows.tolist(), key=lambda k: (-busy[k], -count[k], k)), np.int64)
