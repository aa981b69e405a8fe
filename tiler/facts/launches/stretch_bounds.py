"""First and last work on tracks in stretches of time: leaves are read from the borders on, as far as is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.facts.track_leaves import TrackLeaves, UnreadParts
from tilescope.tiler.pages.start_bounds import Bounds, StartBounds
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]

# Leaves that are read first at each end of a stretch; twice as many each time that they are not enough.
_FIRST_LEAVES: Final = 1

# A page counts as so many records: a second thread is worth its start from two pages on.
_PAGE_RECORDS: Final = 4


def start_bounds(reader: QueryReader, tracks: Sequence[WorkTrack], borders: Ints) -> Interruptible[list[Bounds]]:
    """Bounds of the work of each track that starts in stretches; `borders`, shape (n + 1,), ascend.

    Raises DamagedStore, NotBuilt.
    """
    searches = [_Search(TrackLeaves(reader, track), borders) for track in tracks]

    def read(of_page: tuple[int, UnreadParts], into: Sequence[StartBounds]) -> None:
        place, parts = of_page
        into[place].add(searches[place].leaves.pages(parts, reader.slice_content))

    own, aside = ([StartBounds(track.kinds, borders) for track in tracks] for _ in range(2))
    count = _FIRST_LEAVES
    while True:
        unread = [(place, parts) for place, search in enumerate(searches) for parts in search.next_pages(count)]
        if not unread:
            return [search.bounds for search in searches]
        yield from for_each(unread, read, own, aside, records=_PAGE_RECORDS)
        for search, mine, others in zip(searches, own, aside, strict=True):
            search.bounds = mine.bounds().joined(others.bounds())
        count *= 2
        yield


class _Search:
    """Leaves of a track that are still to be read. Each has all slices that reach into it."""

    def __init__(self, leaves: TrackLeaves, borders: Ints) -> None:
        none = np.full(len(borders) - 1, -1)
        self.leaves, self.bounds = leaves, Bounds(none, none, none)
        # Of each stretch the first leaf that it shares a tick with and that was not read, and the one behind the last.
        self._head = np.searchsorted(leaves.stop, borders[:-1], side="right")
        ends = np.searchsorted(leaves.start, borders[1:], side="left")
        self._tail = np.where(borders[1:] > borders[:-1], np.maximum(ends, self._head), self._head)
        self._is_read = np.zeros(len(leaves.tiles), np.bool_)

    def next_pages(self, count: int) -> Iterator[UnreadParts]:
        """So many leaves more from each border that is not settled, page by page; none where all are."""
        leaves, is_left = self.leaves, self._head < self._tail
        # All before the end of the leaves at the head was read, and all from the start of those at the tail on.
        is_first = (self.bounds.first >= 0) & (self.bounds.first < np.append(0, leaves.stop)[self._head])
        is_last = self.bounds.last >= np.append(leaves.start, TICK_LIMIT)[self._tail]
        head = np.where(is_left & ~is_first, np.minimum(self._head + count, self._tail), self._head)
        tail = np.where(is_left & ~is_last, np.maximum(self._tail - count, head), self._tail)
        is_wanted = _within(self._head, head, len(leaves.tiles)) | _within(tail, self._tail, len(leaves.tiles))
        is_wanted &= ~self._is_read
        self._head, self._tail = head, tail
        self._is_read |= is_wanted
        yield from leaves.parts(leaves.tiles[is_wanted], EVERYTHING).by_page()


def _within(first: Ints, stop: Ints, count: int) -> NDArray[np.bool_]:
    """True of the numbers below a count that are in any of some ranges."""
    steps = np.bincount(first, minlength=count + 1) - np.bincount(stop, minlength=count + 1)
    return np.cumsum(steps)[:count] > 0
