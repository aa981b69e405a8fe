"""A track ready for the pyramid: times in ticks, slices paired, in canonical order, rows given."""

from __future__ import annotations

from typing import Protocol, TypeVar, cast

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import Phase
from tilescope.tiler.columns.pairing import Namesakes, pair
from tilescope.tiler.indexing.reading.arguments import gather_args
from tilescope.tiler.indexing.reading.correlations import SliceCorrelations, has_correlations, slice_correlations
from tilescope.tiler.indexing.reading.flow_rows import FlowRows, bound_rows, flow_rows
from tilescope.tiler.indexing.reading.timed import TimedEvents
from tilescope.tiler.indexing.scratch import SMALL_BYTES, PassingScratch, Scratch, parts

Ints = NDArray[np.int64]
_T = TypeVar("_T", bound=np.generic)

# So many values are looked at one by one in less time than numpy takes to begin.
_FEW = 16

_PAIRED = (Phase.BEGIN, Phase.END)
_FLOW_ENDS = (Phase.FLOW_START, Phase.FLOW_STEP, Phase.FLOW_END)


class _Move(Protocol):
    def __call__(self, array: NDArray[_T], /) -> NDArray[_T]: ...


class TrackData(Struct, frozen=True):
    """Columns of shape (n,), in canonical order: an event's rank in it is its ordinal. Times in ticks."""

    start: Ints
    duration: Ints
    row: NDArray[np.uint32]
    name: NDArray[np.int32]
    flags: NDArray[np.uint8]  # EventFlag
    value: NDArray[np.float64] | None  # of counter samples
    args_end: Ints
    args: NDArray[np.uint8]
    rows: int  # how many there are; at least 1
    busy: int  # sum of the durations

    def __len__(self) -> int:
        return len(self.start)

    def without_args(self) -> TrackData:
        """The same without arguments, whose memory is free then."""
        # `replace` takes ten times as long, and there may be 100,000 tracks.
        columns = self.start, self.duration, self.row, self.name, self.flags, self.value
        return TrackData(*columns, self.args_end[:0], self.args[:0], self.rows, self.busy)

    def settled(self, passing: PassingScratch) -> TrackData:
        """The same, made in `passing`, with its columns where they may stay."""
        if len(self) * self.start.itemsize <= SMALL_BYTES:  # as in most of many thousand tracks
            return self
        return self._moved(passing.settled)

    def spilled(self, scratch: Scratch) -> TrackData:
        """The same with its columns in files."""
        return self._moved(scratch.spill)

    def _moved(self, move: _Move) -> TrackData:
        value = None if self.value is None else move(self.value)
        columns = move(self.start), move(self.duration), move(self.row), move(self.name), move(self.flags), value
        return TrackData(*columns, self.args_end, self.args, self.rows, self.busy)


class Malformed(Struct, frozen=True):
    """Oddities of a track's events."""

    overlaps: int = 0  # slices that outlast one that encloses their start: put on extra rows
    ends_without_begin: int = 0  # left out
    begins_without_end: int = 0  # end with the slice around them, or with the trace
    renamed: int = 0  # begin and end have different names
    recategorised: int = 0  # begin and end have one name and different categories


class MadeSlices(Struct, frozen=True):
    """Slices made of a track's events."""

    data: TrackData
    malformed: Malformed
    flows: FlowRows | None  # flow ends that stand among the slices
    correlations: SliceCorrelations | None = None


def make_slices(
    events: TimedEvents,
    run_end: int,
    scratch: Scratch,
    budget: _native.MemoryBudget | None = None,
    namesakes: Namesakes | None = None,
    *,
    pairs_by_key: bool = True,
) -> MadeSlices:
    """Slices (and instants, which are slices of length 0). `run_end` is the tick at which open ones end.

    Without `namesakes` no two names have one text. `pairs_by_key`: a begin and its end have one key; else keys are of
    flow ends and correlations alone.

    Raises MemoryError when more are open at once than `budget` has room for.
    """
    slices = _Slices(events.start, events.duration, events.name, events.flags, None, None)
    phases = _phases(events)
    has_flow_ends = not phases.isdisjoint(_FLOW_ENDS)
    malformed, flows = Malformed(), None
    if not phases.isdisjoint(_PAIRED):
        rows = (events.start, events.duration, events.phase, events.name, events.key if pairs_by_key else None)
        pairs = pair(*rows, run_end, budget, scratch.empty, namesakes)
        flags = scratch.fill(len(pairs), np.dtype(np.uint8), lambda p: events.flags[pairs.source[p]] | pairs.flags[p])
        slices = _Slices(pairs.start, pairs.duration, pairs.name, flags, pairs.source, pairs.end_source)
        malformed = Malformed(0, pairs.ends_without_begin, pairs.begins_without_end, pairs.renamed, pairs.recategorised)
    elif has_flow_ends:
        slices = slices.in_order(np.flatnonzero(events.phase < Phase.FLOW_START), scratch)
    key = events.key if has_correlations(events.key) else None
    wants_source = events.flow_ends is not None or key is not None
    slices, order = _in_canonical_order(events, slices, scratch, wants_source)
    data, overlaps = _made(events, slices, scratch, budget)
    if has_flow_ends:
        flows = flow_rows(events, order, scratch, slices.end_source)
    elif events.flow_ends is not None:
        flows = bound_rows(events.flow_ends, order, scratch)
    correlations = None if key is None else slice_correlations(key, order, scratch)
    return MadeSlices(data, structs.replace(malformed, overlaps=overlaps), flows, correlations)


def make_samples(events: TimedEvents, scratch: Scratch) -> TrackData:
    """Counter samples, in the order (time, order in the file)."""
    order, args_end, args = None, events.args_end, events.args
    # Most are: then no column is copied.
    if not _native.in_canonical_order(events.start, events.duration):
        order = np.argsort(events.start, kind="stable")
        args_end, args = gather_args(scratch, args_end, args, order)
    value = np.full(len(events), np.nan) if events.value is None else events.value
    slices = _Slices(events.start, events.duration, events.name, events.flags, None, None).in_order(order, scratch)
    rows = scratch.fill(len(events), np.dtype(np.uint32), lambda part: np.zeros(part.stop - part.start, np.uint32))
    return TrackData(
        slices.start,
        slices.duration,
        rows,
        slices.name,
        slices.flags,
        scratch.pick(value, order),
        args_end,
        args,
        rows=1,
        busy=0,
    )


class _Slices(Struct, frozen=True):
    """Columns of slices in any order. `source` is the event that began each; None: all events, in file order."""

    start: Ints
    duration: Ints
    name: NDArray[np.int32]
    flags: NDArray[np.uint8]
    source: Ints | None
    end_source: Ints | None

    def in_order(self, order: Ints | None, scratch: Scratch) -> _Slices:
        if order is None:
            return self
        return _Slices(
            scratch.pick(self.start, order),
            scratch.pick(self.duration, order),
            scratch.pick(self.name, order),
            scratch.pick(self.flags, order),
            order if self.source is None else scratch.pick(self.source, order),
            None if self.end_source is None else scratch.pick(self.end_source, order),
        )


def _phases(events: TimedEvents) -> set[int]:
    """Phases that any event has."""
    if len(events) <= _FEW:
        return set(events.phase.tolist())
    if not events.phase.strides[0]:  # all are one number, of a reader of slices
        return {int(events.phase[0])}
    # Nearly all tracks hold events of one phase: those are told by a look at the least and the greatest.
    first, last = int(events.phase.min(initial=255)), int(events.phase.max(initial=0))
    if first >= last:
        return {last} if first == last else set()
    phases: set[int] = set()
    for part in parts(len(events)):
        phases.update(np.flatnonzero(np.bincount(events.phase[part])).tolist())
    return phases


def _in_canonical_order(
    events: TimedEvents, slices: _Slices, scratch: Scratch, wants_source: bool
) -> tuple[_Slices, Ints | None]:
    """The slices in canonical order, and the event that began each; None: they are in file order, or nobody asks."""
    if _native.in_canonical_order(slices.start, slices.duration):
        return slices, slices.source
    source = None
    if wants_source:
        source = scratch.fill(len(events), np.dtype(np.int64), lambda part: np.arange(part.start, part.stop))
    columns = slices.start, slices.duration, slices.name, slices.flags, events.args_end, events.args
    if slices.source is None and _native.order_ties(*columns, source):
        return slices, source
    slices = slices.in_order(canonical_order(slices.start, slices.duration, scratch), scratch)
    return slices, slices.source


def _made(
    events: TimedEvents, slices: _Slices, scratch: Scratch, budget: _native.MemoryBudget | None
) -> tuple[TrackData, int]:
    """The track of slices that are in canonical order, and how many of them overlap."""
    row = cast("NDArray[np.uint32]", scratch.empty(len(slices.start), np.uint32))
    rows, overlaps = _native.assign_rows(slices.start, slices.duration, row, budget)
    args_end, args = _args(events, slices, scratch)
    data = TrackData(
        slices.start,
        slices.duration,
        row,
        slices.name,
        slices.flags,
        None,
        args_end,
        args,
        rows=max(rows, 1),
        busy=exact_sum(slices.duration),
    )
    return data, overlaps


def canonical_order(start: Ints, duration: Ints, scratch: Scratch) -> Ints:
    """The positions of slices in the order (start, longer first, position)."""
    order = cast(Ints, scratch.empty(len(start), np.int64))
    _native.canonical_order(
        start, duration, order, cast(Ints, scratch.empty(_native.ORDER_SPACE * len(start), np.int64))
    )
    return order


def _args(events: TimedEvents, slices: _Slices, scratch: Scratch) -> tuple[Ints, NDArray[np.uint8]]:
    """Arguments in the order of the slices; those of a slice's end follow those of its begin."""
    if slices.source is None:
        return events.args_end, events.args
    return gather_args(scratch, events.args_end, events.args, slices.source, slices.end_source)


def exact_sum(values: Ints) -> int:
    """The sum as a Python integer: that of int64 could overflow."""
    high, low = _native.halves_of_sum(values)
    return (high << 32) + low
