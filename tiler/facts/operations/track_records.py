"""The records of a track's operations: their kinds, their sums, and the operations that have ticks in windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.caches import KeyedCache
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.operations.track_borders import EventRanges, Opened, TrackBorders, track_borders
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import Interruptible, QueryReader, Reading, join, no_events
from tilescope.tiler.query.events import Events
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.device.kind_counts import SAID
from tilescope.tiler.records.device.operation_sums import OPERATION_SUMS, SUMMED, OperationSums
from tilescope.tiler.records.device.operations import (
    CHUNK_OPERATIONS,
    KINDS,
    NUMBERS,
    OPERATIONS,
    OperationKinds,
    Operations,
    TrackKinds,
)
from tilescope.tiler.records.device.step_sums import STEP_SUMS, StepSums
from tilescope.tiler.store.store import need
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CountedKinds:
    """The place where each kind of a track is counted; and 1 if its time is added up, no values where none is."""

    place: Ints
    is_timed: NDArray[np.uint8]
    special: int  # the first place of those of which it is looked whether they say numbers themselves


@dataclass(frozen=True, slots=True)
class CountedRecord:
    """Numbers that operations of a record say themselves, and columns of the operations that windows cut."""

    says: NDArray[np.uint8]  # of `SAID` each
    special: Ints  # ordinals of those of special places that say anything
    numbers: Ints  # what these say, of `SAID` each, -1 nothing
    kind: Ints
    parent: Ints
    duration: Ints


@dataclass(frozen=True, slots=True)
class CutOperations:
    """Operations that windows cut, columns of shape (n,): times of the timeline, and the device's `duration`."""

    start: Ints
    end: Ints
    kind: Ints
    parent: Ints
    duration: Ints

    @classmethod
    def from_records(cls, opened: Opened, records: Sequence[CountedRecord]) -> CutOperations:
        """Operations of records, which have all that are opened."""
        none = np.zeros(0, np.int64)
        columns = zip(*((record.kind, record.parent, record.duration) for record in records), strict=True)
        kind, parent, duration = (np.concatenate(column) for column in columns) if records else (none, none, none)
        return cls(opened.start, opened.end, kind, parent, duration)

    def __len__(self) -> int:
        return len(self.kind)


_SUMMED: Final = np.array([NUMBERS[name] for name in SUMMED], np.uint8)

_SAID: Final = np.array([NUMBERS[name] for name in SAID], np.uint8)


def track_kinds(reader: QueryReader, track: int) -> TrackKinds | None:
    """The kinds of a track's operations; None: they are not kept. Raises DamagedStore, NotBuilt."""
    kinds = _TRACK_KINDS.get(reader, track, _UNREAD)
    if isinstance(kinds, _Unread):
        record = reader.store.get(KINDS, track)
        kinds = None if record is None else TrackKinds.decode(decompress(record))
        _TRACK_KINDS.keep(reader, track, kinds)
    return kinds


def track_sums(reader: QueryReader, track: int, kinds: TrackKinds) -> OperationSums | None:
    """The sums of all of a track's operations; None: they are not kept. Raises DamagedStore, NotBuilt."""
    record = reader.store.get(OPERATION_SUMS, track)
    sums = None if record is None else OperationSums.decode(decompress(record), track)
    if sums is not None and len(sums) != len(kinds.kinds):
        raise DamagedStore(f"track {track} has sums of other kinds of operations than it has")
    _RUNNING.keep(reader, track, None if sums is None else _running(sums))
    return sums


def whole_sums(reader: QueryReader, track: int, windows: Windows) -> OperationSums | None:
    """The same where one window has all of these operations, from their starts to their ends; None elsewhere."""
    kinds = track_kinds(reader, track)
    if kinds is None:
        return None
    stop = np.maximum(kinds.stop, kinds.last_start + 1)
    is_whole = bool(windows.cover(kinds.start[:1], stop.max(keepdims=True)).all())
    return track_sums(reader, track, kinds) if is_whole else None


@dataclass(frozen=True, slots=True)
class TrackRunning:
    """Times in which the operations of a track run: what is kept of its sums for the next question."""

    kinds: int
    alone_bits: NDArray[np.uint8]  # of each kind whether none of its events shares a tick with another one
    busy_ticks: int  # in which any runs
    taken_ps: int  # on the device, by all that lie in no other one

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Mask of the kinds of which no event shares a tick with another event of the track."""
        return np.unpackbits(self.alone_bits, count=self.kinds).astype(np.bool_)


def track_running(reader: QueryReader, track: int, kinds: TrackKinds) -> TrackRunning | None:
    """That of a track, from its sums; None: these are not kept. Raises DamagedStore, NotBuilt."""
    running = _RUNNING.get(reader, track, _UNREAD)
    if not isinstance(running, _Unread):
        return running
    sums = track_sums(reader, track, kinds)
    return None if sums is None else _running(sums)


def _running(sums: OperationSums) -> TrackRunning:
    taken = sum_of(sums.total) - sum_of(sums.inner)
    return TrackRunning(len(sums), np.packbits(sums.alone == 1), sums.busy_ticks, taken)


def track_step_sums(reader: QueryReader, track: int) -> StepSums | None:
    """Sums of a track's operations in whole steps; None: they are not kept. Raises DamagedStore, NotBuilt."""
    record = reader.store.get(STEP_SUMS, track)
    return None if record is None else StepSums.decode(decompress(record), track)


class _Unread:
    """Stands for a record that has not been read: there may be none in the store."""


_UNREAD: Final = _Unread()

_KIND_BYTES: Final = 600  # of a kind with stats
_RECORD_BYTES: Final = 80


def _kinds_size(kinds: TrackKinds | None) -> int:
    """About what it takes."""
    if kinds is None:
        return 0
    columns = OperationKinds.of(kinds.kinds)
    return columns.metadata.nbytes + len(columns.stats) * _KIND_BYTES + kinds.records * _RECORD_BYTES


_TRACK_KINDS: Final = KeyedCache[QueryReader, int, TrackKinds | None](
    "operation_kinds", "Kinds of operations of tracks", _kinds_size
)


_RUNNING: Final = KeyedRunCache[int, TrackRunning | None](
    "operation_times",
    "When operations of tracks run, in all",
    lambda running: running.alone_bits.nbytes if running else 0,
)


KindChange = Callable[[Operations, int], Operations]
"""Takes the operations of a record, and the ordinal of the first of them."""


class OperationRecords:
    """Reads for one question."""

    def __init__(self, reader: QueryReader, track: int, kinds: TrackKinds, change: KindChange | None = None) -> None:
        """`change`: makes other kinds of those that are stored, of which there may be more."""
        self.kinds = kinds
        self._change = change
        self._reader = reader
        self._reading = Reading(reader)
        self._track = track

    def meets(self, number: int, windows: Windows) -> bool:
        """True if a record has operations in the windows."""
        start, stop = self.kinds.start[number : number + 1], self.kinds.stop[number : number + 1]
        # An event of no length at the end of a record is in a window that begins there.
        return bool(windows.meet(start, np.maximum(stop, self.kinds.last_start[number] + 1))[0])

    def met(self, windows: Windows) -> list[int]:
        """The records that have operations in the windows."""
        kinds = self.kinds
        return np.flatnonzero(windows.meet(kinds.start, np.maximum(kinds.stop, kinds.last_start + 1))).tolist()

    @staticmethod
    def first(number: int) -> int:
        """The first event of a record."""
        return number * CHUNK_OPERATIONS

    @contextmanager
    def _adding(self, first: int) -> Iterator[None]:
        """Turns errors of the native module, while it adds the record that begins with an event, into DamagedStore."""
        try:
            yield
        except (_native.DamagedContainer, ValueError):
            raise self._damaged(first) from None

    def _check_size(self, size: int, number: int) -> None:
        """Raises DamagedStore for the size of a record that is neither full nor the last one."""
        if size != CHUNK_OPERATIONS and number != self.kinds.records - 1:
            raise self._damaged(self.first(number))

    def _record(self, first: int) -> bytes:
        return decompress(need(self._reader.store, OPERATIONS, self._track, first))

    def operations(self, number: int) -> Operations:
        """Operations of a record. Raises DamagedStore."""
        first = self.first(number)
        operations = Operations.decode(self._record(first), self._track)
        count, last = len(self.kinds.kinds), self.kinds.records - 1
        full = len(operations) == CHUNK_OPERATIONS or (number == last and len(operations) < CHUNK_OPERATIONS)
        within = (
            operations.kind.min() >= 0
            and operations.kind.max() < count
            and operations.parent.min() >= -1
            and operations.parent.max() < count
        )
        if not (full and within and operations.duration.min() >= 0):
            raise self._damaged(first)
        return operations if self._change is None else self._change(operations, first)

    def durations(self, number: int, places: Ints) -> Ints:
        """Time of a record's operations on the device, ps, by their places there. Raises DamagedStore."""
        operations = self.operations(number)
        if int(places.max(initial=0)) >= len(operations):
            raise self._damaged(self.first(number))
        return operations.duration[places]

    def add_to(
        self, sums: _native.PartSums, number: int, borders: TrackBorders, left_out: Ints
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Adds those of a record to sums, but for some ordinals. Raises DamagedStore, OverflowError.

        Of these kind, parent, duration and number are returned.
        """
        first = self.first(number)
        record = self._record(first)
        with self._adding(first):
            size, kind, parent, duration, numbers = sums.add(
                record, self._track, CHUNK_OPERATIONS, first, borders.first, borders.last, left_out
            )
        self._check_size(size, number)
        return kind, parent, duration, numbers

    def add_whole(self, sums: _native.KindSums, number: int) -> NDArray[np.uint8]:
        """Adds all of a record to sums; returns of each of `SUMMED` 1 if it has it. Raises DamagedStore."""
        first = self.first(number)
        record = self._record(first)
        with self._adding(first):
            size, has = sums.add_record(record, self._track, CHUNK_OPERATIONS, first, _SUMMED)
        self._check_size(size, number)
        return has

    def count_in(
        self, counts: _native.WindowCounts, number: int, ranges: EventRanges, kinds: CountedKinds
    ) -> CountedRecord:
        """Adds those of a record to counts; time of operations that are cut is left out. Raises DamagedStore."""
        first = self.first(number)
        cut = ranges.opened.between(first, first + CHUNK_OPERATIONS).ordinal
        record = self._record(first)
        with self._adding(first):
            size, says, special, numbers, kind, parent, duration = counts.add(
                record,
                self._track,
                CHUNK_OPERATIONS,
                first,
                ranges.first,
                ranges.last,
                ranges.window,
                kinds.place,
                kinds.is_timed,
                _SAID,
                kinds.special,
                cut,
            )
        self._check_size(size, number)
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
        """Events of a record that have a tick in the windows, or start in one. Raises DamagedStore."""
        kinds, first = self.kinds, self.first(number)
        stop = max(int(kinds.stop[number]), int(kinds.last_start[number]) + 1)
        plan = self._reader.plan(self._track, windows.clipped(int(kinds.start[number]), stop))
        events = join([no_events(self._track), *self._reading.events_and_outliers(plan, plan.leaf_runs)])
        return events.take((events.ordinal >= first) & (events.ordinal < first + count))


@dataclass(frozen=True, slots=True)
class RecordPart:
    """The operations of a record, and what of them lies in windows."""

    operations: Operations
    starts: Mask  # operations that start in a window
    cut: Sequence[tuple[int, int, int]]  # place in the record, start and end of each event that a border cuts


@dataclass(frozen=True, slots=True)
class RecordsInWindows:
    """The records of a track that have operations in windows, by `numbers`. For any thread: `are_whole` and `part`."""

    records: OperationRecords
    borders: TrackBorders
    numbers: Sequence[int]

    def are_whole(self, number: int) -> bool:
        """True if all operations of a record, which may have as many as fit, lie in one window."""
        first = self.records.first(number)
        return self.borders.is_whole(first, first + CHUNK_OPERATIONS)

    def part(self, number: int) -> RecordPart:
        """The operations of a record. Raises DamagedStore."""
        operations, first = self.records.operations(number), self.records.first(number)
        starts, opened = self.borders.cut_out(first, first + len(operations))
        columns = (opened.ordinal - first, opened.start, opened.end)
        cut = list(zip(*(column.tolist() for column in columns), strict=True))
        return RecordPart(operations, starts, cut)


def records_in(
    reader: QueryReader, track: int, kinds: TrackKinds, windows: Windows, change: KindChange | None = None
) -> Interruptible[RecordsInWindows]:
    """The records of a track that have operations in the windows. Raises DamagedStore, NotBuilt.

    `change`: as `OperationRecords` takes it.
    """
    records = OperationRecords(reader, track, kinds, change)
    borders = yield from track_borders(reader, track, windows.starts, windows.stops)
    return RecordsInWindows(records, borders, records.met(windows))
