"""Compares records of operations with the arguments of the events that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.wire import WireDamage, varint
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.arguments import argument_chunk, event_metadata
from tilescope.tiler.lookup.tracks import file_of
from tilescope.tiler.records.catalogue import describe
from tilescope.tiler.records.device.graph_executions import GRAPH_EXECUTIONS
from tilescope.tiler.records.device.operation_maker import OperationMaker
from tilescope.tiler.records.device.operation_sums import OPERATION_SUMS
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS, KINDS, OPERATIONS, Operations, TrackKinds
from tilescope.tiler.records.device.step_sums import STEP_SUMS
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.leaf_slices import LeafSlices
from tilescope.tiler.verify.operation_sums import PlainSums
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally
from tilescope.tiler.verify.step_sums import MarkedSteps, MetadataCategories, PlainStepSums

Ints = NDArray[np.int64]

_VARINT_BYTES = 10


class OperationCheck:
    """Takes the kinds of all tracks, and then all records of operations, in the order of their keys."""

    def __init__(self, store: Store, catalogue: Catalogue, slices: LeafSlices, tally: Tally) -> None:
        self._store = store
        self._catalogue = catalogue
        self._slices = slices
        self._tally = tally
        self._tick_ps = int(store.manifest()["tick_ps"])
        self._expected = [track for track in catalogue.tracks if track.operations]
        self._kinds = 0  # seen so far
        self._track: tuple[TrackEntry, OperationMaker] | None = None
        self._done = 0  # tracks whose operations were seen
        self._sums: dict[bytes, bytes] = {}  # by key the digests of records of sums and graphs that are to come
        self._adding = PlainSums()
        self._marked_steps = MarkedSteps(catalogue, slices)
        self._in_steps: PlainStepSums | None = None
        self._categories: tuple[int, MetadataCategories] | None = None  # of a file
        self._next = 0  # the event that comes next

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {
            KINDS: self.take_kinds,
            OPERATIONS: self.take,
            OPERATION_SUMS: self.take_sums,
            STEP_SUMS: self.take_sums,
            GRAPH_EXECUTIONS: self.take_sums,
        }

    def take_kinds(self, key: bytes, value: bytes) -> None:
        """Checks the kinds of a track: what they are is looked at with its operations. Raises DamagedStore."""
        expected = self._expected[self._kinds : self._kinds + 1]
        if not expected or key > KINDS.key(expected[0].id):
            raise self._missing(expected[0]) if expected else self._unknown(key)
        if key != KINDS.key(expected[0].id):
            raise self._unknown(key)
        try:
            TrackKinds.decode(inflate(value))
        except DamagedStore as error:
            raise self._error(expected[0], f"the kinds of its operations are damaged: {error}") from error
        self._kinds += 1

    def take(self, key: bytes, value: bytes) -> None:
        """Checks a record of operations. Raises DamagedStore."""
        track = self._expected[self._done] if self._done < len(self._expected) else None
        if track is None or key < OPERATIONS.key(track.id, self._next):
            raise self._unknown(key)
        if key != OPERATIONS.key(track.id, self._next):
            raise self._error(track, f"operations from event {self._next} on are missing")
        where = f"operations from event {self._next} on"
        try:
            stored = Operations.decode(inflate(value), track.id)
        except DamagedStore as error:
            raise self._error(track, f"{where} are damaged: {error}") from error
        if len(stored) != min(CHUNK_OPERATIONS, track.operations - self._next):
            raise self._error(track, f"{where}: there are {len(stored)}")
        if stored.encode(track.id) != self._made(track, len(stored)).encode(track.id):
            raise self._error(track, f"{where} are other ones than the events' arguments say")
        self._next += len(stored)
        self._tally["operations"] += len(stored)
        if self._next == track.operations:
            self._end(track)

    def take_sums(self, key: bytes, value: bytes) -> None:
        """Checks what is made of a track's operations, all of which were seen: sums, graphs. Raises DamagedStore."""
        self._have_all()
        expected = self._sums.pop(key, None)
        if expected is None:
            raise self._unknown(key)
        if _digest(inflate(value)) != expected:
            raise DamagedStore(f"{self._catalogue.location}: {describe(key)} are other ones than its operations say")

    def finish(self) -> None:
        """To be called after the last record."""
        self._have_all()
        for key in self._sums:
            raise DamagedStore(f"{self._catalogue.location}: {describe(key)} are missing")

    def _have_all(self) -> None:
        if self._kinds < len(self._expected):
            raise self._missing(self._expected[self._kinds])
        if self._done < len(self._expected):
            track = self._expected[self._done]
            raise self._error(track, f"operations from event {self._next} on are missing")

    def _made(self, track: TrackEntry, count: int) -> Operations:
        """The next operations of a track, computed anew."""
        try:
            ends, args = self._arguments(track, self._next, count)
            if self._track is None or self._track[0] is not track:
                self._track = track, self._maker(track, args)
            if self._in_steps is None:
                self._in_steps = PlainStepSums(self._marked_steps.steps_for(track), self._categories_of(track))
            ordinal = np.arange(self._next, self._next + count, dtype=np.int64)
            slices = self._slices.find(track, ordinal, "operations")
            made = self._track[1].add(ends, 0, args, slices.start, slices.duration)
            self._adding.add(made, slices.start, slices.duration)
            self._in_steps.add(made, self._track[1].metadata_from(0), slices.start, slices.duration)
            return made
        except (ValueError, LookupError, WireDamage) as error:
            raise self._error(track, f"arguments from event {self._next} on make no sense: {error}") from error

    def _maker(self, track: TrackEntry, args: NDArray[np.uint8]) -> OperationMaker:
        tables = self._tables_of(track)
        metadata, _ = varint(args[:_VARINT_BYTES].tobytes(), 0)
        return OperationMaker(tables, int(tables.plane[metadata]), self._tick_ps)

    def _arguments(self, track: TrackEntry, first: int, count: int) -> tuple[Ints, NDArray[np.uint8]]:
        lengths, parts, ordinal = [], [], first
        while ordinal < first + count:
            try:
                chunk = argument_chunk(self._store, track.id, ordinal)
            except DamagedStore as error:  # what they have taken of the operations is not what it was
                raise self._error(track, f"operations from event {first} on are other ones: {error}") from error
            if chunk is None or chunk.stop <= ordinal:
                raise self._error(track, f"arguments of event {ordinal} are missing")
            ends = chunk.ends[ordinal - chunk.first : first + count - chunk.first]
            begin = int(chunk.ends[ordinal - chunk.first - 1]) if ordinal > chunk.first else 0
            lengths.append(np.diff(ends, prepend=begin))
            parts.append(chunk.args[begin : int(ends[-1])])
            ordinal += len(ends)
        return np.cumsum(np.concatenate(lengths)), np.concatenate(parts)

    def _end(self, track: TrackEntry) -> None:
        record = self._store.get(KINDS, track.id)
        made = None if self._track is None else self._track[1].kinds().encode()
        if record is None or inflate(record) != made:
            raise self._error(track, "the kinds of its operations are other ones than the events' arguments say")
        sums = None if self._track is None else self._adding.finish(len(self._track[1].kinds().kinds))
        if sums is not None:
            self._sums[OPERATION_SUMS.key(track.id)] = _digest(sums.encode(track.id))
        in_steps = None if self._in_steps is None else self._in_steps.finish()
        if in_steps is not None:
            self._sums[STEP_SUMS.key(track.id)] = _digest(in_steps.encode(track.id))
        graphs = None if self._track is None else self._track[1].graph_executions()
        if graphs is not None:
            self._sums[GRAPH_EXECUTIONS.key(track.id)] = _digest(graphs.encode())
        self._adding, self._in_steps = PlainSums(), None
        self._done += 1
        self._next = 0
        self._track = None

    def _categories_of(self, track: TrackEntry) -> MetadataCategories:
        file = file_of(self._store, track.id)
        if self._categories is None or self._categories[0] != file:
            self._categories = file, MetadataCategories(self._tables_of(track))
        return self._categories[1]

    def _tables_of(self, track: TrackEntry) -> XStatTables:
        tables = event_metadata(self._store, file_of(self._store, track.id))
        if tables is None:
            raise self._error(track, "it has operations, and its file no metadata")
        return tables

    def _missing(self, track: TrackEntry) -> DamagedStore:
        return self._error(track, "the kinds of its operations are missing")

    def _error(self, track: TrackEntry, what: str) -> DamagedStore:
        return self._catalogue.track_error(track.id, what)

    def _unknown(self, key: bytes) -> DamagedStore:
        return unexpected(self._catalogue.location, key)


def _digest(record: bytes) -> bytes:
    return blake2b(record, digest_size=20).digest()
