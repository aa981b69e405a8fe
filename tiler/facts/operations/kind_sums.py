"""Time that the operations of a track take, by kind, in any windows: exactly.

Windows lie on the time axis of the timeline, durations are the device's, and the two need not agree. An operation that
a window cuts takes the part of its duration that the cut leaves of the event: from its start to tick t it takes
floor(duration * (t - start) / (end - start)), so that windows which touch add up. What it does and says of itself is
cut in the same way. How often something happens belongs to the window in which the event starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, Mask, exact, products
from tilescope.tiler.facts.operations.graph_operations import GraphOperations
from tilescope.tiler.facts.operations.track_records import RecordsInWindows, records_in, track_kinds, whole_sums
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.operation_sums import SUMMED, OperationSums
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS, Operations, TrackKinds
from tilescope.tiler.records.device.xla_words import DMA_STALL
from tilescope.tiler.store.two_threads import WORTH_A_THREAD, for_each
from tilescope.tiler.windows import Windows

Row = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class CutParts:
    """The ticks [first, last) of events of `length` ticks, and the kind of each: columns of shape (n,)."""

    kind: Ints
    first: Ints
    last: Ints
    length: Ints

    @classmethod
    def from_rows(cls, rows: Iterable[Row]) -> CutParts:
        """Parts with these columns."""
        return cls(*np.array(list(rows), np.int64).reshape(-1, 4).T)

    def __len__(self) -> int:
        return len(self.kind)

    def placed(self, places: Ints) -> CutParts:
        """The same by the place of each kind."""
        return CutParts(places[self.kind], self.first, self.last, self.length)

    def take(self, which: Ints | Mask) -> CutParts:
        """Some of them."""
        return CutParts(self.kind[which], self.first[which], self.last[which], self.length[which])

    @classmethod
    def added_columns(cls, tracks: Sequence[CutParts], columns: Sequence[Exact], uncut: Exact) -> list[Exact]:
        """Several columns as `added`, of the parts of several tracks; columns may be longer than `uncut`."""
        each = [(parts.kind, parts.first, parts.last, parts.length) for parts in (cls.from_rows([]), *tracks)]
        joined = cls(*map(np.concatenate, zip(*each, strict=True)))
        return [joined.added(column[: len(uncut)], uncut) for column in columns]

    def parts(self, done: Exact) -> list[int]:
        """Amount that each part does, from what an operation of each kind does as a whole."""
        return self._parts(done[self.kind].tolist())

    def parts_of(self, done: int) -> list[int]:
        """The same where an operation of any kind does so much."""
        return self._parts([done] * len(self))

    def _parts(self, done: Iterable[int]) -> list[int]:
        columns = (self.first.tolist(), self.last.tolist(), self.length.tolist())
        return [
            value * last // length - value * first // length
            for value, first, last, length in zip(done, *columns, strict=True)
        ]

    def added(self, done: Exact, uncut: Exact) -> Exact:
        """Amount that all operations of each kind do, from what a single one does: uncut ones and parts."""
        whole = products(done, uncut)
        parts = self.parts(done) if len(self) else []
        if not any(parts):
            return whole
        sums = whole.astype(object)
        np.add.at(sums, self.kind, np.array(parts, object))
        return exact(sums.tolist())


NO_PARTS = CutParts.from_rows([])


def cut_rows(windows: Windows, kind: int, start: int, end: int) -> list[Row]:
    """The parts of an event [start, end) that lie in windows."""
    within = windows.clipped(start, end)
    pieces = zip(within.starts.tolist(), within.stops.tolist(), strict=True)
    return [(kind, first - start, last - start, end - start) for first, last in pieces]


class Occurrences:
    """Goes over the records of a track, in any order.

    An occurrence begins where another group begins, and where the kind of its first operation comes again: of A B A B
    there are two. So it depends on what came before, never on what is looked at.
    """

    def __init__(self, group: Ints, record: Callable[[int], Operations]) -> None:
        """`group`: of each kind."""
        self._group = group
        self._record = record
        self._ended = -1  # the last record that was gone over,
        self._first = -1  # and the first kind of the group that it ends with

    def firsts(self, kind: Ints, number: int) -> NDArray[np.bool_]:
        """Mask of the operations of a record that begin an occurrence."""
        group = self._group[kind]
        begins = np.diff(group, prepend=-1) != 0
        before = self._first_at_end(number - 1, int(group[0]))
        if before >= 0:
            begins[0] = False
        firsts = np.concatenate([[before], kind[np.flatnonzero(begins)]])
        of_run = firsts[np.cumsum(begins)]
        self._ended, self._first = number, int(of_run[-1])
        are_first: NDArray[np.bool_] = kind == of_run
        return are_first

    def _first_at_end(self, number: int, group: int) -> int:
        """The first kind of those of a group that a record ends with; -1: it ends with another one."""
        if number < 0:
            return -1
        if number == self._ended:
            return self._first if self._group[self._first] == group else -1
        first = -1
        while number >= 0:
            kind = self._record(number).kind
            others = np.flatnonzero(self._group[kind] != group)
            if len(others):
                after = int(others[-1]) + 1
                return int(kind[after]) if after < len(kind) else first
            first = int(kind[0])
            number -= 1
        return first


_SMALL: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class PlacedSums:
    """Sums of the operations of one track; columns of shape (kinds,), as in `KindSums`."""

    places: Ints
    columns: tuple[Exact, Exact, Exact, Exact]  # count, uncut, total and own
    stall: Exact | None
    shortest: Ints
    longest: Ints
    is_there: Mask
    cut: CutParts


@dataclass(slots=True)
class KindSums:
    """Sums of the operations of one track, by kind."""

    kinds: TrackKinds
    count: Ints  # that start in the windows
    total: Exact  # ps
    inner: Exact  # ps of those that lie directly in one of this kind
    longest: Ints  # duration of those that start in the windows, ps; -1: none does
    longest_at: Ints  # the first event that takes so long; -1
    empty: Ints  # that start in the windows and take no time
    shortest_lasting: Ints  # the least duration of the others; -1
    occurrences: Ints  # that begin in the windows: of `count`, by groups; all of it where there are none
    uncut: Ints  # of `occurrences`, those that windows do not cut
    cut: CutParts  # of the others, those that begin an occurrence
    numbers: dict[str, Exact] = field(default_factory=dict)  # sums of stats, cut as the operations are
    is_there: Mask = field(init=False)  # kinds with operations that start in the windows, or go on there
    shortest: Ints = field(init=False)  # the least duration of those that start in the windows, ps; -1: none does

    def __post_init__(self) -> None:
        # On the device one may have others in it whose events lie beside its own. Where only they are, its own time is
        # negative, and without it the sum over all kinds is not the time of the device.
        self.is_there = (self.count > 0) | (self.total > 0) | (self.inner > 0)
        self.is_there[self.cut.kind] = True
        self.shortest = np.where(self.empty > 0, 0, self.shortest_lasting)

    def done(self, kind: int, value: int) -> int:
        """Amount that the operations of a kind do together, if each does `value` as a whole."""
        whole = value * int(self.uncut[kind])
        return whole + sum(self.cut.take(self.cut.kind == kind).parts_of(value)) if value and len(self.cut) else whole

    def placed(self, places: Ints) -> PlacedSums:
        """The sums with the place of each kind, to be added to those of other tracks."""
        stall = self.numbers.get(DMA_STALL)
        return PlacedSums(
            places,
            (self.count, self.uncut, self.total, self.own),
            stall,
            self.shortest,
            self.longest,
            self.is_there,
            self.cut.placed(places),
        )

    def custom_costs(self, kind: int, costs: Sequence[int | None]) -> list[int]:
        """FLOPs, model FLOPs and bytes of operations of a kind that may say these themselves.

        `costs` are those of one run of the instruction, which count where no operation says any.
        """
        flops, model_flops, moved = (self.done(kind, value or 0) for value in costs)
        if "flops" in self.numbers:
            flops = model_flops = int(self.numbers["flops"][kind])
        if "model_flops" in self.numbers:
            model_flops = int(self.numbers["model_flops"][kind])
        if "bytes_accessed" in self.numbers:
            moved = int(self.numbers["bytes_accessed"][kind])
        return [flops, model_flops, moved]

    @property
    def own(self) -> Exact:
        """Time in which none of the operations in it runs, ps."""
        times: Exact = self.total - self.inner
        return times


def kind_sums(reader: QueryReader, track: int, windows: Windows) -> Interruptible[KindSums | None]:
    """The sums of a track; None: its operations are not kept. Raises DamagedStore, NotBuilt."""
    kinds = track_kinds(reader, track)
    if kinds is None:
        return None
    whole = stored_sums(reader, track, windows)
    return (yield from record_sums(reader, track, kinds, windows)) if whole is None else whole


def record_sums(
    reader: QueryReader,
    track: int,
    kinds: TrackKinds,
    windows: Windows,
    group: Ints | None = None,
    graphs: GraphOperations | None = None,
) -> Interruptible[KindSums]:
    """The sums of a track, from its records. Raises DamagedStore, NotBuilt.

    `group`: the number of each kind's group. Operations of a group that follow each other are one occurrence, at the
    first of them, until its kind comes again. `graphs`: those that say which kinds the operations of graphs are.
    """
    records = yield from records_in(reader, track, kinds, windows, None if graphs is None else graphs.applied)
    left_out = _left_out(reader, track)
    first, second = _Summing(records, windows, left_out, group, graphs), None
    # Two threads, each with sums of its own. What occurs is told from record to record: by one.
    if group is None and len(records.numbers) >= WORTH_A_THREAD:
        second = _Summing(records, windows, left_out, group, graphs)
    yield from for_each(records.numbers, lambda number, into: into.add(number), first, second)
    return first.sums(second)


def stored_sums(reader: QueryReader, track: int, windows: Windows) -> KindSums | None:
    """The same in one piece, where windows leave all of a track and its sums are stored; else None.

    For any thread. Raises DamagedStore, NotBuilt.
    """
    sums = None if len(_left_out(reader, track)) else whole_sums(reader, track, windows)
    kinds = track_kinds(reader, track)
    return None if sums is None or kinds is None else _stored_kind_sums(kinds, sums)


def _left_out(reader: QueryReader, track: int) -> Ints:
    """The outliers of a track, by ordinal."""
    ordinals = None if reader.outliers is None else reader.outliers.ordinals(track)
    return np.zeros(0, np.int64) if ordinals is None else ordinals


def _stored_kind_sums(kinds: TrackKinds, sums: OperationSums) -> KindSums:
    return KindSums(
        kinds,
        sums.count,
        sums.total,
        sums.inner,
        sums.longest,
        sums.longest_at,
        sums.empty,
        sums.shortest_lasting,
        sums.count,
        sums.count,
        NO_PARTS,
        dict(sums.numbers),
    )


class _Summing:
    """Goes over records of a track."""

    def __init__(
        self,
        records: RecordsInWindows,
        windows: Windows,
        left_out: Ints,
        group: Ints | None,
        graphs: GraphOperations | None = None,
    ) -> None:
        self._records = records
        self._graphs = graphs
        kinds = self._kinds = records.records.kinds
        self._occurrences = None if group is None else Occurrences(group, records.records.operations)
        self._windows = windows
        self._left_out = left_out
        self._sums = _native.KindSums(len(kinds.kinds), len(SUMMED))
        self._numbers: set[str] = set()  # that any has
        self._cut: list[Row] = []
        self._cut_starts = np.zeros(len(kinds.kinds), np.int64)  # of those that are counted, the ones that are cut

    def add(self, number: int) -> None:
        """Adds what of a record lies in the windows."""
        left_out = self._left_out
        if len(left_out):
            first = self._records.records.first(number)
            left_out = left_out[(left_out >= first) & (left_out < first + CHUNK_OPERATIONS)] - first
        if self._occurrences is None and not len(left_out) and self._records.are_whole(number):
            has = self._records.records.add_whole(self._sums, number)
            self._numbers.update(name for name, is_there in zip(SUMMED, has.tolist(), strict=True) if is_there)
            return
        record = self._records.part(number)
        operations, starts = record.operations, record.starts.copy()
        parts: Ints = np.where(starts, operations.duration, 0)
        for row, start, end in record.cut:
            parts[row] = clipped(self._windows, start, end, int(operations.duration[row]))
        starts[left_out], parts[left_out] = False, 0
        self._add(operations, starts, parts, number, [row for row in record.cut if row[0] not in left_out])

    def sums(self, other: _Summing | None) -> KindSums:
        """The sums of both."""
        sums, stats, cut, cut_starts = self._sums, set(self._numbers), self._cut, self._cut_starts
        if other is not None:
            sums.merge(other._sums)
            stats |= other._numbers
            cut, cut_starts = cut + other._cut, cut_starts + other._cut_starts
        numbers = {name: _exact(*sums.number(place)) for place, name in enumerate(SUMMED) if name in stats}
        *columns, total, inner = sums.take()
        count, empty, occurrences, longest, longest_at, shortest_lasting = map(_plain, columns)
        occurrences = count if self._occurrences is None else occurrences
        return KindSums(
            self._kinds,
            count,
            _exact(*total),
            _exact(*inner),
            longest,
            longest_at,
            empty,
            shortest_lasting,
            occurrences,
            occurrences - cut_starts,
            CutParts.from_rows(cut),
            numbers,
        )

    def _add(
        self,
        operations: Operations,
        starts: NDArray[np.bool_],
        parts: Ints,
        number: int,
        cut: Sequence[tuple[int, int, int]],
    ) -> None:
        """`cut`: place in the record, start and end of those that windows cut."""
        counted = (
            np.ones(len(operations), np.bool_)
            if self._occurrences is None
            else self._occurrences.firsts(operations.kind, number)
        )
        if self._graphs is not None:
            counted = self._graphs.counted(counted, self._records.records.first(number))
        begins = starts & counted
        flags, begin_flags = starts.view(np.uint8), begins.view(np.uint8)
        self._sums.add(
            operations.kind,
            operations.parent,
            operations.duration,
            parts,
            flags,
            begin_flags,
            self._records.records.first(number),
        )
        are_whole = starts.copy()
        for row, start, end in cut:
            are_whole[row] = False
            if counted[row]:
                self._cut += cut_rows(self._windows, int(operations.kind[row]), start, end)
                self._cut_starts[operations.kind[row]] += int(begins[row])
        whole_flags = are_whole.view(np.uint8)
        for place, name in enumerate(SUMMED):
            if name in operations.numbers:
                self._numbers.add(name)
                self._sums.add_number(
                    place, operations.kind[operations.told], operations.numbers[name], whole_flags[operations.told]
                )
                for row, start, end in cut:
                    (value,) = operations.number(name, np.array([row])).tolist()
                    part = clipped(self._windows, start, end, max(value, 0))
                    self._sums.add_number(place, operations.kind[row : row + 1], np.array([part]), np.ones(1, np.uint8))


def clipped(windows: Windows, start: int, end: int, duration: int) -> int:
    """The part of the duration of an event [start, end) that lies in windows."""
    if end <= start:
        return duration if bool(windows.hold(np.array([start]))[0]) else 0
    within = windows.clipped(start, end)
    length = end - start
    return sum(
        duration * (last - start) // length - duration * (first - start) // length
        for first, last in zip(within.starts.tolist(), within.stops.tolist(), strict=True)
    )


def _plain(column: Ints) -> Ints:
    """The same as numpy's own integers: `ufunc.at` adds the `long long` of native columns thirty times as slowly."""
    return np.asarray(column, np.int64)


def _exact(low: NDArray[np.uint64], high: NDArray[np.uint64]) -> Exact:
    """Sums whose low and high 64 bits these are: 64-bit integers where they fit."""
    if not high.any() and int(low.max(initial=0)) < _SMALL:
        return low.view(np.int64)
    sums: Exact = high.astype(object) * (1 << 64) + low.astype(object)
    return sums
