"""The records of page names of a block: where searches find the pages that have a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Shape, compress
from tilescope.tiler.records.page_names import PAGE_NAMES, PAIRS_AT_ONCE, encode_listed
from tilescope.tiler.store.store import Entry

Ints = NDArray[np.int64]

# Slices that are looked through at a time: at most so many pairs of name and page come of them.
_SLICES_AT_ONCE = 16 * PAIRS_AT_ONCE


def page_names(
    data: Mapping[int, TrackData], shape: Shape, budget: _native.MemoryBudget | None = None
) -> Iterator[Entry]:
    """Entries of a block, each of some pages that follow one another; one at least. `data`: of its tracks by id.

    Raises MemoryError when names are more than `budget` has room for.
    """
    tracks = [track for track in sorted(data) if data[track].value is None]
    names = [data[track].name for track in tracks]
    leaves, of_track, first, last = _leaves(tracks, shape)
    page = np.searchsorted(shape.page_starts(), leaves, side="right") - 1
    ends = np.cumsum(last - first)
    leaf = 0
    while leaf < len(leaves) or leaf == 0:
        begin = int(ends[leaf - 1]) if leaf else 0
        stop = max(int(np.searchsorted(ends, begin + _SLICES_AT_ONCE, side="right")), leaf + 1)
        if stop < len(leaves):  # a page is in one record
            whole = int(np.searchsorted(page, page[stop]))
            stop = whole if whole > leaf else int(np.searchsorted(page, page[leaf], side="right"))
        batch = slice(leaf, stop)
        listed = _native.page_names(names, of_track[batch], first[batch], last[batch], page[batch], budget)
        first_page = int(page[leaf]) if len(page) else 0
        yield PAGE_NAMES.key(shape.block, first_page), compress(encode_listed(*listed, shape.block))
        leaf = stop


def _leaves(tracks: list[int], shape: Shape) -> tuple[Ints, Ints, Ints, Ints]:
    """Leaves of tracks in the order of the shape: position, number of the track, first slice, first slice after it."""
    number_of = np.full(TRACKS_PER_BLOCK, -1)  # by slot
    number_of[[track % TRACKS_PER_BLOCK for track in tracks]] = np.arange(len(tracks))
    position = np.flatnonzero(shape.is_leaf & (number_of[shape.slot] >= 0))
    of_track = number_of[shape.slot[position]]
    # In the order of time, track by track. Leaves of different levels do not overlap: their starts order them.
    order = np.lexsort([shape.index[position] << (2 * shape.level[position] + 8), of_track])
    events = shape.events[position[order]]
    last = np.cumsum(events)
    first = last - events
    begins = np.flatnonzero(np.diff(of_track[order], prepend=-1))
    before = np.repeat(first[begins], np.diff(begins, append=len(order)))  # slices of tracks before
    bounds = np.empty((2, len(order)), np.int64)
    bounds[:, order] = first - before, last - before
    return position, of_track, bounds[0], bounds[1]
