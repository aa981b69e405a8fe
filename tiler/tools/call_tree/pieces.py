"""Pieces of the work on a call tree: pages of a track that follow one another, so that threads share a track."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import PageKey
from tilescope.tiler.pages.container import MAX_ROWS
from tilescope.tiler.query import QueryReader
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_NONE: Final = np.zeros(0, np.int64)

# Slices of a piece, more or less: a millisecond or two. Most pages are shared, and have only some hundred of a track.
_SLICES: Final = 32_768


@dataclass(frozen=True, slots=True)
class TrackPiece:
    """Leaves of a track on some pages, and the ticks [start, stop) that count of it. Columns have shape (n,)."""

    track: int
    windows: Windows
    start: int
    stop: int
    pages: Sequence[PageKey]
    page: Ints  # position in `pages`
    tile: Ints  # position on the page
    index: Ints
    slot: Ints
    first: Ints  # first tick
    after: Ints  # what reaches in is taken when it starts then or later

    def add_to(self, tree: _native.CallTree, reader: QueryReader, root: Sequence[int]) -> None:
        """Adds it to a tree, below a chain of names. Raises DamagedStore and TooManyNodes."""
        contents = [reader.page_content(key) for key in self.pages]
        try:
            self._add(tree, reader, root, contents, slice(None))
        except _native.DamagedContainer as error:
            for position, key in enumerate(self.pages):
                try:
                    self._add(_native.CallTree(), reader, root, contents, self.page == position)
                except _native.DamagedContainer as page_error:
                    raise DamagedStore(f"{key.text()}: {page_error}") from None
            raise DamagedStore(f"track {self.track}: {error}") from None

    def _add(
        self,
        tree: _native.CallTree,
        reader: QueryReader,
        root: Sequence[int],
        contents: list[bytes],
        leaves: slice | NDArray[np.bool_],
    ) -> None:
        left_out = None if reader.outliers is None else reader.outliers.ordinals(self.track)
        tree.add(
            contents,
            MAX_ROWS,
            self.page[leaves],
            self.tile[leaves],
            self.index[leaves],
            self.slot[leaves],
            self.first[leaves],
            self.after[leaves],
            self.track,
            tree.node(np.array(root, np.int64)),
            self.start,
            self.stop,
            self.windows.starts,
            self.windows.stops,
            _NONE if left_out is None else left_out,
        )


def pieces(reader: QueryReader, track: int, windows: Windows, pages: int) -> Iterator[TrackPiece]:
    """Parts of a track in windows, of so many pages each at most. Raises DamagedStore or NotBuilt."""
    plan = reader.plan(track, windows)
    if not len(plan.leaves):
        return
    page_starts = plan.tiles.page_starts_of(plan.leaves)
    shape = plan.tiles.shape
    borders = _borders(page_starts, shape.events[plan.leaves], pages)
    first_ticks = shape.index[plan.leaves] << (2 * shape.level[plan.leaves] + 8)
    # What lies between the leaves of two pieces belongs to the first, in which it runs.
    ticks = [0, *first_ticks[borders[1:-1]].tolist(), TICK_LIMIT]
    for (begin, end), (start, stop) in zip(pairwise(borders), pairwise(ticks), strict=True):
        leaves, first_of_page = plan.leaves[begin:end], page_starts[begin:end]
        after = plan.after[begin:end].copy()
        after[0] = 0  # what reaches in from the piece before is needed here, too
        firsts, page = np.unique(first_of_page, return_inverse=True)
        yield TrackPiece(
            track,
            windows,
            start,
            stop,
            [plan.tiles.page_key(first) for first in firsts.tolist()],
            page,
            leaves - first_of_page,
            np.ascontiguousarray(shape.index[leaves], np.int64),
            np.ascontiguousarray(shape.slot[leaves], np.int64),
            first_ticks[begin:end],
            after,
        )


def _borders(page_starts: Ints, events: Ints, pages: int) -> list[int]:
    """Positions of the first leaf of each piece, and the number of leaves. `page_starts`, `events`: of each leaf."""
    borders = [0]
    seen: set[int] = set()
    turns = np.flatnonzero(np.diff(page_starts, prepend=-1))
    before = np.cumsum(events)[turns] - events[turns]
    first_event = 0
    for turn, page, event in zip(turns.tolist(), page_starts[turns].tolist(), before.tolist(), strict=True):
        if (page not in seen and len(seen) == pages) or event - first_event >= _SLICES:
            borders.append(turn)
            seen.clear()
            first_event = event
        seen.add(page)
    return [*borders, len(page_starts)]
