"""Activity of a thread of a host at each instant: its innermost slice, and the innermost whose kind is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import Events, join, no_events
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Slices of a thread that are read once: a megabyte.
_FEW: Final = 20_000


@dataclass(frozen=True, slots=True)
class Segments:
    """Stretches of a thread in which one slice is innermost, columns of shape (n,), by time and disjoint. Ticks."""

    start: Ints
    stop: Ints
    name: Ints  # id of the name of the innermost slice
    kind: Ints  # HostKind
    holder: Ints  # id of the name that the kind is of; that of the outermost slice where there is no kind
    holder_start: Ints  # of the slice of that name
    holder_stop: Ints

    def __len__(self) -> int:
        return len(self.start)

    def take(self, which: Ints | NDArray[np.bool_]) -> Segments:
        """Some of them."""
        return Segments(*(getattr(self, column)[which] for column in self.__slots__))

    @classmethod
    def empty(cls) -> Segments:
        """None at all."""
        return cls(*(np.zeros(0, np.int64) for _ in cls.__slots__))


def open_slices(reader: QueryReader, track: int, tick: int) -> Events:
    """The slices of a track at a tick, outer ones first."""
    plan = reader.plan(track, Windows.single(tick, tick + 1))
    parts = [no_events(track), *Reading(reader).events(plan, plan.leaf_runs)]
    events = join(parts)
    return events.take(np.lexsort((events.start, events.row)))


def segments_of_track(
    reader: QueryReader, track: int, kinds: NDArray[np.uint8], windows: Windows
) -> Interruptible[Segments]:
    """Segments of a thread that overlap some windows. `kinds`: of each name, that without one first."""
    return segments((yield from _lasting(reader, track, windows)), kinds)


def _lasting(reader: QueryReader, track: int, windows: Windows) -> Interruptible[Events]:
    """The slices of a thread that overlap some windows and take time."""
    parts: list[Events] = [no_events(track)]
    plan = reader.plan(track, windows)
    for events in Reading(reader).events(plan, plan.leaf_runs):
        parts.append(events.take(events.duration > 0))
        yield
    return join(parts)


class ThreadSlices:
    """Slices of the threads of a host, asked for in many windows in turn: of a thread with few they are read once."""

    def __init__(self, reader: QueryReader, kinds: NDArray[np.uint8], whole: Windows) -> None:
        """`kinds`: of each name, that without one first. All windows lie in the `whole`."""
        self._reader, self._kinds, self._whole = reader, kinds, whole
        self._events: dict[int, Events] = {}

    def segments(self, track: int, windows: Windows) -> Interruptible[Segments]:
        """As `segments_of_track`."""
        if self._reader.tree.tracks[track].events > _FEW:
            return (yield from segments_of_track(self._reader, track, self._kinds, windows))
        if track not in self._events:
            self._events[track] = yield from _lasting(self._reader, track, self._whole)
        events = self._events[track]
        return segments(events.take(windows.meet(events.start, events.start + events.duration)), self._kinds)


def segments(events: Events, kinds: NDArray[np.uint8]) -> Segments:
    """Segments of slices of one thread, which nest: a slice's parent is the last of the row above that began."""
    if not len(events):
        return Segments.empty()
    order = np.lexsort((events.row, events.start))
    events = events.take(order)
    start, stop, row = events.start, events.start + events.duration, events.row
    parent = _parents(start, stop, row)
    kind, holder = _inherited(kinds[events.name + 1].astype(np.int64), parent, row)
    # At one instant slices end before others start, and inner ones end before outer ones.
    place = np.arange(len(start))
    time = np.concatenate([stop, start])
    innermost = np.concatenate([parent, place])
    order = np.lexsort((np.concatenate([-row, row]), np.repeat([0, 1], len(start)), time))
    time, innermost = time[order], innermost[order]
    is_segment = (np.diff(time) > 0) & (innermost[:-1] >= 0)
    first, last, inner = time[:-1][is_segment], time[1:][is_segment], innermost[:-1][is_segment]
    held = holder[inner]
    return Segments(first, last, events.name[inner], kind[inner], events.name[held], start[held], stop[held])


def _parents(start: Ints, stop: Ints, row: Ints) -> Ints:
    """The place of the slice around each, -1 none. Slices are in the order of their starts, outer ones first."""
    parent = np.full(len(start), -1)
    above = np.zeros(0, np.int64)
    for depth in range(int(row.max()) + 1):
        places = np.flatnonzero(row == depth)
        if len(above) and len(places):
            last = np.searchsorted(start[above], start[places], side="right") - 1
            candidate = above[np.maximum(last, 0)]
            is_around = (last >= 0) & (stop[candidate] > start[places])
            parent[places[is_around]] = candidate[is_around]
        above = places
    return parent


def _inherited(kind: Ints, parent: Ints, row: Ints) -> tuple[Ints, Ints]:
    """Kind of each slice, its own or that of those around it, and the place of the slice that has it."""
    kind, holder = kind.copy(), np.arange(len(kind))
    for depth in range(1, int(row.max()) + 1):
        places = np.flatnonzero((row == depth) & (kind == HostKind.NONE) & (parent >= 0))
        kind[places], holder[places] = kind[parent[places]], holder[parent[places]]
    return kind, holder


def cut(first: Ints, last: Ints, start: Ints, stop: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Parts that spans share with segments, both by time and disjoint: span, segment, start and stop of each part."""
    low = np.searchsorted(stop, first, side="right")
    high = np.searchsorted(start, last, side="left")
    count = np.maximum(high - low, 0)
    span = np.repeat(np.arange(len(first)), count)
    segment = np.arange(len(span)) - np.repeat(np.cumsum(count) - count, count) + low[span]
    return span, segment, np.maximum(start[segment], first[span]), np.minimum(stop[segment], last[span])
