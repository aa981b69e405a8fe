"""Launches: held against those among the flow ends of their track, which are found anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Final

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.flow_ends import FLOW_ENDS, FlowEnds
from tilescope.tiler.records.launches import LAUNCHES, Launches
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.columns import Ints
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.page_reader import inflate, inflated_bytes
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally

# Ends that are decoded at a time: a chunk has millions where one slice has so many.
_PIECE: Final = 8192

_COLUMNS: Final = 5  # of a row: ordinal, partner's track and ordinal, how it is known, whether it arrives
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
        self._may_have = bool(self._on_device.any()) or catalogue.derived_edges > 0
        self._track = 0  # whose launches are compared
        self._rows = self._rows_of(0)
        self._pending = np.zeros((0, _COLUMNS), np.int64)  # rows that have been found and are to come

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
        with ExitStack() as taken:
            taken.enter_context(self._memory.taken(len(value) + inflated_bytes(value)))
            try:
                launches = Launches.decode(inflate(value), track)
            except DamagedStore as error:
                raise self._error(f"launches from event {first} on are damaged: {error}") from error
            # As columns, as rows, and as what is expected.
            taken.enter_context(self._memory.taken(3 * len(launches) * _ROW_BYTES))
            columns = (launches.ordinal, launches.partner_track, launches.partner_ordinal, launches.way)
            stored = np.stack([*columns, launches.incoming], axis=1)
            self._find(len(stored) + 1)
            expected, self._pending = self._pending[: len(stored)], self._pending[len(stored) :]
            if first != int(stored[0, 0]) or not np.array_equal(stored, expected):
                raise self._error(f"launches from event {first} on are other ones than its flows say")
            if len(self._pending) and self._pending[0, 0] == stored[-1, 0]:
                raise self._error(f"the launches of event {stored[-1, 0]} are in two records")
            self._tally["launches"] += len(stored)

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
        """The launches of a track, a chunk of its flow ends after the other: ordinal, partner, and what tells of it.

        What they take is counted until the next are asked for.
        """
        if not self._may_have or number >= len(self._catalogue.tracks):
            return
        track = self._catalogue.tracks[number]
        if not (track.flows_in or track.flows_out):
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
                        rows = self._launches(number, FlowEnds(*columns))
                        taken.enter_context(self._memory.taken(_COPIES * rows.nbytes))
                        parts.append(rows)
                yield _each_once(np.concatenate(parts))

    def _launches(self, number: int, ends: FlowEnds) -> Ints:
        """Rows of the launches among ends of a track: of flows between a host and a device, and of all derived ones."""
        partner = ends.partner_track
        if len(partner) and not 0 <= int(partner.min()) <= int(partner.max()) < len(self._on_device):
            raise self._error("a flow end has its partner on a track that there is not")
        leads_to_device = np.where(ends.incoming == 1, self._on_device[number], self._on_device[partner])
        comes_from_host = np.where(ends.incoming == 1, ~self._on_device[partner], not self._on_device[number])
        is_launch = (ends.derived == 1) | (leads_to_device & comes_from_host)
        columns = (ends.ordinal, partner, ends.partner_ordinal, ends.derived, ends.incoming)
        return np.stack([column[is_launch] for column in columns], axis=1)

    def _error(self, what: str) -> DamagedStore:
        return self._catalogue.track_error(self._track, what)


def _each_once(rows: Ints) -> Ints:
    """Rows in order. Of a pair that is there twice the first row tells how it is known."""
    ordinal, partner_track, partner_ordinal, way, incoming = rows.T
    rows = rows[np.lexsort((way, incoming, partner_ordinal, partner_track, ordinal))]
    is_first = np.ones(len(rows), np.bool_)
    is_first[1:] = (np.diff(rows[:, [0, 1, 2, 4]], axis=0) != 0).any(axis=1)
    return rows[is_first]
