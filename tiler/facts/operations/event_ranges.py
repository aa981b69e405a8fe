"""Which events of a track lie in each of many windows, and what their records say of those that windows cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations.borders import Opened, TrackBorders

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EventRanges:
    """The events [first[k], last[k]) start in window `window[k]`; windows may share events. `opened` are cut by any."""

    first: Ints
    last: Ints
    window: Ints
    opened: Opened

    @classmethod
    def of(cls, borders: Sequence[TrackBorders]) -> EventRanges:
        """Of at least one window."""
        window = np.repeat(np.arange(len(borders)), [len(of.first) for of in borders])
        first, last = (
            np.concatenate(columns) for columns in zip(*((of.first, of.last) for of in borders), strict=True)
        )
        some = first < last
        return cls(first[some], last[some], window[some], borders[0].opened)

    def records(self, events: int) -> list[int]:
        """The records of so many events that have any of them, or one that is cut."""
        ranges = zip((self.first // events).tolist(), ((self.last - 1) // events).tolist(), strict=True)
        found = {number for first, last in set(ranges) for number in range(first, last + 1)}
        return sorted(found | set((self.opened.ordinal // events).tolist()))


@dataclass(frozen=True, slots=True)
class CountedKinds:
    """Of each kind of a track where it is counted; and 1 for those whose time is added up, no values where none is."""

    place: Ints
    is_timed: NDArray[np.uint8]
    special: int  # the first place of those of which it is looked whether they say numbers themselves


@dataclass(frozen=True, slots=True)
class CountedRecord:
    """What operations of a record say themselves, and what those are that windows cut."""

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
    def of(cls, opened: Opened, records: Sequence[CountedRecord]) -> CutOperations:
        """Those of some records, which have all that are opened."""
        none = np.zeros(0, np.int64)
        columns = zip(*((one.kind, one.parent, one.duration) for one in records), strict=True)
        kind, parent, duration = (np.concatenate(of) for of in columns) if records else (none, none, none)
        return cls(opened.start, opened.end, kind, parent, duration)

    def __len__(self) -> int:
        return len(self.kind)
