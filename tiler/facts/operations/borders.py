"""Where times cut a track: how many of its events start before each, and which go on then.

Of a track that is in order by start this says which events lie in any windows, from one leaf for each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.pages.page import decode_slice_times
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Leaves between which whoever asks may stop: some milliseconds.
_LEAVES_AT_ONCE: Final = 32

_KEPT_PAGES: Final = 16


@dataclass(frozen=True, slots=True)
class Opened:
    """Events that a border cuts, by ordinal: columns of shape (n,)."""

    ordinal: Ints
    start: Ints
    end: Ints

    @property
    def columns(self) -> tuple[Ints, Ints, Ints]:
        """Ordinals, starts and ends."""
        return self.ordinal, self.start, self.end

    def between(self, first: int, last: int) -> Opened:
        """Those with ordinals [first, last)."""
        some = slice(*np.searchsorted(self.ordinal, [first, last]).tolist())
        return Opened(self.ordinal[some], self.start[some], self.end[some])

    def times(self, ordinal: int) -> tuple[int, int]:
        """Start and end of one of them."""
        at = int(np.searchsorted(self.ordinal, ordinal))
        return int(self.start[at]), int(self.end[at])

    def __len__(self) -> int:
        return len(self.ordinal)


@dataclass(frozen=True, slots=True)
class TrackBorders:
    """Windows by the ordinals of the events that start in them: [first, last) of each; `opened` are cut by any."""

    first: Ints
    last: Ints
    opened: Opened

    def met(self, first: int, last: int) -> range:
        """The windows in which any of the events [first, last) starts."""
        return range(
            int(np.searchsorted(self.last, first, side="right")), int(np.searchsorted(self.first, last, side="left"))
        )

    def starts(self, first: int, last: int) -> Mask:
        """Which of the events [first, last) start in a window."""
        found = np.zeros(last - first, np.bool_)
        for at in self.met(first, last):
            found[max(int(self.first[at]) - first, 0) : max(int(self.last[at]) - first, 0)] = True
        return found

    def hold(self, ordinals: Ints) -> Mask:
        """Which of some events start in a window."""
        at = np.searchsorted(self.last, ordinals, side="right")
        found: Mask = np.append(self.first, TICK_LIMIT)[at] <= ordinals
        return found

    def is_whole(self, first: int, last: int) -> bool:
        """Whether all of the events [first, last) lie in one window, from their starts to their ends."""
        met = self.met(first, last)
        if len(met) != 1 or self.first[met[0]] > first or self.last[met[0]] < last:
            return False
        return not len(self.opened.between(first, last))


def track_borders(reader: QueryReader, track: int, starts: Ints, stops: Ints) -> Steps[TrackBorders]:
    """The windows [starts[k], stops[k]), which ascend and share no time, on a track. Raises DamagedStore, NotBuilt."""
    (found,) = yield from borders_of_each(reader, track, [(starts, stops)])
    return found


def borders_of_each(
    reader: QueryReader, track: int, windows: Sequence[tuple[Ints, Ints]]
) -> Steps[Sequence[TrackBorders]]:
    """The same of several questions, which may share time: `opened` are what any of them cuts."""
    leaves = _Leaves(reader, track)
    times = np.unique(np.concatenate([np.zeros(0, np.int64), *(column for of in windows for column in of)]))
    ranks = leaves.all_before(times)
    opened = [np.zeros((3, 0), np.int64)]
    leaf = leaves.of(times)
    within = np.flatnonzero(leaf >= 0)
    borders = np.flatnonzero(np.diff(leaf[within], prepend=-1))
    for number, cut in enumerate(np.split(within, borders)[1:]):
        ranks[cut], found = leaves.cut(int(leaf[cut[0]]), times[cut])
        opened.append(found)
        if number % _LEAVES_AT_ONCE == _LEAVES_AT_ONCE - 1:
            yield
    every = np.concatenate(opened, axis=1)
    # What several times cut is in the leaves of all of them.
    every = every[:, np.unique(every[0], return_index=True)[1]]
    cuts = Opened(*every)
    return [
        TrackBorders(ranks[np.searchsorted(times, starts)], ranks[np.searchsorted(times, stops)], cuts)
        for starts, stops in windows
    ]


class _Leaves:
    """The leaves of a track, by time."""

    def __init__(self, reader: QueryReader, track: int) -> None:
        self._of_block = reader.tiles(track // TRACKS_PER_BLOCK)
        self._page = lru_cache(_KEPT_PAGES)(lambda key: decode_slice_times(reader.page_content(key)))
        shape = self._of_block.shape
        self._tiles = shape.leaves(track % TRACKS_PER_BLOCK)
        shift = 2 * shape.level[self._tiles] + 8
        self._start = shape.index[self._tiles] << shift
        self._stop = (shape.index[self._tiles] + 1) << shift
        self._before = np.concatenate([np.zeros(1, np.int64), np.cumsum(shape.events[self._tiles])])

    def all_before(self, times: Ints) -> Ints:
        """Of each time how many events start before it, where no leaf has both some before it and others after it."""
        return self._before[np.searchsorted(self._start, times - 1, side="right")]

    def of(self, times: Ints) -> Ints:
        """The leaf that has the last tick before each time; -1: none has, so that no event goes on there."""
        at = np.searchsorted(self._start, times - 1, side="right") - 1
        return np.where((at >= 0) & (times <= np.append(self._stop, 0)[at]), at, -1)

    def cut(self, leaf: int, times: Ints) -> tuple[Ints, Ints]:
        """Of times in a leaf how many events start before each; and ordinal, start and end of those that they cut."""
        tile = self._tiles[leaf : leaf + 1]
        first = int(self._of_block.page_starts_of(tile)[0])
        key, place = self._of_block.page_key(first), int(tile[0]) - first
        page = self._page(key)
        if place + 1 >= len(page.ends):
            raise DamagedStore(f"page {tuple(key)}: a tile is not on it")
        rows = slice(int(page.ends[place]), int(page.ends[place + 1]))
        start, ordinal = page.start[rows], page.ordinal[rows]
        end = start + page.duration[rows]
        starting = np.sort(start[start >= self._start[leaf]])
        if len(starting) != self._before[leaf + 1] - self._before[leaf]:
            raise DamagedStore(f"page {tuple(key)}: a tile has other events than its block says")
        next_time = np.append(times, TICK_LIMIT)[np.searchsorted(times, start, side="right")]
        some = next_time < end
        before = self._before[leaf] + np.searchsorted(starting, times, side="left")
        return before, np.stack([ordinal[some], start[some], end[some]])
