"""What windows have of events that they cut: what an operation does belongs to where it runs, in its share.

An operation that does `v` has until tick t of its event of `length` ticks done `v * t // length`: so parts of windows
that touch add up, and are integers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tilescope.tiler.facts.operations.instruction_columns import Exact, Ints, Mask, exact, products
from tilescope.tiler.windows import Windows

Row = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class CutParts:
    """The ticks [first, last) of events of `length` ticks, and the kind of each: columns of shape (n,)."""

    kind: Ints
    first: Ints
    last: Ints
    length: Ints

    @classmethod
    def of(cls, rows: Iterable[Row]) -> CutParts:
        """Those with these columns."""
        return cls(*np.array(list(rows), np.int64).reshape(-1, 4).T)

    def __len__(self) -> int:
        return len(self.kind)

    def placed(self, places: Ints) -> CutParts:
        """The same by the place of each kind."""
        return CutParts(places[self.kind], self.first, self.last, self.length)

    def take(self, which: Ints | Mask) -> CutParts:
        """Some of them."""
        return CutParts(self.kind[which], self.first[which], self.last[which], self.length[which])

    def joined(self, other: CutParts) -> CutParts:
        """These and others."""
        pairs = zip(
            (self.kind, self.first, self.last, self.length),
            (other.kind, other.first, other.last, other.length),
            strict=True,
        )
        return CutParts(*(np.concatenate(pair) for pair in pairs))

    def parts(self, done: Exact) -> list[int]:
        """What each part does, of what an operation of each kind does as a whole."""
        return self._parts(done[self.kind].tolist())

    def parts_of(self, done: int) -> list[int]:
        """The same where an operation of any kind does so much."""
        return self._parts([done] * len(self))

    def _parts(self, done: Iterable[int]) -> list[int]:
        columns = (self.first.tolist(), self.last.tolist(), self.length.tolist())
        return [
            value * last // length - value * first // length
            for value, first, last, length in zip(done, *columns, strict=True)
        ]

    def added(self, done: Exact, uncut: Exact) -> Exact:
        """Of each kind what all its operations do, of what one does: so many that are not cut, and the parts."""
        found = products(done, uncut)
        parts = self.parts(done) if len(self) else []
        if not any(parts):
            return found
        sums = found.astype(object)
        np.add.at(sums, self.kind, np.array(parts, object))
        return exact(sums.tolist())


NO_PARTS = CutParts.of([])


def cut_rows(windows: Windows, kind: int, start: int, end: int) -> list[Row]:
    """What windows have of an event [start, end)."""
    within = windows.clipped(start, end)
    pieces = zip(within.starts.tolist(), within.stops.tolist(), strict=True)
    return [(kind, first - start, last - start, end - start) for first, last in pieces]
