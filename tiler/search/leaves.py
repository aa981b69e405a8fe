"""The leaves in which a search looks: those on pages where one of its names starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey
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

    def by_page(self) -> Iterator[Leaves]:
        """Those of each page, in the order of the shape."""
        borders = np.flatnonzero(np.diff(self.page)) + 1
        for first, last in pairwise([0, *borders.tolist(), len(self)]):
            if first < last:
                yield self.take(slice(first, last))

    def page_key(self, reader: QueryReader) -> PageKey:
        """The name of the page of all of them."""
        return reader.tiles(self.block).page_key(int(self.page[0]))

    @property
    def tracks(self) -> Ints:
        """Of each the track."""
        return self.slot + self.block * TRACKS_PER_BLOCK


def leaves(reader: QueryReader, selection: Selection, windows_of: WindowsOf, *, reaching: bool) -> Iterator[Leaves]:
    """The leaves that may hold selected events which start in the windows of their tracks, block by block.

    With `reaching` also those that start before a window and reach into it: each is then in exactly one of the leaves,
    as far as `after` allows. Raises DamagedStore.
    """
    told = reader.tree.tracks
    with_events = (track for track in selection.tracks if told[track]["events"] != "0")
    for block, of_block in groupby(with_events, lambda track: track // TRACKS_PER_BLOCK):
        alike: dict[int, tuple[Windows, list[int]]] = {}  # an id is taken while its object lives
        for track in of_block:
            windows = windows_of(track)
            if len(windows):
                alike.setdefault(id(windows), (windows, []))[1].append(track % TRACKS_PER_BLOCK)
        for windows, slots in alike.values():
            found = _of_block(reader, selection, block, windows, slots, reaching=reaching)
            if len(found):
                yield found


def _of_block(
    reader: QueryReader, selection: Selection, block: int, windows: Windows, slots: Sequence[int], *, reaching: bool
) -> Leaves:
    tiles = reader.tiles(block)
    shape = tiles.shape
    is_chosen = np.zeros(TRACKS_PER_BLOCK, np.bool_)
    is_chosen[list(slots)] = True
    has_names = selection.chosen.tiles(reader, block)
    tile = np.flatnonzero((shape.is_leaf if reaching else has_names) & is_chosen[shape.slot])
    shift = 2 * shape.level[tile] + 8
    first = shape.index[tile] << shift
    stop = (shape.index[tile] + 1) << shift
    looked_at = windows.meet(first, stop)
    tile, first, stop = tile[looked_at], first[looked_at], stop[looked_at]
    wanted = has_names[tile]
    after = np.full(len(tile), TICK_LIMIT)
    if reaching:
        after = _seen_until(shape.slot[tile], first, stop)
        wanted |= after < first
    columns = (tile, tiles.page_starts_of(tile), shape.index[tile], shape.slot[tile], first, stop, after)
    return Leaves(block, windows, *(column[wanted] for column in columns))


def _seen_until(slot: Ints, first: Ints, stop: Ints) -> Ints:
    """Before which tick an event starts that was seen before if it reaches into a leaf: the end of the leaf before."""
    order = np.lexsort((first, slot))
    is_next = np.diff(slot[order], prepend=-1) == 0
    after = np.zeros(len(first), np.int64)
    after[order] = np.where(is_next, np.append(0, stop[order])[:-1], 0)
    return after
