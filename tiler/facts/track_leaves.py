"""The leaves of a track of a device, and what is read of their pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey
from tilescope.tiler.pages.leaf_parts import leaf_parts
from tilescope.tiler.pages.leaf_spans import LeafPages
from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.outliers import leaving_out
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

NO_SLICES: Final[Mapping[int, Ints]] = {}


@dataclass(frozen=True, slots=True)
class UnreadParts:
    """Parts of leaves, as `LeafPages` has them, whose pages have not been read."""

    pages: Sequence[PageKey]
    first: Ints
    counts: Ints
    parts: Ints

    def by_page(self) -> Iterator[UnreadParts]:
        """Each page by itself."""
        ends = np.cumsum(self.counts).tolist()
        for place, (end, count) in enumerate(zip(ends, self.counts.tolist(), strict=True)):
            of_page = slice(place, place + 1)
            yield UnreadParts(
                self.pages[of_page], self.first[of_page], self.counts[of_page], self.parts[:, end - count : end]
            )


class TrackLeaves:
    """The leaves of a track, by time."""

    def __init__(self, reader: QueryReader, work_track: WorkTrack, left_out: Mapping[int, Ints] = NO_SLICES) -> None:
        self.kinds = work_track.kinds
        self.whole_page = reader.page_content
        outliers = reader.outliers
        has_outliers = outliers is not None and outliers.ordinals(work_track.track) is not None
        self.rename = outliers.rename() if outliers and has_outliers else None
        if work_track.track in left_out:
            self.rename = leaving_out(left_out.get, self.rename)
        self.tiles_of_block = reader.tiles(work_track.track // TRACKS_PER_BLOCK)
        self.shape = self.tiles_of_block.shape
        leaves = self.tiles_of_block.leaves
        rows = leaves.rows(work_track.track % TRACKS_PER_BLOCK)
        self.tiles, self.start, self.stop = leaves.tile[rows], leaves.start[rows], leaves.stop[rows]
        self.events = self.shape.events[self.tiles]

    def meet(self, windows: Windows) -> Ints:
        """Tiles of the leaves that have a tick in a window."""
        return self.tiles[windows.meet(self.start, self.stop)]

    def parts(self, tiles: Ints, windows: Windows) -> UnreadParts:
        """Parts that some of these leaves have in common with windows."""
        parts = leaf_parts(self.shape, np.sort(tiles), windows)
        first, counts = np.unique(self.tiles_of_block.page_starts_of(parts[0]), return_counts=True)
        return UnreadParts(list(map(self.tiles_of_block.page_key, first.tolist())), first, counts, parts)

    def pages(self, parts: UnreadParts, content: Callable[[PageKey], bytes]) -> LeafPages:
        """Parts with the pages that they are on."""
        pages = LeafPages(self.shape, list(map(content, parts.pages)), parts.first, parts.counts, parts.parts)
        if self.rename is None:
            return pages
        wholes = map(self.whole_page, parts.pages)
        names = [
            self.rename(whole, shape, first, of_page[0])
            for whole, (_, shape, first, of_page, _) in zip(wholes, pages, strict=True)
        ]
        return replace(pages, names=names)
