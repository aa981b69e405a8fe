"""Work of one thread or stream in a span: by the innermost slice at each tick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.critical_path.kinds import PathKind
from tilescope.tiler.facts.lanes.innermost import innermost_spans
from tilescope.tiler.facts.work import Work, works_of
from tilescope.tiler.query import Interruptible, QueryReader, Reading, join, no_events
from tilescope.tiler.query.events import Events
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Slices of all threads and streams together: some 300 bytes each while a path is made.
MOST_SLICES: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class LaneWork:
    """Spans that follow one another, columns of shape (n,), ticks; clipped to the span that was asked for.

    `slices`: all that are work of the track, by ordinal, as they were recorded; `place` is that of a span's among them.
    `waits`: spans of calls that wait for a device.
    """

    track: int
    is_device: bool
    slices: Events
    start: Ints
    stop: Ints
    place: Ints
    kind: Ints
    waits: Mask

    def __len__(self) -> int:
        return len(self.start)


class LaneReading:
    """Reads the lanes of one path, of which all together have a limit."""

    def __init__(self, reader: QueryReader, start: int, stop: int) -> None:
        self._reader = reader
        self._start = start
        self._stop = stop
        self._slices = 0

    def count(self, slices: int) -> None:
        """Counts slices that were read. Raises UsageError for more than MOST_SLICES."""
        self._slices += slices
        if self._slices > MOST_SLICES:
            raise UsageError(
                f"a critical path is of at most {MOST_SLICES:,} slices, and there are more: choose steps or a span"
            )

    def stream(self, track: int, kinds: NDArray[np.uint8]) -> Interruptible[LaneWork]:
        """The work of a stream; `kinds` of each name, that of events without one first. Raises DamagedStore."""
        works = works_of(kinds)
        slices = yield from self._read(track, works != Work.NONE)
        kind_of_work = np.full(max(Work) + 1, PathKind.COPY)
        kind_of_work[[Work.COMPUTATION, Work.CONTROL]] = PathKind.COMPUTATION
        kind_of_work[Work.COMMUNICATION] = PathKind.COMMUNICATION
        kind = kind_of_work[works[slices.name + 1]]
        return self._lane(slices, kind, np.zeros(len(slices), np.bool_), is_device=True)

    def thread(self, track: int, is_work: Mask, is_waiting: Mask) -> Interruptible[LaneWork]:
        """The operators and calls of a thread; masks of names. Raises DamagedStore."""
        slices = yield from self._read(track, is_work)
        kind = np.full(len(slices), PathKind.OPERATOR, np.int64)
        return self._lane(slices, kind, is_waiting[slices.name + 1], is_device=False)

    def _lane(self, slices: Events, kind: Ints, waits: Mask, *, is_device: bool) -> LaneWork:
        spans = innermost_spans(
            slices.start, slices.start + slices.duration, slices.row, self._start, max(self._stop, self._start)
        )
        lasts = spans.stop > spans.start
        place = spans.event[lasts]
        return LaneWork(
            slices.track, is_device, slices, spans.start[lasts], spans.stop[lasts], place, kind[place], waits[place]
        )

    def _read(self, track: int, is_work: Mask) -> Interruptible[Events]:
        parts = [no_events(track)]
        plan = self._reader.plan(track, Windows.single(self._start, self._stop))
        for events in Reading(self._reader).events(plan, plan.leaf_runs):
            parts.append(events.take(is_work[events.name + 1]))
            self.count(len(parts[-1]))
            yield
        slices = join(parts)
        return slices.take(np.argsort(slices.ordinal, kind="stable"))
