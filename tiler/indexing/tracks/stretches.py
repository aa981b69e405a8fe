"""Stretches of time with events and the pauses between them: which of them are one run, and which lie apart from it."""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# What lies apart is separated by so many times the extent of all else.
FAR: Final = 20

_SECOND_PS: Final = 10**12
_SHORTEST_PAUSE_PS: Final = 60 * _SECOND_PS  # programs wait for less than that without being odd
_NO_PAUSE_PS: Final = 30 * 86_400 * _SECOND_PS  # nobody traces with such a pause: clocks differ

# No more events than these may lie apart: one of a hundred, or where clocks differ one of ten. A night's pause has two
# halves of many events.
_ONE_IN: Final = 100
_ONE_IN_WRONG: Final = 10
_A_FEW_WRONG: Final = 3


def shortest_pause(tick_ps: int) -> int:
    """The shortest pause after which what follows may lie apart, in ticks."""
    return _SHORTEST_PAUSE_PS // tick_ps


class Stretches(Struct, frozen=True):
    """Stretches in which events follow one another without a long pause: columns of shape (n,), by start, in ticks."""

    start: Ints
    end: Ints  # of the last event that ends
    events: Ints

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def joined(cls, start: Ints, end: Ints, events: Ints, pause: int) -> Stretches:
        """Union of stretches in any order which may overlap, such as those of several tracks."""
        order = np.argsort(start, kind="stable")
        start, end, events = start[order], np.maximum.accumulate(end[order]), events[order]
        first = begins(start, end, pause)
        last = np.append(first[1:], len(start)) - 1
        return cls(start[first], end[last], np.add.reduceat(events, first) if len(first) else events)

    def main(self, tick_ps: int) -> tuple[int, int]:
        """The first and the last of the stretches that make up the run, without those that lie apart. There is one.

        It begins with the stretch of the middle event and takes in what is nearest unless that is far away and little.
        """
        total = int(self.events.sum())
        lo = hi = int(np.searchsorted(np.cumsum(self.events), (total + 1) // 2))
        before, after = int(self.events[:lo].sum()), int(self.events[hi + 1 :].sum())
        start, end, events = self.start.tolist(), self.end.tolist(), self.events.tolist()
        while True:
            extent = end[hi] - start[lo]
            sides = []
            if lo > 0 and not _is_apart(start[lo] - end[lo - 1], before, extent, total, tick_ps):
                sides.append((start[lo] - end[lo - 1], -1))
            if hi + 1 < len(self) and not _is_apart(start[hi + 1] - end[hi], after, extent, total, tick_ps):
                sides.append((start[hi + 1] - end[hi], 1))
            if not sides:
                return lo, hi
            if min(sides)[1] < 0:
                lo -= 1
                before -= events[lo]
            else:
                hi += 1
                after -= events[hi]


def begins(start: Ints, reach: Ints, pause: int) -> Ints:
    """The positions at which a stretch begins; `reach`: of each position the last end up to there."""
    return np.flatnonzero(np.append(len(start) > 0, start[1:] - reach[:-1] >= pause)[: len(start)])


def _is_apart(gap: int, events: int, extent: int, total: int, tick_ps: int) -> bool:
    """True if so many events that lie behind a gap are apart from a run of that extent."""
    few = max(1, total // _ONE_IN)
    if gap * tick_ps >= _NO_PAUSE_PS:
        few = max(_A_FEW_WRONG, total // _ONE_IN_WRONG)
    return gap > FAR * extent and events <= few and 2 * events < total
