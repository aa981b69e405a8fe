"""Spans of slices of some kinds, from parts of leaves, page by page, by native code."""

from __future__ import annotations

from collections.abc import Sequence
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

    def windows(self, pages: Sequence[PageParts]) -> list[Windows]:
        """By kind: when any slice of it runs in parts of some pages of a track, before any were added.

        As `add` and `take`, in one call of native code. Raises DamagedStore.
        """
        if not pages or any(names is not None or page[:4] != PAGE_MAGIC for page, *_, names in pages):
            self._spans.take()
            for page in pages:
                self.add(*page)
            return self.take()
        tiles, first, stop = np.concatenate([parts for *_, parts, _ in pages], axis=1)
        shape = pages[0][1]
        counts = np.array([parts.shape[1] for *_, parts, _ in pages])
        first_of_page = np.repeat([first_of_page for _, _, first_of_page, *_ in pages], counts)
        columns = tiles - first_of_page, shape.index[tiles], shape.slot[tiles], first, stop
        try:
            spans = self._spans.windows([page for page, *_ in pages], MAX_ROWS, counts, *columns, TICK_LIMIT)
        except _native.DamagedContainer as error:
            _, shape, first, *_ = pages[self._spans.page]
            raise damaged_page(shape, first, error) from None
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
