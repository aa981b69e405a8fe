"""Busy time of each name over all its events, for the families that viewers tell apart first."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.tracks.findings import Findings
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Recording, RecordMaker
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.schema import FAMILY_NAMES, busiest_families
from tilescope.tiler.store.store import Entry

_HALF = 32


class BusyNames:
    """Sums by name id. Tracks are added from any thread."""

    def __init__(self) -> None:
        self._totals = _native.NameTotals()

    def add(self, data: TrackData) -> None:
        """The slices of a track; counters last no time."""
        if data.value is None:
            self._totals.add(data.name, data.duration)

    def families(self, names: RunNames) -> list[str]:
        """The busiest families of the run."""
        # Their order decides which names count at all: it must not depend on which thread came first. The sort keeps
        # the order of names that are equal.
        low, high = self._totals.halves(len(names))
        order = np.lexsort((-low, -high))[:FAMILY_NAMES]
        return busiest_families(
            (_as_stored(names[k]), _as_stored(names.category(k)), (int(high[k]) << _HALF) + int(low[k]))
            for k in order.tolist()
        )


class FamilyRecorder(RecordMaker):
    """The busiest families, which the manifest lists."""

    def __init__(self, recording: Recording) -> None:
        self._names = recording.run.names
        self._busy_names = BusyNames()
        self._families: list[str] = []

    def add_tiles(self, track: BuiltTrack, tiles: _native.Tiles) -> None:
        """Adds up the events of a track."""
        self._busy_names.add(track.data)

    def late(self) -> Iterable[Entry]:
        """Finds the families; writes nothing."""
        self._families = self._busy_names.families(self._names)
        return ()

    def report(self, findings: Findings) -> None:
        """Adds the families."""
        findings.families = self._families


def _as_stored(text: str) -> str:
    """As pages of names have it: halves of surrogate pairs are no text."""
    return text.encode("utf-8", "replace").decode()
