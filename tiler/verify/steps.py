"""Records of steps: each step is a slice of its track, as the leaves have it; none is missing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.steps import STEPS, StepSource, TrackSteps
from tilescope.tiler.store.store import unexpected
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.leaf_slices import LeafSlices
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally

_KINDS = (TrackKind.SLICE, TrackKind.ASYNC)
_STORED = [source for source in StepSource if source is not StepSource.NAMED]


class StepRecordCheck:
    """Takes all records of steps in the order of their keys."""

    def __init__(self, catalogue: Catalogue, slices: LeafSlices, tally: Tally) -> None:
        self._catalogue = catalogue
        self._slices = slices
        self._tally = tally
        self._seen = [0] * len(catalogue.tracks)
        self._last = -1, -1  # track and slice of the last step of the record before

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {STEPS: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """Checks a record. Raises DamagedStore."""
        number, first = STEPS.numbers_in(key)
        tracks = self._catalogue.tracks
        if number >= len(tracks) or tracks[number].kind not in _KINDS:
            raise unexpected(self._catalogue.location, key)
        track = tracks[number]
        try:
            steps = TrackSteps.decode(inflate(value), number)
        except DamagedStore as error:
            raise self._error(track, f"steps from event {first} on are damaged: {error}") from error
        late = np.diff(steps.ordinal, prepend=self._last[1] if self._last[0] == number else -1) <= 0
        if steps.ordinal[0] != first or late.any():
            raise self._error(track, f"steps from event {first} on are out of order")
        slices = self._slices.find(track, steps.ordinal, "steps")
        is_open = (slices.flags & SliceFlag.OPEN) != 0
        wrong = (steps.start != slices.start) | (steps.duration != slices.duration) | (steps.name != slices.name)
        wrong |= (steps.is_open != is_open) | (steps.number < 0) | ~np.isin(steps.source, _STORED)
        if wrong.any():
            ordinal = int(steps.ordinal[np.flatnonzero(wrong)[0]])
            raise self._error(track, f"the step that is event {ordinal} is another than the event")
        self._last = number, int(steps.ordinal[-1])
        self._seen[number] += len(steps)
        self._tally["steps"] += len(steps)

    def finish(self) -> None:
        """To be called after the last record."""
        for track, seen in zip(self._catalogue.tracks, self._seen, strict=True):
            if seen != track.steps:
                raise self._error(track, f"{seen} of its events are steps, at ingest {track.steps}")

    def _error(self, track: TrackEntry, what: str) -> DamagedStore:
        return self._catalogue.track_error(track.id, what)
