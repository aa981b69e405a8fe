"""Spans of slices of some kinds, from parts of leaves, page by page, by native code."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.pages.leaf_parts import read_parts
from tilescope.tiler.pages.shape import Shape
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

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
