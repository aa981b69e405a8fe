"""The leaves in which a search looks: those on pages where one of its names starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import QueryReader
from tilescope.tiler.search.selection import Selection
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Leaves:
    """Leaves of tracks of one block that have the same windows; columns of shape (n,)."""

    block: int
    windows: Windows
    tile: Ints  # position in the shape, ascending
    page: Ints  # position in the shape of the first tile of its page
    index: Ints
    slot: Ints
    first: Ints  # first tick
    stop: Ints  # first tick after it
    after: Ints  # what reaches in is taken when it starts then or later

    def __len__(self) -> int:
        return len(self.tile)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Leaves:
        """Some of them."""
        columns = (getattr(self, column)[which] for column in self.__slots__[2:])
        return Leaves(self.block, self.windows, *columns)

    def pages(self) -> tuple[Ints, Ints]:
        """The first tiles of their pages, in the order of the shape; and of each leaf the number of its page there."""
        is_first = self._begins_page()
        return self.page[is_first], np.cumsum(is_first) - 1

    @property
    def n_pages(self) -> int:
        """On how many pages they are."""
        return int(np.count_nonzero(self._begins_page()))

    def bundles(self, pages: int) -> list[Leaves]:
        """Leaves of so many pages at a time, in the order of the shape."""
        starts = np.flatnonzero(self._begins_page())[::pages].tolist()
        return [self.take(slice(first, last)) for first, last in pairwise([*starts, len(self)])]

    def _begins_page(self) -> NDArray[np.bool_]:
        """True for each leaf that is the first of a page."""
        mask = np.ones(len(self), np.bool_)
        np.not_equal(self.page[1:], self.page[:-1], out=mask[1:])
        return mask

    @property
    def tracks(self) -> Ints:
        """Track of each leaf."""
        return self.slot + self.block * TRACKS_PER_BLOCK


@dataclass(frozen=True, slots=True)
class LeafPart:
    """A part [start, stop) of the ticks of a search, whose parts hold each leaf once.

    What counts of a leaf is what reaches from the first window of its track to the last: it is in the part where that
    begins or, when searching `backward`, ends.
    """

    start: int
    stop: int
    backward: bool = False


def leaves(
    reader: QueryReader, selection: Selection, windows_of: WindowsOf, *, reaching: bool, part: LeafPart | None = None
) -> Iterator[Leaves]:
    """The leaves that may hold selected events which start in the windows of their tracks, block by block.

    With `reaching` also those that start before a window and reach into it: each is then in exactly one of the leaves,
    as far as `after` allows. Without, a part of them can be asked for. Raises DamagedStore.
    """
    tree_tracks = reader.tree.tracks
    with_events = (track for track in selection.tracks if tree_tracks[track].events != 0)
    for block, of_block in groupby(with_events, lambda track: track // TRACKS_PER_BLOCK):
        alike: dict[int, tuple[Windows, list[int]]] = {}  # an id is taken while its object lives
        for track in of_block:
            windows = windows_of(track)
            if len(windows):
                alike.setdefault(id(windows), (windows, []))[1].append(track % TRACKS_PER_BLOCK)
        for windows, slots in alike.values():
            block_leaves = _of_block(reader, selection, block, windows, slots, reaching=reaching, part=part)
            if len(block_leaves):
                yield block_leaves


def _of_block(
    reader: QueryReader,
    selection: Selection,
    block: int,
    windows: Windows,
    slots: Sequence[int],
    *,
    reaching: bool,
    part: LeafPart | None,
) -> Leaves:
    tiles = reader.tiles(block)
    shape = tiles.shape
    is_chosen = np.zeros(TRACKS_PER_BLOCK, np.bool_)
    is_chosen[list(slots)] = True
    has_names = selection.chosen.tiles(reader, block)
    start, stop = windows.start, windows.stop
    if part is not None:
        start, stop = max(start, part.start), min(stop, part.stop)
    tile = tiles.leaves_between(start, stop) if start < stop else np.zeros(0, np.int64)
    slot = shape.slot[tile]
    tile = tile[is_chosen[slot] if reaching else is_chosen[slot] & has_names[tile]]
    shift = 2 * shape.level[tile] + 8
    first = shape.index[tile] << shift
    after_last = (shape.index[tile] + 1) << shift
    looked_at = windows.meet(first, after_last)
    if part is not None and part.backward:
        looked_at &= np.minimum(after_last, windows.stop) <= part.stop
    elif part is not None:
        looked_at &= np.maximum(first, windows.start) >= part.start
    tile, first, after_last = tile[looked_at], first[looked_at], after_last[looked_at]
    wanted = has_names[tile]
    after = np.full(len(tile), TICK_LIMIT)
    if reaching:
        after = _seen_until(shape.slot[tile], first, after_last)
        wanted |= after < first
    columns = (tile, tiles.page_starts_of(tile), shape.index[tile], shape.slot[tile], first, after_last, after)
    return Leaves(block, windows, *(column[wanted] for column in columns))


def _seen_until(slot: Ints, first: Ints, stop: Ints) -> Ints:
    """Before which tick an event starts that was seen before if it reaches into a leaf: the end of the leaf before."""
    order = np.lexsort((first, slot))
    is_next = np.diff(slot[order], prepend=-1) == 0
    after = np.zeros(len(first), np.int64)
    after[order] = np.where(is_next, np.append(0, stop[order])[:-1], 0)
    return after
