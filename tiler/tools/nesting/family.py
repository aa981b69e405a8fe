"""A slice among those around and in it, as its track draws them: what runs above it when it starts, and those below.

A slice is put on the first row that is free when it starts. So exactly one slice runs in each row above then: the
nearest is its parent. Where slices nest, as they should, these are the slices around it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore, UsageError
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import Events, Interruptible, Name, QueryReader, Reading, join, no_events
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.nesting.row_slices import RowSlice, RowSlices
from tilescope.tiler.windows import Windows, everywhere

Ints = NDArray[np.int64]

# The nearest slices around one: recursion may be deeper.
MAX_PARENTS: Final = 1000


class Family:
    """Answers for one slice. Raises UsageError when there is none, DamagedStore, and NotBuilt."""

    def __init__(self, reader: QueryReader, track: int, ordinal: int) -> None:
        self._reader = reader
        self._reading = Reading(reader)
        self._track = track
        if reader.tree.kind(track) != "slice":
            raise UsageError(
                f"track {track} is one of kind {reader.tree.kind(track)}: only the slices of a thread or a line nest"
            )
        self.slice = slice_at(reader, track, ordinal)
        span = TickRange(self.slice.start, self.slice.end)
        self.children = RowSlices(reader, track, self.slice.row + 1, span)

    def parents(self) -> list[RowSlice]:
        """Slices that run when it starts, one in each row above, the nearest first; at most MAX_PARENTS."""
        running = self._above
        return [RowSlice.from_events(running, index) for index in range(min(len(running), MAX_PARENTS))]

    def outermost(self, is_wanted: Callable[[Name], bool]) -> RowSlice | None:
        """The outermost of some names among it and all slices around it."""
        names = self._reader.names.by_id({self.slice.name, *np.unique(self._above.name).tolist()})
        wanted = [number for number, name in names.items() if is_wanted(name)]
        rows = np.flatnonzero(np.isin(self._above.name, wanted))
        if len(rows):
            return RowSlice.from_events(self._above, int(rows[-1]))
        return self.slice if self.slice.name in wanted else None

    @cached_property
    def _above(self) -> Events:
        """Slices that run above it when it starts, the nearest first."""
        row_slice = self.slice
        if row_slice.row == 0:
            return no_events(self._track)
        running = self._events(row_slice.start, row_slice.start + 1)
        above = (running.row < row_slice.row) & (running.ordinal < row_slice.ordinal)
        above &= running.start + running.duration > row_slice.start
        indices = np.flatnonzero(above)
        if len(indices) != row_slice.row:
            raise DamagedStore(
                f"track {self._track}: {len(indices)} slices are above event {row_slice.ordinal}, "
                f"which is on row {row_slice.row}"
            )
        return running.take(indices[np.argsort(-running.row[indices], kind="stable")])

    def self_ticks(self) -> Interruptible[int]:
        """Its self time: the ticks at which it is, of all slices of its track that run, the one that started last."""
        row_slice = self.slice
        if row_slice.duration == 0:
            return 0
        windows = Windows.single(row_slice.start, row_slice.end)
        busy = self_busy = 0
        for part in self._reading.histogram_parts([self._track], everywhere(windows)):
            own = part.name == row_slice.name
            busy += int(part.busy[own].sum())
            self_busy += int(part.self_busy[own].sum())
            yield
        # Nothing else of its name runs meanwhile: what its name has is its own.
        if busy == row_slice.duration:
            return self_busy
        return (yield from self._swept(windows))

    def _swept(self, windows: Windows) -> Interruptible[int]:
        """The same from all slices that start while it runs, one after the other."""
        row_slice = self.slice
        covered, reach = 0, row_slice.start
        plan = self._reader.plan(self._track, windows)
        for events in self._reading.events(plan, plan.leaf_runs):
            events = events.take(events.ordinal > row_slice.ordinal)
            order = np.argsort(events.ordinal, kind="stable")
            start = events.start[order]
            stop = np.minimum(start + events.duration[order], row_slice.end)
            # What is covered up to each: the slices come in the order of their starts.
            before = np.maximum.accumulate(np.append(reach, stop))
            covered += int(np.maximum(stop - np.maximum(start, before[:-1]), 0).sum())
            reach = int(before[-1])
            yield
        return row_slice.duration - covered

    def _events(self, start: int, stop: int) -> Events:
        """Events that overlap a span, which lies in one leaf."""
        return _events_between(self._reader, self._track, start, stop)


def slice_at(reader: QueryReader, track: int, ordinal: int) -> RowSlice:
    """The slice of this rank on a track. Raises UsageError where there is none, DamagedStore and NotBuilt."""
    shape = reader.tiles(track // TRACKS_PER_BLOCK).shape
    leaves = shape.leaves(track % TRACKS_PER_BLOCK)
    leaf = int(np.searchsorted(np.cumsum(shape.events[leaves]), ordinal, side="right"))
    if ordinal < 0 or leaf == len(leaves):
        raise UsageError(f"track {track} has no event {ordinal}")
    level, index = int(shape.level[leaves[leaf]]), int(shape.index[leaves[leaf]])
    shift = 2 * level + 8
    events = _events_between(reader, track, index << shift, (index + 1) << shift)
    rows = np.flatnonzero(events.ordinal == ordinal)
    if not len(rows):
        raise DamagedStore(f"track {track}: event {ordinal} is not where it should be")
    return RowSlice.from_events(events, int(rows[0]))


def slices_at(reader: QueryReader, track: int, ordinals: Ints) -> Interruptible[Events]:
    """These slices of a track, in the order of their ordinals, each once; those that are not there are left out.

    Raises DamagedStore.
    """
    parts = [no_events(track)]
    plan = reader.plan(track, reader.leaves_of(track, ordinals))
    # Outliers too: work that lies far from the rest was launched all the same.
    for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
        parts.append(events.take(np.isin(events.ordinal, ordinals)))
        yield
    return join(parts)


def _events_between(reader: QueryReader, track: int, start: int, stop: int) -> Events:
    """Events of a track that overlap a span, which lies in one leaf."""
    plan = reader.plan(track, Windows.single(start, stop))
    (events,) = Reading(reader).events(plan, plan.leaf_runs)
    return events
