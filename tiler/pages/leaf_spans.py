"""Spans of slices of some kinds, from parts of leaves, page by page, by native code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.pages.container import MAX_ROWS, PAGE_MAGIC
from tilescope.tiler.pages.leaf_parts import damaged_page, read_parts
from tilescope.tiler.pages.shape import Shape
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# What `LeafSpans.add` takes.
PageParts = tuple[bytes, Shape, int, Ints, NDArray[np.int32] | None]


@dataclass(frozen=True, slots=True)
class LeafPages:
    """Parts of leaves of a track, page by page: arrays, as a track of a long run has parts on thousands of pages.

    `contents`: of each page, uncompressed. `first`: position of its first tile, shape (pages,). `parts`: as
    `leaf_parts`, of which `counts` are on each page. `names`: of all slices of each page, instead of their own.
    """

    shape: Shape
    contents: Sequence[bytes]
    first: Ints
    counts: Ints
    parts: Ints
    names: Sequence[NDArray[np.int32]] | None = None

    def __iter__(self) -> Iterator[PageParts]:
        """Each page by itself."""
        ends = np.cumsum(self.counts).tolist()
        for place, (first, end, count) in enumerate(zip(self.first.tolist(), ends, self.counts.tolist(), strict=True)):
            names = None if self.names is None else self.names[place]
            yield self.contents[place], self.shape, first, self.parts[:, end - count : end], names


KINDS: Final = 16  # there are; 0 is what does not matter

_NOTHING: Final = Windows.from_spans([], [])


class LeafSpans:
    """Spans of one track or several."""

    def __init__(self, kinds: NDArray[np.uint8]) -> None:
        """`kinds`: of each name, the one without a name first, its kind."""
        self._spans = _native.LeafSpans(kinds)

    def add(
        self,
        page: bytes,
        shape: Shape,
        first_of_page: int,
        parts: Ints,
        names: NDArray[np.int32] | None = None,
    ) -> None:
        """Adds parts of leaves of a page, as `read_parts` takes them. Raises DamagedStore.

        `names`: of all slices of the page, instead of their own, LEFT_OUT for those that do not count.
        """
        read_parts(partial(self._spans.add, names=names), page, shape, first_of_page, parts)

    def windows(self, pages: LeafPages) -> list[Windows]:
        """By kind: when any slice of it runs in parts of some pages of a track, before any were added.

        As `add` and `take`, in one call of native code. Raises DamagedStore.
        """
        if pages.names is not None or any(page[:4] != PAGE_MAGIC for page in pages.contents):
            self._spans.take()
            for page in pages:
                self.add(*page)
            return self.take()
        shape, (tiles, first, stop) = pages.shape, pages.parts
        columns = tiles - np.repeat(pages.first, pages.counts), shape.index[tiles], shape.slot[tiles], first, stop
        try:
            spans = self._spans.windows(pages.contents, MAX_ROWS, pages.counts, *columns, TICK_LIMIT)
        except _native.DamagedContainer as error:
            raise damaged_page(shape, int(pages.first[self._spans.page]), error) from None
        return [Windows(start, stop) for start, stop in spans]

    def take_ticks(self) -> int:
        """In how many ticks any slice runs that matters, of what was added since the last call.

        Of one kind, as a rule, no span shares a tick with another: parts of leaves do not, and native code joins what
        does within one. So nothing has to be sorted.
        """
        taken = self._spans.take()
        kinds = [(start, stop) for start, stop in taken if len(start)]
        if len(kinds) == 1:
            start, stop = kinds[0]
            return int((stop - start).sum())
        return _NOTHING.joined(*(Windows.from_spans(start, stop) for start, stop in kinds)).ticks

    def take(self) -> list[Windows]:
        """By kind: when any slice of it runs, of what was added since the last call."""
        return [Windows.from_spans(start, stop) if len(start) else _NOTHING for start, stop in self._spans.take()]
