"""The events of some windows, from the leaves that hold them, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Page, PageKey, SliceFlag
from tilescope.tiler.pages.leaf_parts import LeafStarts, leaf_starts
from tilescope.tiler.resolver import TickRange, TileIndex
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Beyond every event.
EVERYTHING = Windows.single(0, TICK_LIMIT)

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Events:
    """Events of one track in the order of their ordinals. Columns have shape (n,); times in ticks since the origin."""

    track: int
    ordinal: Ints
    start: Ints
    duration: Ints
    row: Ints  # nesting depth, 0 is the top
    name: Ints  # name id, -1 none; of counter samples always
    flags: Ints  # SliceFlag, without REACHES_IN
    value: NDArray[np.float64]  # of counter samples, else NaN

    def __len__(self) -> int:
        return len(self.ordinal)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Events:
        """Some of them."""
        return Events(self.track, *(getattr(self, column)[which] for column in self.__slots__[1:]))


@dataclass(frozen=True, slots=True)
class LeafRun:
    """Leaves of a track that follow one another in time and lie on one page."""

    page: PageKey
    first_of_page: int  # position in the shape of the first tile of the page
    tiles: Ints  # positions in the shape, in time order
    after: Ints  # of each: where the leaf of the plan before it ends, 0 for the first


class EventPlan:
    """The leaves with the events of a track that overlap a window, and the part to take of each: every event once.

    An event overlaps a window when it starts in it, or starts before and ends after the window's first tick. Raises
    nothing for tracks without events: then there are no leaves.
    """

    def __init__(self, tiles: TileIndex, track: int, windows: Windows, root_level: int) -> None:
        self.track = track
        self.windows = windows
        self.tiles = tiles
        # Positions of leaves in the shape, in time order, and of each where the one before it ends, 0 for the first.
        self.leaves, self.after = _leaves(tiles, track, windows, root_level) if len(windows) else (_NONE, _NONE)

    @cached_property
    def leaf_runs(self) -> list[LeafRun]:
        """All of the leaves."""
        page_starts = self.tiles.page_starts_of(self.leaves)
        borders = [0, *(np.flatnonzero(np.diff(page_starts)) + 1).tolist(), len(self.leaves)]
        return (
            [
                LeafRun(self.tiles.page_key(first), first, self.leaves[begin:end], self.after[begin:end])
                for (begin, end), first in zip(pairwise(borders), page_starts[borders[:-1]].tolist(), strict=True)
            ]
            if len(self.leaves)
            else []
        )

    def events(self, run: LeafRun, page: Page) -> Events:
        """The events in the leaves of a run, from their page. Raises DamagedStore when the page is another."""
        indices_in_page = self._indices_in_page(run, page)
        slices = self._slices(run, page, indices_in_page) if page.slice_ends[-1] else None
        return slices if slices is not None and len(slices) else self._samples(page, indices_in_page)

    def samples(self, run: LeafRun, page: Page) -> Events:
        """The same of a counter, which has no slices."""
        return self._samples(page, self._indices_in_page(run, page))

    def _indices_in_page(self, run: LeafRun, page: Page) -> Ints:
        indices_in_page = run.tiles - run.first_of_page
        shape = self.tiles.shape
        if indices_in_page.max() >= len(page) or not (
            np.array_equal(page.index[indices_in_page], shape.index[run.tiles])
            and np.array_equal(page.slot[indices_in_page], shape.slot[run.tiles])
        ):
            raise DamagedStore(f"page {tuple(run.page)}: a tile is not on it")
        return indices_in_page

    def starts(self, run: LeafRun, content: bytes) -> LeafStarts:
        """The slices that start in the leaves of a run, in any window or none. `content`: of their page, uncompressed.

        Raises DamagedStore as `events`.
        """
        return leaf_starts(content, self.tiles.shape, run.first_of_page, run.tiles)

    def places(self, run: LeafRun) -> list[tuple[int, int]]:
        """Level and index of the leaves of a run."""
        shape = self.tiles.shape
        return list(zip(shape.level[run.tiles].tolist(), shape.index[run.tiles].tolist(), strict=True))

    def _slices(self, run: LeafRun, page: Page, indices_in_page: Ints) -> Events:
        which, tile = _rows(page.slice_ends, indices_in_page)
        s = page.slices
        start, duration, flags = s.start[which], s.duration[which], s.flags[which]
        # What reaches in from the left was taken with the leaf before if it reaches through that, too.
        taken_before = ((flags & SliceFlag.REACHES_IN) != 0) & (start < run.after[tile])
        seen = ~taken_before & self.windows.meet(start, start + duration)
        which = which[seen]
        return Events(
            self.track,
            s.ordinal[which],
            start[seen],
            duration[seen],
            s.row[which],
            s.name[which],
            flags[seen] & ~SliceFlag.REACHES_IN,
            np.full(len(which), np.nan),
        )

    def _samples(self, page: Page, indices_in_page: Ints) -> Events:
        rows = _sample_rows(page.sample_ends, indices_in_page)
        samples = page.samples
        ordinal, time, value = samples.ordinal[rows], samples.time[rows], samples.value[rows]
        seen = self.windows.hold(time)
        if not seen.all():
            ordinal, time, value = ordinal[seen], time[seen], value[seen]
        zero = np.zeros(len(time), np.int64)
        return Events(self.track, ordinal, time, zero, zero, zero - 1, zero, value)


def no_events(track: int) -> Events:
    """Columns without rows."""
    none = np.zeros(0, np.int64)
    return Events(track, none, none, none, none, none, none, np.zeros(0))


def join(parts: Sequence[Events]) -> Events:
    """Events of one track, one part after the other; at least one part."""
    columns = Events.__slots__[1:]
    return Events(parts[0].track, *(np.concatenate([getattr(part, column) for part in parts]) for column in columns))


def _leaves(tiles: TileIndex, track: int, windows: Windows, root_level: int) -> tuple[Ints, Ints]:
    slot = np.array([track % TRACKS_PER_BLOCK], np.int64)
    span = TickRange(windows.start, windows.stop)
    _, leaves = tiles.tiles_for(slot, np.zeros(1, np.bool_), span, 0, root_level)
    shape = tiles.shape
    shift = 2 * shape.level[leaves] + 8
    start, stop = shape.index[leaves] << shift, (shape.index[leaves] + 1) << shift
    order = np.argsort(start, kind="stable")
    order = order[windows.meet(start[order], stop[order])]
    return leaves[order], np.append(0, stop[order])[:-1]


def _sample_rows(ends: Ints, tiles: Ints) -> Ints | slice:
    """Positions of the rows of some tiles of a page; a slice, which copies nothing, of tiles that follow each other."""
    if bool((np.diff(tiles) == 1).all()):
        return slice(int(ends[tiles[0]]), int(ends[tiles[-1] + 1]))
    return _rows(ends, tiles)[0]


def _rows(ends: Ints, tiles: Ints) -> tuple[Ints, Ints]:
    """Positions of the rows of some tiles of a page, and of each which of these tiles it is of."""
    counts = ends[tiles + 1] - ends[tiles]
    tile = np.repeat(np.arange(len(tiles), dtype=np.int64), counts)
    within = np.arange(len(tile), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
    return ends[tiles][tile] + within, tile
