"""The records of a track's operations, and where their events lie on the timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.caches import KeyedCache
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.operations.borders import TrackBorders
from tilescope.tiler.facts.operations.event_ranges import CountedKinds, CountedRecord, EventRanges
from tilescope.tiler.facts.operations.instruction_columns import sum_of
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import QueryReader, Reading, join, no_events
from tilescope.tiler.query.events import Events
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.device.kind_counts import SAID
from tilescope.tiler.records.device.operation_sums import SUMMED, OperationSums
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS, NUMBERS, OperationKinds, Operations, TrackKinds
from tilescope.tiler.records.device.step_sums import StepSums
from tilescope.tiler.size_estimate import estimated_bytes
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_SUMMED: Final = np.array([NUMBERS[name] for name in SUMMED], np.uint8)
_SAID: Final = np.array([NUMBERS[name] for name in SAID], np.uint8)


def track_kinds(reader: QueryReader, track: int) -> TrackKinds | None:
    """The kinds of a track's operations; None: they are not kept. Raises DamagedStore, NotBuilt."""
    kinds = _TRACK_KINDS.get(reader, track, _UNREAD)
    if isinstance(kinds, _Unread):
        record = reader.store.kinds_record(track)
        kinds = None if record is None else TrackKinds.decode(decompress(record))
        _TRACK_KINDS.keep(reader, track, kinds)
    return kinds


def track_sums(reader: QueryReader, track: int, kinds: TrackKinds) -> OperationSums | None:
    """The sums of all of a track's operations; None: they are not kept. Raises DamagedStore, NotBuilt."""
    record = reader.store.operation_sums_record(track)
    found = None if record is None else OperationSums.decode(decompress(record), track)
    if found is not None and len(found) != len(kinds.kinds):
        raise DamagedStore(f"track {track} has sums of other kinds of operations than it has")
    _RUNNING.keep(reader, track, None if found is None else _running(found))
    return found


@dataclass(frozen=True, slots=True)
class TrackRunning:
    """When the operations of a track run: what is kept of its sums for the next question."""

    kinds: int
    alone_bits: NDArray[np.uint8]  # of each kind whether none of its events shares a tick with another one
    busy_ticks: int  # in which any runs
    taken_ps: int  # on the device, by all that lie in no other one

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Of each kind whether none of its events shares a tick with another event of the track."""
        return np.unpackbits(self.alone_bits, count=self.kinds).astype(np.bool_)


def track_running(reader: QueryReader, track: int, kinds: TrackKinds) -> TrackRunning | None:
    """That of a track, from its sums; None: these are not kept. Raises DamagedStore, NotBuilt."""
    running = _RUNNING.get(reader, track, _UNREAD)
    if not isinstance(running, _Unread):
        return running
    sums = track_sums(reader, track, kinds)
    return None if sums is None else _running(sums)


def _running(of: OperationSums) -> TrackRunning:
    taken = sum_of(of.total) - sum_of(of.inner)
    return TrackRunning(len(of), np.packbits(of.alone == 1), of.busy_ticks, taken)


def track_step_sums(reader: QueryReader, track: int) -> StepSums | None:
    """What a track's operations take in whole steps; None: it is not kept. Raises DamagedStore, NotBuilt."""
    record = reader.store.step_sums_record(track)
    return None if record is None else StepSums.decode(decompress(record), track)


class _Unread:
    """Stands for a record that has not been read: there may be none in the store."""


_UNREAD: Final = _Unread()
_KIND_BYTES: Final = 600  # of a kind with stats


def _kinds_size(kinds: TrackKinds | None) -> int:
    """About what it takes."""
    if kinds is None:
        return 0
    columns = OperationKinds.of(kinds.kinds)
    return estimated_bytes(kinds) + columns.metadata.nbytes + len(columns.stats) * _KIND_BYTES


_TRACK_KINDS: Final = KeyedCache[QueryReader, int, TrackKinds | None](
    "operation_kinds", "Kinds of operations of tracks", _kinds_size
)
_RUNNING: Final = KeyedRunCache[int, TrackRunning | None]("operation_times", "When operations of tracks run, in all")


class OperationRecords:
    """Reads for one question."""

    def __init__(self, reader: QueryReader, track: int, kinds: TrackKinds) -> None:
        self.kinds = kinds
        self._reader = reader
        self._reading = Reading(reader)
        self._track = track

    def meets(self, number: int, windows: Windows) -> bool:
        """Whether a record has operations in the windows."""
        start, stop = self.kinds.start[number : number + 1], self.kinds.stop[number : number + 1]
        # An event of no length at the end of a record is in a window that begins there.
        return bool(windows.meet(start, np.maximum(stop, self.kinds.last_start[number] + 1))[0])

    def met(self, windows: Windows) -> list[int]:
        """The records that have operations in the windows."""
        of = self.kinds
        return np.flatnonzero(windows.meet(of.start, np.maximum(of.stop, of.last_start + 1))).tolist()

    @staticmethod
    def first(number: int) -> int:
        """The first event of a record."""
        return number * CHUNK_OPERATIONS

    def operations(self, number: int) -> Operations:
        """Those of a record. Raises DamagedStore."""
        first = self.first(number)
        of = Operations.decode(decompress(self._reader.store.operations_record(self._track, first)), self._track)
        count, last = len(self.kinds.kinds), self.kinds.records - 1
        full = len(of) == CHUNK_OPERATIONS or (number == last and len(of) < CHUNK_OPERATIONS)
        within = of.kind.min() >= 0 and of.kind.max() < count and of.parent.min() >= -1 and of.parent.max() < count
        if not (full and within and of.duration.min() >= 0):
            raise self._damaged(first)
        return of

    def durations(self, number: int, places: Ints) -> Ints:
        """How long some of a record's operations take on the device, ps, by their places there. Raises DamagedStore."""
        of = self.operations(number)
        if int(places.max(initial=0)) >= len(of):
            raise self._damaged(self.first(number))
        return of.duration[places]

    def add_to(
        self, sums: _native.PartSums, number: int, borders: TrackBorders, left_out: Ints
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Adds those of a record to sums, but for some ordinals. Raises DamagedStore, OverflowError.

        Of these kind, parent, duration and number are returned.
        """
        first = self.first(number)
        record = decompress(self._reader.store.operations_record(self._track, first))
        try:
            size, *told = sums.add(record, self._track, CHUNK_OPERATIONS, first, borders.first, borders.last, left_out)
        except (_native.DamagedContainer, ValueError):
            raise self._damaged(first) from None
        if size != CHUNK_OPERATIONS and number != self.kinds.records - 1:
            raise self._damaged(first)
        kind, parent, duration, numbers = told
        return kind, parent, duration, numbers

    def add_whole(self, sums: _native.KindSums, number: int) -> NDArray[np.uint8]:
        """Adds all of a record to sums; returns of each of `SUMMED` 1 if it has it. Raises DamagedStore."""
        first = self.first(number)
        record = decompress(self._reader.store.operations_record(self._track, first))
        try:
            size, has = sums.add_record(record, self._track, CHUNK_OPERATIONS, first, _SUMMED)
        except (_native.DamagedContainer, ValueError):
            raise self._damaged(first) from None
        if size != CHUNK_OPERATIONS and number != self.kinds.records - 1:
            raise self._damaged(first)
        return has

    def count_in(
        self, counts: _native.WindowCounts, number: int, ranges: EventRanges, kinds: CountedKinds
    ) -> CountedRecord:
        """Adds those of a record to counts; time of operations that are cut is left out. Raises DamagedStore."""
        first = self.first(number)
        record = decompress(self._reader.store.operations_record(self._track, first))
        some = (first, ranges.first, ranges.last, ranges.window, kinds.place, kinds.is_timed, _SAID, kinds.special)
        cut = ranges.opened.between(first, first + CHUNK_OPERATIONS).ordinal
        try:
            size, says, special, numbers, kind, parent, duration = counts.add(
                record, self._track, CHUNK_OPERATIONS, *some, cut
            )
        except (_native.DamagedContainer, ValueError):
            raise self._damaged(first) from None
        if size != CHUNK_OPERATIONS and number != self.kinds.records - 1:
            raise self._damaged(first)
        return CountedRecord(says, special, numbers, kind, parent, duration)

    def _damaged(self, first: int) -> DamagedStore:
        return DamagedStore(f"the operations of track {self._track} from event {first} on make no sense")

    def events(self, number: int, count: int) -> Events:
        """The events of a record, which has so many. Raises DamagedStore."""
        kinds, first = self.kinds, self.first(number)
        window = Windows.one(int(kinds.start[number]), int(kinds.last_start[number]) + 1)
        plan = self._reader.plan(self._track, window)
        parts = [no_events(self._track), *self._reading.events_and_outliers(plan, plan.leaf_runs)]
        events = join(parts)
        events = events.take((events.ordinal >= first) & (events.ordinal < first + count))
        events = events.take(np.argsort(events.ordinal, kind="stable"))
        if len(events) != count:
            raise DamagedStore(f"track {self._track} has other events than operations from {first} on")
        return events

    def events_in(self, number: int, count: int, windows: Windows) -> Events:
        """Those of them that have a tick in the windows, or start in one. Raises DamagedStore."""
        kinds, first = self.kinds, self.first(number)
        stop = max(int(kinds.stop[number]), int(kinds.last_start[number]) + 1)
        plan = self._reader.plan(self._track, windows.clipped(int(kinds.start[number]), stop))
        events = join([no_events(self._track), *self._reading.events_and_outliers(plan, plan.leaf_runs)])
        return events.take((events.ordinal >= first) & (events.ordinal < first + count))
