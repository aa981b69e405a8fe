"""Gathers where launches stand while their chunks are made."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.records.launch_places import LaunchPlaces
from tilescope.tiler.records.launches import StoredLaunches

Ints = NDArray[np.int64]


class PlacesByTrack:
    """The chunks that were made, by track of the work. Called by any thread.

    In memory are 32 bytes for each chunk and each track that launches in it.
    """

    def __init__(self) -> None:
        self._rows: dict[int, list[Ints]] = defaultdict(list)
        self._adding = threading.Lock()

    def add(self, track: int, chunk: StoredLaunches) -> None:
        """Takes a chunk of a track."""
        event = np.full(len(chunk.launching_track), chunk.event)
        rows = np.stack([event, chunk.launching_track, chunk.least, chunk.greatest])
        with self._adding:
            self._rows[track].append(rows)

    def by_track(self) -> Iterator[tuple[int, LaunchPlaces]]:
        """Places of each track that launches or is launched, in order."""
        work_tracks: dict[int, list[int]] = defaultdict(list)
        tables: dict[int, Ints] = {}
        for work_track in sorted(self._rows):
            rows = np.concatenate(self._rows[work_track], axis=1)
            tables[work_track] = rows[:, np.lexsort((rows[1], rows[0]))]
            for track in np.unique(rows[1]).tolist():
                work_tracks[track].append(work_track)
        for track in sorted({*tables, *work_tracks}):
            event, launching_track, least, greatest = tables.get(track, np.zeros((4, 0), np.int64))
            work = np.array(work_tracks.get(track, ()), np.int64)
            yield track, LaunchPlaces(event, launching_track, least, greatest, work)
