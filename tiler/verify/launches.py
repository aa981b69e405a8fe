"""Launches: those that flows tell are held against the flow ends of their track, from which they are found anew.

Of those by correlation alone each is one of two slices that there are, work has one at most, and each track has as many
as were counted at ingest. Where launches stand is held against the chunks themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Final

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.flow_ends import FLOW_ENDS, FlowEnds
from tilescope.tiler.records.launches import LAUNCHES, Launches, LaunchWay
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.columns import Ints
from tilescope.tiler.verify.launch_places import LaunchPlaceCheck
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.page_reader import inflate, inflated_bytes
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally

# Ends that are decoded at a time: a chunk has millions where one slice has so many.
_PIECE: Final = 8192

_COLUMNS: Final = 4  # of a row: ordinal, partner's track and ordinal, how it is known
_ROW_BYTES: Final = 8 * _COLUMNS

# Copies of a row at the same time: found in pieces and joined, its place in the order, in order, without those that are
# there twice, and waiting for its record.
_COPIES: Final = 6


class LaunchCheck:
    """Takes all chunks of launches in the order of their keys.

    In memory are one of them, one chunk of flow ends as it is stored, and the launches among these ends.
    """

    def __init__(self, store: Store, catalogue: Catalogue, memory: ProofMemory, tally: Tally) -> None:
        self._store = store
        self._catalogue = catalogue
        self._memory = memory
        self._tally = tally
        self._on_device = np.array([track.on_device for track in catalogue.tracks], np.bool_)
        self._pairs = np.zeros((len(catalogue.tracks), 2), np.int64)  # by correlation: that leave, that arrive
        self._places = LaunchPlaceCheck(catalogue, memory)
        self._last = -1, -1  # track and slice of the last launch
        self._track = 0  # whose launches are compared
        self._rows = self._rows_of(0)
        self._pending = np.zeros((0, _COLUMNS), np.int64)  # rows that have been found and are to come

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {LAUNCHES: self.take, **self._places.takes}

    def take(self, key: bytes, value: bytes) -> None:
        """Checks a chunk. Raises DamagedStore."""
        track, first = LAUNCHES.numbers_in(key)
        if track >= len(self._catalogue.tracks):
            raise unexpected(self._catalogue.location, key)
        self._go_to(track)
        with ExitStack() as taken:
            taken.enter_context(self._memory.taken(len(value) + inflated_bytes(value)))
            try:
                launches = Launches.decode(inflate(value), track)
            except DamagedStore as error:
                raise self._error(f"launches from event {first} on are damaged: {error}") from error
            # As columns, as rows, and as what is expected.
            taken.enter_context(self._memory.taken(3 * len(launches) * _ROW_BYTES))
            columns = (launches.ordinal, launches.partner_track, launches.partner_ordinal, launches.way)
            stored = np.stack(columns, axis=1)
            self._check_order(first, stored)
            by_flows = stored[launches.way != LaunchWay.CORRELATION]
            self._find(len(by_flows) + 1)
            expected, self._pending = self._pending[: len(by_flows)], self._pending[len(by_flows) :]
            if first != int(stored[0, 0]) or not np.array_equal(by_flows, expected):
                raise self._error(f"launches from event {first} on are other ones than its flows say")
            if len(self._pending) and self._pending[0, 0] <= stored[-1, 0]:
                what = "are in two records" if self._pending[0, 0] == stored[-1, 0] else "are missing"
                raise self._error(f"the launches of event {self._pending[0, 0]} {what}")
            self._take_pairs(track, launches.take(launches.way == LaunchWay.CORRELATION))
            self._places.add(track, launches)
            self._tally["launches"] += len(stored)

    def finish(self) -> None:
        """To be called after the last chunk."""
        self._go_to(len(self._catalogue.tracks))
        self._places.finish()
        for track in self._catalogue.tracks:
            leaving, arriving = self._pairs[track.id].tolist()
            if (leaving, arriving) != (track.pairs_out, track.pairs_in):
                what = f"{leaving} launches by correlation leave it and {arriving} arrive, at ingest"
                raise self._catalogue.track_error(track.id, f"{what} {track.pairs_out} and {track.pairs_in}")
        leaving, arriving = self._pairs.sum(axis=0).tolist()
        if not leaving == arriving == self._catalogue.derived_edges:
            what = f"{leaving} launches by correlation leave and {arriving} arrive, of {self._catalogue.derived_edges}"
            raise DamagedStore(f"{self._catalogue.location}: {what}")

    def _check_order(self, first: int, rows: Ints) -> None:
        """Each pair once, in order; all pairs of a slice in one chunk."""
        ordinal, partner_track, partner_ordinal, _ = rows.T
        order = np.lexsort((partner_ordinal, partner_track, ordinal))
        again = (np.diff(rows[:, :3], axis=0) == 0).all(axis=1).any()
        if again or not np.array_equal(order, np.arange(len(rows))):
            raise self._error(f"launches from event {first} on are out of order")
        if self._last[0] == self._track and int(ordinal[0]) <= self._last[1]:
            raise self._error(f"the launches of event {ordinal[0]} are in two records")
        self._last = self._track, int(ordinal[-1])

    def _take_pairs(self, number: int, pairs: Launches) -> None:
        """Checks pairs by correlation, and adds up what they say."""
        tracks = self._catalogue.tracks
        self._check_slices(number, pairs.ordinal)
        for partner in np.unique(pairs.partner_track).tolist():
            if not 0 <= partner < len(tracks):
                raise self._error(f"a launch has its partner on track {partner}, which there is not")
            self._check_slices(partner, pairs.partner_ordinal[pairs.partner_track == partner])
        if (np.diff(pairs.ordinal) == 0).any():
            raise self._error("work with a launch by correlation has more of them")
        self._pairs[number, 1] += len(pairs)
        np.add.at(self._pairs[:, 0], pairs.partner_track, 1)

    def _check_slices(self, track: int, ordinals: Ints) -> None:
        entry = self._catalogue.tracks[track]
        wrong = np.flatnonzero((ordinals < 0) | (ordinals >= entry.events)) if entry.kind == TrackKind.SLICE else [0]
        if len(ordinals) and len(wrong):
            raise self._error(f"a launch names event {ordinals[wrong[0]]} on track {track}, which is no slice")

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
        """The launches of a track, a chunk of its flow ends after the other: ordinal, partner, and what tells of it.

        What they take is counted until the next are asked for.
        """
        if number >= len(self._catalogue.tracks) or not self._on_device[number]:
            return
        if not self._catalogue.tracks[number].flows_in:
            return
        for _, stored in self._store.scan(FLOW_ENDS, number):
            with ExitStack() as taken:
                parts: list[Ints] = [np.zeros((0, _COLUMNS), np.int64)]
                with self._memory.taken(len(stored) + inflated_bytes(stored)):
                    try:
                        chunk = _native.ProveFlowChunk(inflate(stored), number)
                    except (DamagedStore, ValueError) as error:
                        raise self._error(f"flow ends are damaged: {error}") from error
                    while (columns := chunk.read(_PIECE)) is not None:
                        rows = self._launches(FlowEnds(*columns))
                        taken.enter_context(self._memory.taken(_COPIES * rows.nbytes))
                        parts.append(rows)
                yield _each_once(np.concatenate(parts))

    def _launches(self, ends: FlowEnds) -> Ints:
        """Rows of the launches among ends of a device's track: flows from hosts that arrive."""
        partner = ends.partner_track
        if len(partner) and not 0 <= int(partner.min()) <= int(partner.max()) < len(self._on_device):
            raise self._error("a flow end has its partner on a track that there is not")
        is_launch = (ends.incoming == 1) & ~self._on_device[partner]
        way = np.full(len(ends), LaunchWay.FLOW, np.int64)
        return np.stack([column[is_launch] for column in (ends.ordinal, partner, ends.partner_ordinal, way)], axis=1)

    def _error(self, what: str) -> DamagedStore:
        return self._catalogue.track_error(self._track, what)


def _each_once(rows: Ints) -> Ints:
    """Rows in order. Of a pair that is there twice the first row tells how it is known."""
    ordinal, partner_track, partner_ordinal, way = rows.T
    rows = rows[np.lexsort((way, partner_ordinal, partner_track, ordinal))]
    is_first = np.ones(len(rows), np.bool_)
    is_first[1:] = (np.diff(rows[:, :3], axis=0) != 0).any(axis=1)
    return rows[is_first]
