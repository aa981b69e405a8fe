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
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey
from tilescope.tiler.pages.container import MAX_ROWS
from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.events import LeafRun
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_NONE: Final = np.zeros(0, np.int64)


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
    """Parts of a track in windows, of so many pages each. Raises DamagedStore or NotBuilt."""
    plan = reader.plan(track, windows)
    starts = range(0, len(plan.leaf_runs), pages)
    groups = [plan.leaf_runs[first : first + pages] for first in starts]
    # What lies between the leaves of two pieces belongs to the first, in which it runs.
    borders = [0, *(_first_tick(reader, track, group[0]) for group in groups[1:]), TICK_LIMIT]
    for group, (start, stop) in zip(groups, pairwise(borders), strict=False):
        yield _piece(reader, track, windows, group, start, stop)


def _first_tick(reader: QueryReader, track: int, run: LeafRun) -> int:
    shape = reader.tiles(track // TRACKS_PER_BLOCK).shape
    first = run.tiles[0]
    return int(shape.index[first]) << (2 * int(shape.level[first]) + 8)


def _piece(
    reader: QueryReader, track: int, windows: Windows, runs: Sequence[LeafRun], start: int, stop: int
) -> TrackPiece:
    shape = reader.tiles(track // TRACKS_PER_BLOCK).shape
    tiles = np.concatenate([run.tiles for run in runs])
    lengths = [len(run.tiles) for run in runs]
    after = np.concatenate([run.after for run in runs])
    after[0] = 0  # what reaches in from the piece before is needed here, too
    return TrackPiece(
        track,
        windows,
        start,
        stop,
        [run.page for run in runs],
        np.repeat(np.arange(len(runs), dtype=np.int64), lengths),
        tiles - np.repeat(np.array([run.first_of_page for run in runs], np.int64), lengths),
        np.ascontiguousarray(shape.index[tiles], np.int64),
        np.ascontiguousarray(shape.slot[tiles], np.int64),
        np.ascontiguousarray(shape.index[tiles] << (2 * shape.level[tiles] + 8), np.int64),
        after,
    )
