"""How much time the operations of a track take, by kind, in any windows: exactly.

Windows lie on the time axis of the timeline, durations are the device's, and the two need not agree. An operation that
a window cuts takes the part of its duration that the cut leaves of the event: from its start to tick t it takes
floor(duration * (t - start) / (end - start)), so that windows which touch add up. How often something happens, and what
else is counted of it, belongs to the window in which the event starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations.occurrences import Occurrences
from tilescope.tiler.facts.operations.records import OperationRecords, track_kinds
from tilescope.tiler.pages.operations import Operations, TrackKinds
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.query.events import Events
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Exact = NDArray[Any]  # of Python's integers: sums have no limit

# Longer ones are added one by one: the sum of those of a record would not fit into 64 bits.
_LONG: Final = 1 << 48


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
    occurrences: Ints  # that begin in the windows: of `count`, by groups
    numbers: dict[str, Exact] = field(default_factory=dict)  # sums of stats, of those that start in the windows

    @property
    def shortest(self) -> Ints:
        """The least duration of those that start in the windows, ps; -1: none does."""
        found: Ints = np.where(self.empty > 0, 0, self.shortest_lasting)
        return found

    @property
    def own(self) -> Exact:
        """Time in which none of the operations in it runs, ps."""
        found: Exact = self.total - self.inner
        return found


def kind_sums(
    reader: QueryReader, track: int, windows: Windows, grouping: Callable[[TrackKinds], Ints] | None = None
) -> Steps[KindSums | None]:
    """The sums of a track; None: its operations are not kept. Raises DamagedStore, NotBuilt.

    `grouping` says of each kind which group it is of: operations of a group that follow each other are one occurrence,
    at the first of them, until its kind comes again.
    """
    kinds = track_kinds(reader, track)
    if kinds is None:
        return None
    summing = _Summing(reader, track, kinds, windows, None if grouping is None else grouping(kinds))
    for number in range(kinds.records):
        summing.add(number)
        yield
    return summing.found


class _Summing:
    """Goes over the records of a track."""

    def __init__(
        self, reader: QueryReader, track: int, kinds: TrackKinds, windows: Windows, group: Ints | None
    ) -> None:
        self._records = OperationRecords(reader, track, kinds)
        self._occurrences = None if group is None else Occurrences(group, self._records.operations)
        self._windows = windows
        count = len(kinds.kinds)
        zero = np.zeros(count, object)
        self.found = KindSums(
            kinds,
            np.zeros(count, np.int64),
            zero,
            zero.copy(),
            np.full(count, -1),
            np.full(count, -1),
            np.zeros(count, np.int64),
            np.full(count, -1),
            np.zeros(count, np.int64),
        )

    def add(self, number: int) -> None:
        """Adds what of a record lies in the windows."""
        if not self._records.meets(number, self._windows):
            return
        kinds = self.found.kinds
        of = self._records.operations(number)
        # An event of no length at the end of a window is not in it.
        start, stop, last = (column[number : number + 1] for column in (kinds.start, kinds.stop, kinds.last_start))
        if self._windows.cover(start, stop)[0] and self._windows.hold(last)[0]:
            self._add(of, np.ones(len(of), np.bool_), of.duration, number)
        else:
            events = self._records.events(number, len(of))
            starts = self._windows.hold(events.start)
            self._add(of, starts, self._parts(of, events), number)

    def _parts(self, of: Operations, events: Events) -> Ints:
        """What of each operation's duration lies in the windows."""
        end = events.start + events.duration
        whole = self._windows.cover(events.start, end) & self._windows.hold(events.start)
        parts: Ints = np.where(whole, of.duration, 0)
        for at in np.flatnonzero(~whole & self._windows.meet(events.start, end)).tolist():
            parts[at] = clipped(self._windows, int(events.start[at]), int(end[at]), int(of.duration[at]))
        return parts

    def _add(self, of: Operations, starts: NDArray[np.bool_], parts: Ints, number: int) -> None:
        found = self.found
        count, first = len(found.count), self._records.first(number)
        _add_exactly(found.total, of.kind, parts)
        lies_in = of.parent >= 0
        _add_exactly(found.inner, of.parent[lies_in], parts[lies_in])
        self._add_extremes(of.kind[starts], of.duration[starts], first + np.flatnonzero(starts))
        begins = starts if self._occurrences is None else starts & self._occurrences.firsts(of.kind, number)
        found.occurrences += np.bincount(of.kind[begins], minlength=count)
        for name, values in of.numbers.items():
            known = starts & (values >= 0)
            _add_exactly(found.numbers.setdefault(name, np.zeros(count, object)), of.kind[known], values[known])

    def _add_extremes(self, kind: Ints, duration: Ints, ordinal: Ints) -> None:
        """Counts operations that start in the windows."""
        found = self.found
        found.count += np.bincount(kind, minlength=len(found.count))
        longest = found.longest.copy()
        np.maximum.at(longest, kind, duration)
        record = np.flatnonzero((duration == longest[kind]) & (duration > found.longest[kind]))[::-1]
        found.longest_at[kind[record]] = ordinal[record]  # of several, the last that is put stays
        found.longest = longest
        lasts = duration > 0
        if not lasts.all():
            found.empty += np.bincount(kind[~lasts], minlength=len(found.count))
            kind, duration = kind[lasts], duration[lasts]
        shortest = np.where(found.shortest_lasting < 0, np.iinfo(np.int64).max, found.shortest_lasting)
        np.minimum.at(shortest, kind, duration)
        found.shortest_lasting = np.where(found.count > found.empty, shortest, -1)


def clipped(windows: Windows, start: int, end: int, duration: int) -> int:
    """What windows leave of the duration of an event [start, end)."""
    if end <= start:
        return duration if bool(windows.hold(np.array([start]))[0]) else 0
    within = windows.clipped(start, end)
    length = end - start
    return sum(
        duration * (last - start) // length - duration * (first - start) // length
        for first, last in zip(within.starts.tolist(), within.stops.tolist(), strict=True)
    )


def _add_exactly(sums: Exact, kind: Ints, values: Ints) -> None:
    if not len(values):
        return
    if int(values.max()) < _LONG:
        part = np.zeros(len(sums), np.int64)
        np.add.at(part, kind, values)
        sums += part
    else:
        np.add.at(sums, kind, values.astype(object))
