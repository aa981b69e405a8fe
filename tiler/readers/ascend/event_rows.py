"""Rows of tables as slices: tracks and names by what they are called, times in nanoseconds and picoseconds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk, Phase, Process, TraceSummary, Track, TrackKind

Ints = NDArray[np.int64]


class SliceRows:
    """The slices of one process, whose tracks come in the order in which they are named."""

    def __init__(self, process: str, detail: str) -> None:
        self._process = Process(process, detail)
        self._tracks: dict[str, int] = {}
        self._names: dict[tuple[str, str], int] = {}
        self.slices = 0
        self.least_ns: int | None = None

    def track(self, name: str) -> int:
        """The number of a track."""
        return self._tracks.setdefault(name, len(self._tracks))

    def name(self, text: str, category: str = "") -> int:
        """The number of a name and its category."""
        return self._names.setdefault((text, category), len(self._names))

    def chunk(
        self,
        track: NDArray[np.int32],
        name: NDArray[np.int32],
        start: tuple[Ints, Ints],
        duration: tuple[Ints, Ints],
    ) -> EventChunk:
        """Slices with these numbers; times as nanoseconds and the picoseconds beyond."""
        count = len(track)
        self.slices += count
        if count:
            least = int(start[0].min())
            self.least_ns = least if self.least_ns is None else min(least, self.least_ns)
        return EventChunk(
            track=track,
            phase=np.full(count, Phase.COMPLETE, np.uint8),
            time_ns=start[0],
            time_ps=start[1].astype(np.int16),
            duration_ns=duration[0],
            duration_ps=duration[1].astype(np.int16),
            name=name,
            key=None,
            value=None,
            flags=np.zeros(count, np.uint8),
            args_end=np.zeros(count, np.int64),
            args=np.zeros(0, np.uint8),
        )

    def describe(self, summary: TraceSummary) -> None:
        """Adds process, tracks, names and counts of what was read so far."""
        summary.processes = [self._process] if self._tracks else []
        summary.tracks = [Track(0, TrackKind.SLICE, name) for name in self._tracks]
        summary.names = [name for name, _ in self._names]
        summary.categories = [category for _, category in self._names]
        summary.counts.slices = summary.counts.total = self.slices
