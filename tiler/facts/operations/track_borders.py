"""The events of a track that start in windows, by their ordinals, and the events that borders of windows cut.

Of a track that is in order by start, a leaf for each end of a window says which events lie in it.
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
from tilescope.tiler.query import Interruptible, QueryReader
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

    def between(self, first: int, last: int) -> Opened:
        """Events with ordinals [first, last)."""
        rows = slice(*np.searchsorted(self.ordinal, [first, last]).tolist())
        return Opened(self.ordinal[rows], self.start[rows], self.end[rows])

    def times(self, ordinal: int) -> tuple[int, int]:
        """Start and end of one of them."""
        row = int(np.searchsorted(self.ordinal, ordinal))
        return int(self.start[row]), int(self.end[row])

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
        """Mask of the events [first, last) that start in a window."""
        are_in = np.zeros(last - first, np.bool_)
        for window in self.met(first, last):
            are_in[max(int(self.first[window]) - first, 0) : max(int(self.last[window]) - first, 0)] = True
        return are_in

    def cut_out(self, first: int, last: int) -> tuple[Mask, Opened]:
        """Mask of the events [first, last) that start in a window, and those of them that a border cuts."""
        return self.starts(first, last), self.opened.between(first, last)

    def hold(self, ordinals: Ints) -> Mask:
        """Mask of the events that start in a window."""
        window = np.searchsorted(self.last, ordinals, side="right")
        are_in: Mask = np.append(self.first, TICK_LIMIT)[window] <= ordinals
        return are_in

    def is_whole(self, first: int, last: int) -> bool:
        """True if all of the events [first, last) lie in one window, from their starts to their ends."""
        met = self.met(first, last)
        if len(met) != 1 or self.first[met[0]] > first or self.last[met[0]] < last:
            return False
        return not len(self.opened.between(first, last))


def track_borders(reader: QueryReader, track: int, starts: Ints, stops: Ints) -> Interruptible[TrackBorders]:
    """The windows [starts[k], stops[k]), which ascend and share no time, on a track. Raises DamagedStore, NotBuilt."""
    (borders,) = yield from borders_of_each(reader, track, [(starts, stops)])
    return borders


def borders_of_each(
    reader: QueryReader, track: int, windows: Sequence[tuple[Ints, Ints]]
) -> Interruptible[Sequence[TrackBorders]]:
    """The same of several questions, which may share time: `opened` are what any of them cuts."""
    leaves = _Leaves(reader, track)
    times = np.unique(np.concatenate([np.zeros(0, np.int64), *(column for pair in windows for column in pair)]))
    ranks = leaves.all_before(times)
    opened = [np.zeros((3, 0), np.int64)]
    leaf = leaves.leaf_before(times)
    within = np.flatnonzero(leaf >= 0)
    borders = np.flatnonzero(np.diff(leaf[within], prepend=-1))
    for number, cut in enumerate(np.split(within, borders)[1:]):
        ranks[cut], cut_events = leaves.cut(int(leaf[cut[0]]), times[cut])
        opened.append(cut_events)
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
        """Number of events that start before each time, where no leaf has some before it and others after it."""
        return self._before[np.searchsorted(self._start, times - 1, side="right")]

    def leaf_before(self, times: Ints) -> Ints:
        """The leaf that has the last tick before each time; -1: none has, so that no event goes on there."""
        leaf = np.searchsorted(self._start, times - 1, side="right") - 1
        return np.where((leaf >= 0) & (times <= np.append(self._stop, 0)[leaf]), leaf, -1)

    def cut(self, leaf: int, times: Ints) -> tuple[Ints, Ints]:
        """Number of events before each time in a leaf; and ordinal, start and end of the events that times cut."""
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
        are_cut = next_time < end
        before = self._before[leaf] + np.searchsorted(starting, times, side="left")
        return before, np.stack([ordinal[are_cut], start[are_cut], end[are_cut]])


@dataclass(frozen=True, slots=True)
class EventRanges:
    """The events [first[k], last[k]) start in window `window[k]`; windows may share events. `opened` are cut by any."""

    first: Ints
    last: Ints
    window: Ints
    opened: Opened

    @classmethod
    def from_borders(cls, borders: Sequence[TrackBorders]) -> EventRanges:
        """Events of each set of windows; there is at least one."""
        window = np.repeat(np.arange(len(borders)), [len(border.first) for border in borders])
        first, last = (
            np.concatenate(columns)
            for columns in zip(*((border.first, border.last) for border in borders), strict=True)
        )
        are_met = first < last
        return cls(first[are_met], last[are_met], window[are_met], borders[0].opened)

    def records(self, events: int) -> list[int]:
        """The records of so many events that have any of them, or one that is cut."""
        ranges = zip((self.first // events).tolist(), ((self.last - 1) // events).tolist(), strict=True)
        numbers = {number for first, last in set(ranges) for number in range(first, last + 1)}
        return sorted(numbers | set((self.opened.ordinal // events).tolist()))
