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
    """What is known of the times of a file's events. The last one ends at `last_ns` and `last_ps` beyond it."""

    first_ns: int | None = None
    last_ns: int = 0
    last_ps: int = 0
    any_ps: bool = False  # whether some time is not a whole nanosecond

    def add(self, chunk: EventChunk) -> None:
        """Widens the span by a chunk that is not empty."""
        first = int(chunk.time_ns.min())
        last = self._last(chunk)
        if self.first_ns is not None:
            first = min(first, self.first_ns)
            last = max(last, (self.last_ns, self.last_ps))
        self.first_ns = first
        self.last_ns, self.last_ps = last
        for column in (chunk.time_ps, chunk.duration_ps):
            self.any_ps = self.any_ps or (column is not None and bool(column.any()))

    @staticmethod
    def _last(chunk: EventChunk) -> tuple[int, int]:
        if int(chunk.time_ns.max()) + int(chunk.duration_ns.max()) >= (1 << 63) - 2:
            # int64 would overflow. Such a run has no time axis; what matters is that it is seen to be too long.
            return int(chunk.time_ns.max()) + int(chunk.duration_ns.max()), 0
        end = chunk.time_ns + chunk.duration_ns
        if chunk.time_ps is None and chunk.duration_ps is None:
            return int(end.max()), 0
        beyond = np.zeros(len(end), np.int64)
        for column in (chunk.time_ps, chunk.duration_ps):
            if column is not None:
                beyond += column
        end += beyond // 1000
        last = int(end.max())
        return last, int((beyond % 1000)[end == last].max())


@dataclass(frozen=True, slots=True)
class Timeline:
    """Ticks are counted from `origin_ns`, the time of the first event."""

    origin_ns: int
    tick_ps: int  # 1 or 1000
    end: int  # tick at which the last event ends
    rounds: bool  # whether picoseconds are dropped because the run is too long for them

    @classmethod
    def of(cls, spans: Iterable[tuple[Span, int]]) -> Timeline:
        """The finest time axis for all files, each given as its span and what is to be added to its times.

        Raises TilescopeError when no time axis holds them.
        """
        firsts: list[int] = []
        lasts: list[tuple[int, int]] = []
        any_ps = False
        for span, base_ns in spans:
            if span.first_ns is not None:
                firsts.append(span.first_ns + base_ns)
                lasts.append((span.last_ns + base_ns, span.last_ps))
                any_ps = any_ps or span.any_ps
        if not firsts:
            return cls(0, 1000, 0, False)
        origin = min(firsts)
        last_ns, last_ps = max(lasts)
        length_ns = last_ns - origin
        if length_ns + 1 >= _TICKS_AT_MOST:
            raise TilescopeError("the events span more than 73 years: some of their times must be wrong")
        if any_ps and (length_ns + 1) * 1000 < _TICKS_AT_MOST:
            return cls(origin, 1, length_ns * 1000 + last_ps, False)
        return cls(origin, 1000, length_ns, any_ps)

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
