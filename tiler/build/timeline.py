"""The run's time axis: from nanoseconds and picoseconds to ticks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk
from tilescope.tiler.errors import TilescopeError

Ints = NDArray[np.int64]
Picoseconds = NDArray[np.int16] | None

# Tile indices then stay below 2**53, which a double holds exactly.
_TICKS_AT_MOST = 1 << 61


@dataclass(slots=True)
class Span:
    """What is known of the times of a file's events. `last_ns` lies behind the last of them."""

    first_ns: int | None = None
    last_ns: int = 0
    any_ps: bool = False  # whether some time is not a whole nanosecond

    def add(self, chunk: EventChunk) -> None:
        """Widens the span by a chunk that is not empty."""
        first = int(chunk.time_ns.min())
        last = int(chunk.time_ns.max())
        longest = int(chunk.duration_ns.max())
        if last + longest < 1 << 63:
            last = int((chunk.time_ns + chunk.duration_ns).max())
        else:  # int64 would overflow: as Python integers
            last = int((chunk.time_ns.astype(object) + chunk.duration_ns).max())
        last += 2  # picoseconds of the start and of the duration, rounded up
        self.last_ns = last if self.first_ns is None else max(self.last_ns, last)
        self.first_ns = first if self.first_ns is None else min(self.first_ns, first)
        for column in (chunk.time_ps, chunk.duration_ps):
            self.any_ps = self.any_ps or (column is not None and bool(column.any()))


@dataclass(frozen=True, slots=True)
class Timeline:
    """Ticks are counted from `origin_ns`, the time of the first event."""

    origin_ns: int
    tick_ps: int  # 1 or 1000
    rounds: bool  # whether picoseconds are dropped because the run is too long for them

    @classmethod
    def of(cls, spans: Iterable[tuple[Span, int]]) -> Timeline:
        """The finest time axis for all files, each given as its span and what is to be added to its times.

        Raises TilescopeError when no time axis holds them.
        """
        first: int | None = None
        last = 0
        any_ps = False
        for span, base_ns in spans:
            if span.first_ns is None:
                continue
            last = span.last_ns + base_ns if first is None else max(last, span.last_ns + base_ns)
            first = span.first_ns + base_ns if first is None else min(first, span.first_ns + base_ns)
            any_ps = any_ps or span.any_ps
        if first is None:
            return cls(0, 1000, False)
        if last - first >= _TICKS_AT_MOST:
            raise TilescopeError("the events span more than 73 years: some of their times must be wrong")
        fine = any_ps and (last - first) * 1000 < _TICKS_AT_MOST
        return cls(first, 1 if fine else 1000, any_ps and not fine)

    def ticks(self, ns: Ints, ps: Picoseconds, base_ns: int) -> Ints:
        """Times as ticks, shape (n,). `base_ns` is to be added to them."""
        return self._scale(ns - (self.origin_ns - base_ns), ps)

    def durations(self, time_ps: Picoseconds, ns: Ints, ps: Picoseconds) -> Ints:
        """Durations as ticks, shape (n,).

        Where picoseconds are dropped, ends are rounded down as starts are: what did not overlap still does not.
        """
        if not self.rounds or (time_ps is None and ps is None):
            return self._scale(ns, ps)
        beyond = np.zeros(len(ns), np.int64)
        for column in (time_ps, ps):
            if column is not None:
                beyond += column
        return ns + beyond // 1000

    def _scale(self, ns: Ints, ps: Picoseconds) -> Ints:
        if self.tick_ps == 1000:
            return ns
        return ns * 1000 if ps is None else ns * 1000 + ps
