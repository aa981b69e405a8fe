"""Samples and allocations of a memory as its events, by time.

A sample and an allocation of the same moment are one event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns.memory_extents import NO_SIZE
from tilescope.tiler.facts.memory.allocation_rows import AllocationRows
from tilescope.tiler.facts.memory.fill_rows import FillRows
from tilescope.tiler.facts.memory.pool import MemoryPool
from tilescope.tiler.facts.memory.table_columns import Ints

Value = TypeVar("Value", bound=np.generic)

_NOTHING: Final = np.zeros(0, np.int64)


class Meeting(NamedTuple):
    """Samples of the moments of allocations."""

    place: Ints  # of each allocation, where there is one: of several of a moment the first meets the first
    is_there: NDArray[np.bool_]
    before: Ints  # the last sample before it, -1 if there is none


def _earlier(ticks: Ints) -> Ints:
    """Numbers of events before each that have its tick, by time."""
    places = np.arange(len(ticks))
    is_new = np.append(True, np.diff(ticks) > 0)[: len(ticks)]
    return places - np.maximum.accumulate(np.where(is_new, places, 0)) if len(ticks) else places


def meeting_samples(ticks: Ints, others: Ints) -> Meeting:
    """The samples, at ascending `ticks`, of the moments of allocations, at ascending `others`."""
    earlier = _earlier(others)
    if np.array_equal(ticks, others):  # profilers take a sample after each allocation
        places = np.arange(len(ticks))
        return Meeting(places, np.ones(len(ticks), np.bool_), places - earlier - 1)
    first = np.searchsorted(ticks, others)
    place = first + earlier
    inside = np.minimum(place, max(len(ticks) - 1, 0))
    is_there = ticks[inside] == others if len(ticks) else np.zeros(len(others), np.bool_)
    return Meeting(inside, is_there & (place < len(ticks)), first - 1)


class _Events(NamedTuple):
    """Samples and allocations by time; None for places that are those of the events themselves."""

    time: Ints
    sample: Ints | None  # that holds by then, -1 before the first
    is_sample: NDArray[np.bool_] | None  # it is of this moment, and this event's
    row: Ints | None  # of the allocations, -1 for a sample alone


def _events(fill: FillRows | None, rows: AllocationRows | None) -> _Events:
    if rows is None or fill is None:
        part = fill if rows is None else rows
        times = _NOTHING if part is None else part.tick
        nothing = np.full(len(times), -1)
        return _Events(times, None if rows is None else nothing, None, nothing if rows is None else None)
    meeting = meeting_samples(fill.tick, rows.tick)
    is_alone = np.ones(len(fill), np.bool_)
    is_alone[meeting.place[meeting.is_there]] = False
    samples = np.flatnonzero(is_alone)
    if not len(samples) and len(rows) == len(fill):  # each allocation meets a sample: the same one
        return _Events(fill.tick, None, None, None)
    times = np.concatenate([rows.tick, fill.tick[samples]])
    # Allocations of a moment before its other samples, which say what is there in the end.
    order = np.argsort(times, kind="stable")
    sample = np.concatenate([np.where(meeting.is_there, meeting.place, meeting.before), samples])[order]
    is_sample = np.concatenate([meeting.is_there, np.ones(len(samples), np.bool_)])[order]
    return _Events(times[order], sample, is_sample, np.where(order < len(rows), order, -1))


@dataclass(frozen=True, slots=True)
class PoolIdentity:
    """Properties of a memory of tables, whatever is read of it."""

    name: str
    host: int  # group of the track tree, -1 none
    track: int  # the counter that is drawn of it, or else a track of its host; -1 none
    has_counter: bool
    is_reserved: bool  # nothing says how much of it is allocated
    is_counted: bool  # nothing says how full it is
    has_addresses: bool  # what is freed is known


def joined_pool(identity: PoolIdentity, fill: FillRows | None, rows: AllocationRows | None) -> MemoryPool:
    """Events of both, by time. Fills are those of the component, where it is sampled by then."""
    events = _events(fill, rows)
    count = len(events.time)

    def figure(column: str) -> Ints:
        """Figures of the sample that holds by then, or else of the allocation."""
        own = _NOTHING if rows is None else getattr(rows, column)
        if fill is None:
            return own
        return _taken(getattr(fill, column), events.sample, _taken(own, events.row, np.int64(NO_SIZE)))

    allocated, reserved, active = figure("allocated"), figure("reserved"), figure("active")
    heap = _held(reserved if identity.is_reserved else allocated)
    nothing = np.broadcast_to(np.int64(-1), count)
    none = np.broadcast_to(np.int32(-1), count)
    is_made = is_freeing = np.zeros(count, np.bool_)
    size, operation, replaced = nothing, none, np.zeros(count, np.int32)
    if rows is not None:
        is_freeing = _taken(rows.is_free, events.row, np.False_)
        is_made = _taken(~rows.is_free, events.row, np.False_)
        size = _taken(rows.size, events.row, np.int64(-1))
        operation = _taken(rows.operation, events.row, np.int32(-1))
        replaced = _replaced(rows, events)
    if identity.is_counted:
        change = np.cumsum(np.where(is_freeing, -1, 1) * np.maximum(size, 0))
        heap = change - min(0, int(change.min(initial=0)))  # at least what is freed was there
    ordinals = nothing
    if fill is not None and identity.has_counter:
        ordinals = _taken(fill.ordinal, events.sample, np.int64(-1))
        if events.is_sample is not None:
            ordinals = np.where(events.is_sample, ordinals, -1)
    return MemoryPool(
        name=identity.name,
        host=identity.host,
        start=events.time,
        track=np.broadcast_to(np.int32(identity.track), count),
        ordinal=ordinals,
        is_made=is_made,
        is_free=is_freeing,
        stack=np.broadcast_to(np.int64(-1), count),
        heap=heap,
        free=nothing if identity.is_reserved else _free(heap, reserved),
        active=active if int(active.min(initial=0)) >= 0 else np.maximum(active, -1),
        fragmentation=np.broadcast_to(np.float64(np.nan), count),
        lifetime=nothing,
        requested=nothing,
        size=size,
        operation=operation,
        region=none,
        data_type=none,
        shape=none,
        replaced=replaced,
        texts=[] if rows is None else rows.words,
        source="tables",
        is_allocators=True,
        is_reserved=identity.is_reserved,
        is_counted=identity.is_counted,
        has_addresses=identity.has_addresses,
    )


def _taken(column: NDArray[Value], places: Ints | None, otherwise: Value | NDArray[Value]) -> NDArray[Value]:
    """The values at some places, of none the others; None: all as they are."""
    if places is None:
        return column
    is_there = places >= 0
    if not len(column):
        return np.broadcast_to(otherwise, len(places))
    return column[places] if is_there.all() else np.where(is_there, column[places], otherwise)


def _replaced(rows: AllocationRows, events: _Events) -> NDArray[np.int32]:
    """The event that frees the allocation of each; 0 of frees, which nothing replaces, and of samples."""
    if events.row is None:
        return np.where(rows.is_free, np.int32(0), rows.replaced)
    is_own = events.row >= 0
    position = np.zeros(len(rows) + 1, np.int32)
    position[events.row[is_own]] = np.flatnonzero(is_own)
    position[-1] = len(events.row)
    return _taken(np.where(rows.is_free, np.int32(0), position[rows.replaced]), events.row, np.int32(0))


def _free(heap: Ints, reserved: Ints) -> Ints:
    is_less = reserved < heap
    return np.where(is_less, -1, reserved - heap) if is_less.any() else reserved - heap


def _held(allocated: Ints) -> Ints:
    """Totals of which unknown ones are those before them; nothing before the first."""
    if int(allocated.min(initial=0)) >= 0:
        return allocated
    is_known = allocated >= 0
    last = np.maximum.accumulate(np.where(is_known, np.arange(len(allocated)), -1))
    return np.where(last >= 0, allocated[last], 0)
