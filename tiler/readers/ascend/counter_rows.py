"""Cells of tables as samples of counters: a track for each figure of each owner, in the order in which they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk, Phase, Process, TraceSummary, Track, TrackKind
from tilescope.tiler.records.cell_values import CellTimes, has_number, nearest_doubles
from tilescope.tiler.records.cells import Cells, CellState, decimal_text

MOST_TRACKS: Final = 1000  # of a file


class SampledRows(NamedTuple):
    """Rows of a chunk: the owner of each, as a device and a name, and when."""

    owners: Sequence[tuple[str, str]]
    owner_of: NDArray[np.int64]
    stamps: CellTimes


class CounterRows:
    """The counters of a file, whose process stands once for each device."""

    def __init__(self, process: str, unit: str) -> None:
        self._process, self._unit = process, unit
        self._tracks: dict[tuple[str, str, str], int] = {}  # device, owner and figure
        self.ignored: Counter[str] = Counter()
        self.samples = 0

    def describe(self, summary: TraceSummary) -> None:
        """Adds processes, tracks, names and counts of what was read so far."""
        devices = {device: number for number, device in enumerate(dict.fromkeys(key[0] for key in self._tracks))}
        summary.processes = [Process(self._process, device) for device in devices]
        names = [f"{owner} {figure}".strip() for _, owner, figure in self._tracks]
        summary.tracks = [
            Track(devices[device], TrackKind.COUNTER, name, self._unit)
            for (device, _, _), name in zip(self._tracks, names, strict=True)
        ]
        summary.names = names
        summary.categories = [""] * len(names)
        summary.counts.counter_samples = summary.counts.total = self.samples

    def chunk(self, rows: SampledRows, figure: str, cells: Cells, factor: int = 1) -> EventChunk:
        """The samples of a column, times a factor that is a power of two: cells without a number are none."""
        values = np.zeros(len(cells), np.float64)
        values[has_number(cells)] = nearest_doubles(cells) * factor
        self.ignored["cells_without_numbers"] += int(np.count_nonzero(cells.are(CellState.TEXT)))
        are_samples = has_number(cells) & rows.stamps.fits
        track_of_owner = np.full(len(rows.owners), -1, np.int32)
        for owner in np.unique(rows.owner_of[are_samples]).tolist():
            track_of_owner[owner] = self._track((*rows.owners[owner], figure))
        tracks = track_of_owner[rows.owner_of]
        self.ignored["samples_of_more_counters"] += int(np.count_nonzero(are_samples & (tracks < 0)))
        chosen = np.flatnonzero(are_samples & (tracks >= 0))
        count = len(chosen)
        self.samples += count
        return EventChunk(
            track=tracks[chosen],
            phase=np.full(count, Phase.COUNTER, np.uint8),
            time_ns=rows.stamps.ns[chosen],
            time_ps=rows.stamps.ps[chosen].astype(np.int16),
            duration_ns=np.zeros(count, np.int64),
            duration_ps=None,
            name=tracks[chosen],
            key=None,
            value=values[chosen],
            flags=np.zeros(count, np.uint8),
            args_end=np.zeros(count, np.int64),
            args=np.zeros(0, np.uint8),
        )

    def _track(self, key: tuple[str, str, str]) -> int:
        """The number of a track; -1 for one beyond the most."""
        return (
            self._tracks.setdefault(key, len(self._tracks))
            if len(self._tracks) < MOST_TRACKS
            else self._tracks.get(key, -1)
        )


def samples_of(owners: Cells, devices: Cells | None, stamps: CellTimes) -> SampledRows:
    """The owners of rows by the texts of two columns."""
    names, name_of = _coded(owners)
    places, place_of = ([""], np.zeros(len(owners), np.int64)) if devices is None else _coded(devices)
    pairs, owner_of = np.unique(place_of * len(names) + name_of, return_inverse=True)
    return SampledRows(
        [(places[pair // len(names)], names[pair % len(names)]) for pair in pairs.tolist()], owner_of, stamps
    )


def _coded(cells: Cells) -> tuple[list[str], NDArray[np.int64]]:
    """Texts, each once, and the place of that of each row; the last is that of cells without one."""
    texts = [*cells.words, *map(decimal_text, cells.numbers.tolist(), cells.digits.tolist()), ""]
    places = np.full(len(cells), len(texts) - 1)
    places[cells.are(CellState.TEXT)] = cells.codes
    places[has_number(cells)] = len(cells.words) + np.arange(len(cells.numbers))
    return texts, places
