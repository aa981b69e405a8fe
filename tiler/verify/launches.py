"""Launches: held against those among the flow ends of their track, which are found anew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import numpy as np

from tilescope.tiler.device_lines import is_device_process
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.flow_ends import FLOW_ENDS, FlowEnds
from tilescope.tiler.records.launches import LAUNCHES, Launches
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.store import Store, need, unexpected
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.columns import Ints
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.page_reader import inflate, inflated_bytes
from tilescope.tiler.verify.prover import Take


class LaunchCheck:
    """Takes all chunks of launches in the order of their keys. One of them and one of flow ends are in memory."""

    def __init__(self, store: Store, catalogue: Catalogue, memory: ProofMemory) -> None:
        self._store = store
        self._catalogue = catalogue
        self._memory = memory
        groups = json.loads(decompress(need(store, TRACKS)))["groups"]
        self._devices = {
            track.id
            for track in catalogue.tracks
            if is_device_process(groups[track.group]["name"], groups[track.group]["detail"])
        }
        self._track = 0  # whose launches are compared
        self._rows = self._rows_of(0)
        self._pending = np.zeros((0, 4), np.int64)  # rows that have been found and are to come

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {LAUNCHES: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """Checks a chunk. Raises DamagedStore."""
        track, first = LAUNCHES.numbers_in(key)
        if track >= len(self._catalogue.tracks):
            raise unexpected(self._catalogue.location, key)
        self._go_to(track)
        try:
            launches = Launches.decode(inflate(value), track)
        except DamagedStore as error:
            raise self._error(f"launches from event {first} on are damaged: {error}") from error
        stored = np.stack([launches.ordinal, launches.partner_track, launches.partner_ordinal, launches.way], axis=1)
        self._find(len(stored) + 1)
        expected, self._pending = self._pending[: len(stored)], self._pending[len(stored) :]
        if first != int(stored[0, 0]) or not np.array_equal(stored, expected):
            raise self._error(f"launches from event {first} on are other ones than its flows say")
        if len(self._pending) and self._pending[0, 0] == stored[-1, 0]:
            raise self._error(f"the launches of event {stored[-1, 0]} are in two records")

    def finish(self) -> None:
        """To be called after the last chunk."""
        self._go_to(len(self._catalogue.tracks))

    def _go_to(self, track: int) -> None:
        """Goes on to a track: of those before, all launches must have come."""
        while self._track < track:
            self._find(1)
            if len(self._pending):
                raise self._error(f"its launches from event {self._pending[0, 0]} on are missing")
            self._track += 1
            self._rows = self._rows_of(self._track)

    def _find(self, count: int) -> None:
        """Finds so many rows of the track, if there are."""
        while len(self._pending) < count and (rows := next(self._rows, None)) is not None:
            self._pending = np.concatenate([self._pending, rows])

    def _rows_of(self, number: int) -> Iterator[Ints]:
        """The launches of a track, a chunk of its flow ends after the other: ordinal, partner, and what tells of it."""
        on_device = number in self._devices
        if number >= len(self._catalogue.tracks) or not self._devices:
            return
        track = self._catalogue.tracks[number]
        if not (track.flows_in if on_device else track.flows_out):
            return
        for _, stored in self._store.scan(FLOW_ENDS, number):
            with self._memory.taken(len(stored) + inflated_bytes(stored)):
                ends = FlowEnds.decode(inflate(stored), number)
                is_launch = ends.incoming == 1 if on_device else ends.incoming == 0
                is_launch &= np.isin(ends.partner_track, list(self._devices), invert=on_device)
                columns = np.stack([ends.ordinal, ends.partner_track, ends.partner_ordinal, ends.derived], axis=1)
                rows = np.unique(columns[is_launch], axis=0)
            # Of a pair that is there twice the first row tells how it is known.
            _, firsts = np.unique(rows[:, :3], axis=0, return_index=True)
            yield rows[firsts]

    def _error(self, what: str) -> DamagedStore:
        return self._catalogue.track_error(self._track, what)
