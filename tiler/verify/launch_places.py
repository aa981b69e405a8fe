"""Places of launches: held against the chunks that were proven."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.launch_places import LAUNCH_PLACES, LaunchPlaces
from tilescope.tiler.records.launches import Launches
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import unexpected
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.columns import Ints
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.page_reader import inflate, inflated_bytes
from tilescope.tiler.verify.prover import Take


class LaunchPlaceCheck:
    """Takes the places of all tracks, whose keys come after those of all chunks of launches.

    In memory are 32 bytes for each chunk and each track that launches in it.
    """

    def __init__(self, catalogue: Catalogue, memory: ProofMemory) -> None:
        self._catalogue = catalogue
        self._memory = memory
        self._rows: dict[int, list[Ints]] = defaultdict(list)  # event, track, least and greatest, by track of the work
        self._work: dict[int, list[int]] = defaultdict(list)  # tracks of work, by track that launches
        self._taken: set[int] = set()

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {LAUNCH_PLACES: self.take}

    def add(self, work_track: int, launches: Launches) -> None:
        """Takes a chunk that was proven."""
        order = np.lexsort((launches.partner_ordinal, launches.partner_track))
        track, ordinal = launches.partner_track[order], launches.partner_ordinal[order]
        first = np.flatnonzero(np.diff(track, prepend=-1) != 0)
        last = np.append(first[1:], len(track)) - 1
        event = np.full(len(first), launches.ordinal[0])
        self._rows[work_track].append(np.stack([event, track[first], ordinal[first], ordinal[last]]))
        for launching_track in track[first].tolist():
            work = self._work[launching_track]
            if not work or work[-1] != work_track:  # tracks of work come in order
                work.append(work_track)

    def take(self, key: bytes, value: bytes) -> None:
        """Checks the places of a track. Raises DamagedStore."""
        (track,) = LAUNCH_PLACES.numbers_in(key)
        if track >= len(self._catalogue.tracks) or not (track in self._rows or track in self._work):
            raise unexpected(self._catalogue.location, key)
        with self._memory.taken(len(value) + 2 * inflated_bytes(value)):
            try:
                places = LaunchPlaces.decode(inflate(value), track)
            except DamagedStore as error:
                raise self._catalogue.track_error(track, f"places of launches are damaged: {error}") from error
            rows = np.stack([places.event, places.launching_track, places.least, places.greatest])
            expected = np.concatenate([np.zeros((4, 0), np.int64), *self._rows.get(track, ())], axis=1)
            if not np.array_equal(rows, expected) or places.work_track.tolist() != self._work.get(track, []):
                raise self._catalogue.track_error(track, "launches do not stand where their places say")
        self._taken.add(track)

    def finish(self) -> None:
        """To be called after the last record."""
        if missing := sorted({*self._rows, *self._work} - self._taken):
            raise self._catalogue.track_error(missing[0], "the places of its launches are missing")
