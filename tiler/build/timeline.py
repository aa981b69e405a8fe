"""The run's time axis: from nanoseconds and picoseconds to ticks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import Span
from tilescope.tiler.errors import TilescopeError
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]
Picoseconds = NDArray[np.int16] | None


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
        if length_ns + 1 >= TICK_LIMIT:
            raise TilescopeError("the events span more than 73 years: some of their times must be wrong")
        if any_ps and (length_ns + 1) * 1000 < TICK_LIMIT:
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
