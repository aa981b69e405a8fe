"""The events of a question by track and ordinal, with some of their arguments, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query import ArgumentReader, Events, Interruptible, Place, QueryReader, Reading
from tilescope.tiler.search.hits import Finder, Hits
from tilescope.tiler.search.leaves import leaves
from tilescope.tiler.search.selection import Selection
from tilescope.tiler.tools.value_column import ValueColumn
from tilescope.tiler.windows import Windows, WindowsOf, everywhere

Ints = NDArray[np.int64]

# Leaves that are looked through at a time: at most some hundred thousand events.
_LEAVES_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class EventRows:
    """Events by track and ordinal; columns of shape (n,); times in ticks."""

    track: Ints
    ordinal: Ints
    start: Ints
    duration: Ints
    row: Ints
    name: Ints  # name id, -1 none
    flags: Ints
    value: NDArray[np.float64]  # of counter samples, else NaN

    def __len__(self) -> int:
        return len(self.track)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> EventRows:
        """Some of them."""
        return EventRows(*(getattr(self, column)[which] for column in self.__slots__))


@dataclass(frozen=True, slots=True)
class RowPage:
    """Some events; of each argument that was asked for its values; where to go on, None at the end."""

    events: EventRows
    arguments: Sequence[ValueColumn]
    more: Place | None


def page_of_rows(
    reader: QueryReader,
    selection: Selection,
    counters: Sequence[int],
    windows_of: WindowsOf,
    arguments: Sequence[str],
    limit: int,
    after: Place | None,
) -> Interruptible[RowPage]:
    """The first selected slices, and samples of counters, that overlap the windows, behind a place."""
    finder = Finder(reader, selection, reaching=True)
    taking = _Taking(reader, arguments, limit, after)
    slices = set(selection.tracks)
    for track in sorted(slices.union(counters)):
        windows = taking.left_of(track, windows_of(track))
        if not len(windows) or reader.tree.tracks[track].events == 0:
            continue
        if track not in slices:
            plan = reader.plan(track, windows)
            for samples in Reading(reader).events(plan, plan.leaf_runs):
                yield from taking.take(_of_samples(samples))
                if taking.has_more:
                    return taking.page()
            continue
        of_track = replace(selection, tracks=[track])
        for track_leaves in leaves(reader, of_track, everywhere(windows), reaching=True):
            in_time = track_leaves.take(np.argsort(track_leaves.first, kind="stable"))
            for first in range(0, len(in_time), _LEAVES_AT_ONCE):
                batch = in_time.take(slice(first, first + _LEAVES_AT_ONCE))
                hits = yield from finder.find([batch.take(np.argsort(batch.tile))])
                yield from taking.take(_of_hits(hits))
                if taking.has_more:
                    return taking.page()
    return taking.page()


class _Taking:
    """Takes events, as many as are asked for."""

    def __init__(self, reader: QueryReader, arguments: Sequence[str], limit: int, after: Place | None) -> None:
        self._reader = ArgumentReader(reader.store)
        self._arguments = arguments
        self._left = limit
        self._after = after
        self._columns = [ValueColumn() for _ in arguments]
        self._parts: list[EventRows] = []
        self.has_more = False

    def left_of(self, track: int, windows: Windows) -> Windows:
        """The part of windows of a track in which events behind the place may be."""
        if self._after is None or track > self._after.track:
            return windows
        return windows.clipped(self._after.start, windows.stop if track == self._after.track else self._after.start)

    def take(self, rows: EventRows) -> Interruptible[None]:
        """Takes events of one track, which ascend."""
        if self._after is not None and len(rows) and rows.track[0] == self._after.track:
            rows = rows.take(rows.ordinal > self._after.ordinal)
        self.has_more = len(rows) > self._left
        rows = rows.take(slice(self._left))
        self._left -= len(rows)
        yield
        if not len(rows):
            return
        self._parts.append(rows)
        if self._arguments:
            for batch in self._reader.values(int(rows.track[0]), rows.ordinal, self._arguments):
                for column, values in zip(self._columns, batch.values, strict=True):
                    column.add(values)
                yield

    def page(self) -> RowPage:
        """Page of the rows that were taken."""
        events = EventRows(*(self._joined(column) for column in EventRows.__slots__))
        last = Place(*(int(column[-1]) for column in (events.start, events.track, events.ordinal))) if events else None
        return RowPage(events, self._columns, last if self.has_more else None)

    def _joined(self, column: str) -> NDArray[Any]:
        none = np.zeros(0, np.float64 if column == "value" else np.int64)
        return np.concatenate([none, *(getattr(part, column) for part in self._parts)])


def _of_samples(samples: Events) -> EventRows:
    track = np.full(len(samples), samples.track)
    columns = (getattr(samples, column) for column in EventRows.__slots__[1:])
    return EventRows(track, *columns)


def _of_hits(hits: Hits) -> EventRows:
    hits = hits.take(np.argsort(hits.ordinal, kind="stable"))
    columns = {column: getattr(hits, column) for column in EventRows.__slots__[:-1]}
    return EventRows(**columns, value=np.full(len(hits), np.nan))
