"""Rows of tables as slices: tracks and names by what they are called, times in nanoseconds and picoseconds."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk, Phase, Process, TraceSummary, Track, TrackKind
from tilescope.tiler.records.cells import Cells, CellState

Ints = NDArray[np.int64]

_MILLISECOND_DIGITS: Final = 6  # of a nanosecond
_MOST: Final = float(1 << 62)


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


def has_number(cells: Cells) -> NDArray[np.bool_]:
    """True for rows with a number."""
    are_numbers: NDArray[np.bool_] = cells.states == CellState.NUMBER
    return are_numbers


def integers(cells: Cells) -> tuple[Ints, NDArray[np.bool_]]:
    """Whole numbers by row, and which rows have one."""
    values, are_whole = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.bool_)
    rows = np.flatnonzero(has_number(cells))
    values[rows] = np.where(cells.digits == 0, cells.numbers, 0)
    are_whole[rows] = cells.digits == 0
    return values, are_whole


def milliseconds(cells: Cells) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Times in ms as nanoseconds and picoseconds, rounded down; and which rows have a time that is not negative."""
    ns, ps = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64)
    fits = np.zeros(len(cells), np.bool_)
    rows = np.flatnonzero(has_number(cells))
    missing = _MILLISECOND_DIGITS - cells.digits.astype(np.int64)
    factor = 10 ** np.maximum(missing, 0)
    is_small = (cells.numbers >= 0) & (cells.numbers * factor.astype(np.float64) < _MOST)
    numbers = np.where(is_small, cells.numbers, 0)
    divisor = 10 ** np.clip(-missing, 0, 18)
    whole, rest = np.divmod(np.where(missing >= 0, numbers * factor, numbers), divisor)
    # Of a remainder below 10^18 the first three digits: of one below 10^15 exactly so.
    ns[rows], fits[rows] = whole, is_small
    ps[rows] = np.where(divisor >= 1000, rest // np.maximum(divisor // 1000, 1), rest * 1000 // divisor)
    return ns, ps, fits
