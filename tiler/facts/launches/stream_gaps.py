"""Gaps between the work of a stream, by what the work at the end of each waits for, as HTA tells them apart.

Work that is launched after the gap has begun waits for its host. Of other work short gaps are the time that kernels
take to follow each other, long ones have other reasons, such as waits for events.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.facts.launches.device_launches import device_launches
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_NOT_RECORDED: Final = -1


class GapClass(IntEnum):
    """Causes of gaps: whatever the work at the end of one waits for."""

    HOST = 0
    KERNEL = 1
    OTHER = 2
    UNKNOWN = 3  # its launch was not recorded


@dataclass(frozen=True, slots=True)
class StreamGaps:
    """Gaps of one stream by time, columns of shape (n,), ticks; before the first work there is none."""

    start: Ints  # the end of all work before
    stop: Ints  # the start of the work that ends the gap
    launch: Ints  # the start of its launch, -1 where it was not recorded
    overlapping: Ints  # starts of work that begins before other work of the stream has ended: no gap

    def classes(self, short_gap: int) -> Ints:
        """The `GapClass` of each gap; `short_gap`: shorter ones are waits for kernels."""
        is_short = self.stop - self.start < short_gap
        launched = np.where(is_short, GapClass.KERNEL, GapClass.OTHER)
        launched = np.where(self.launch > self.start, GapClass.HOST, launched)
        return np.where(self.launch == _NOT_RECORDED, GapClass.UNKNOWN, launched)

    def sums(self, windows: Windows, short_gap: int) -> list[int]:
        """Ticks of the gaps in some windows, by class."""
        ticks = windows.ticks_before(self.stop) - windows.ticks_before(self.start)
        classes = self.classes(short_gap)
        return [int(ticks[classes == kind].sum()) for kind in GapClass]

    def overlapping_in(self, windows: Windows) -> int:
        """The number of slices in some windows that begin before other work of the stream has ended."""
        return int(np.count_nonzero(windows.hold(self.overlapping)))


_GAPS: Final = KeyedRunCache[int, StreamGaps]("stream_gaps", "Gaps of streams, with the launches of what ends them")


def stream_gaps(reader: QueryReader, work_track: WorkTrack) -> Interruptible[StreamGaps]:
    """The gaps of a stream. Raises DamagedStore, NotBuilt, StoredLast."""
    gaps = _GAPS.get(reader, work_track.track)
    if gaps is None:
        gaps = _GAPS.keep(reader, work_track.track, (yield from _stream_gaps(reader, work_track)))
    return gaps


def _stream_gaps(reader: QueryReader, work_track: WorkTrack) -> Interruptible[StreamGaps]:
    launches = yield from device_launches(reader, work_track.track)
    none = np.zeros(0, np.int64)
    parts: list[tuple[Ints, Ints, Ints]] = [(none, none, none)]
    plan = reader.plan(work_track.track, EVERYTHING)
    for events in Reading(reader).events(plan, plan.leaf_runs):
        events = events.take(work_track.kinds[events.name + 1] != Work.NONE)
        parts.append((events.ordinal, events.start, events.start + events.duration))
        yield
    ordinal, start, stop = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(ordinal)
    ordinal, start, stop = ordinal[order], start[order], stop[order]
    if not len(ordinal):
        return StreamGaps(none, none, none, none)
    before, follows = np.maximum.accumulate(stop)[:-1], start[1:]
    is_gap = follows > before
    launch = np.full(int(is_gap.sum()), _NOT_RECORDED)
    rows = launches.rows(ordinal[1:][is_gap])
    launch[rows >= 0] = launches.start[rows[rows >= 0]]
    return StreamGaps(before[is_gap], follows[is_gap], launch, follows[follows < before])
