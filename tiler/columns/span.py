"""From when to when the events of a file or a track last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilescope.tiler.columns.chunk import EventChunk


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

    def join(self, other: Span) -> None:
        """Widens the span by another."""
        if other.first_ns is None:
            return
        if self.first_ns is None or other.first_ns < self.first_ns:
            last = (other.last_ns, other.last_ps) if self.first_ns is None else (self.last_ns, self.last_ps)
            self.last_ns, self.last_ps = last
            self.first_ns = other.first_ns
        self.last_ns, self.last_ps = max((self.last_ns, self.last_ps), (other.last_ns, other.last_ps))
        self.any_ps = self.any_ps or other.any_ps
