"""The end of what was recorded of a device's operators, where a limit of its profiler cut them off.

Its communication, which comes from elsewhere, or steps of another file go on then. Behind that end nobody knows when
the device is idle. A device that is done with its work has no such end: nothing goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.facts.busy import NOTHING, Busy
from tilescope.tiler.facts.devices import Device, WorkTrack
from tilescope.tiler.facts.work import Work, works_of
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

# Communication goes on if it came as often with operators as without, and for longer than these ever paused. So do
# steps of which as many begin behind.
_LEAST_EVENTS: Final = 4
_LEAST_PAUSES: Final = 4
_LEAST_SHARE: Final = 0.02  # of the time with operators, the time without any: below it, nothing is looked at

_ENDS: Final = KeyedRunCache[int, int]("operators_end", "Ends of recorded operators of devices")


def operators_end(reader: QueryReader, device: Device) -> Interruptible[int]:
    """The first tick behind the last operator that was recorded; TICK_LIMIT where nothing cut them off.

    That of a run which is still indexed is not known: TICK_LIMIT. Raises DamagedStore.
    """
    if not reader.is_whole:
        return TICK_LIMIT
    end = _ENDS.get(reader, device.group)
    return _ENDS.keep(reader, device.group, (yield from _end(reader, device))) if end is None else end


def _end(reader: QueryReader, device: Device) -> Interruptible[int]:
    tracks = (*device.tracks, *device.beside)
    operators = [track for track in tracks if _computes(track)]
    communication = [track for track in tracks if not _computes(track)]
    steps = _starts_of_steps(reader, device)
    if not operators or not (communication or steps):
        return TICK_LIMIT
    everywhere = TickRange(0, reader.end + 1)
    extent = yield from Busy(reader, operators).extent(everywhere)
    if not len(extent):
        return TICK_LIMIT
    if len(steps) >= _LEAST_EVENTS and steps[-_LEAST_EVENTS] >= extent.stop:
        return extent.stop
    last = yield from Busy(reader, communication).extent(everywhere)
    tail = last.stop - extent.stop if len(last) else 0
    if tail < _LEAST_SHARE * extent.ticks or not (yield from _goes_on(reader, communication, extent.stop)):
        return TICK_LIMIT
    return extent.stop if tail >= _LEAST_PAUSES * (yield from _longest_pause(reader, operators, extent)) else TICK_LIMIT


def _computes(track: WorkTrack) -> bool:
    return bool((works_of(track.kinds) == Work.COMPUTATION).any())


def _starts_of_steps(reader: QueryReader, device: Device) -> list[int]:
    """The starts of steps that only other files mark, in order."""
    series = reader.steps.of_device(device.tracks[0].track)
    if series is None or not len(series.rows):
        return []
    files = {reader.file_of(track) for track in np.unique(series.rows.track).tolist() if track >= 0}
    is_other = bool(files) and reader.file_of(device.tracks[0].track) not in files
    starts: list[int] = series.rows.start.tolist() if is_other else []
    return starts


def _goes_on(reader: QueryReader, communication: Sequence[WorkTrack], end: int) -> Interruptible[bool]:
    """True if a track communicates often before a tick, and as often behind it."""
    for track in communication:
        before = after = 0
        for piece in Busy(reader, [track]).pieces(Windows.single(0, reader.end + 1)):
            if piece is not None:
                starts = piece.work.any.starts
                before += int((starts < end).sum())
                after += int((starts >= end).sum())
            if min(before, after) >= _LEAST_EVENTS:
                return True
            yield
    return False


def _longest_pause(reader: QueryReader, operators: Sequence[WorkTrack], extent: Windows) -> Interruptible[int]:
    """The most ticks between two operators."""
    longest, end = 0, extent.start
    for piece in Busy(reader, operators).pieces(extent):
        work = NOTHING if piece is None else piece.work.any
        if len(work):
            starts = np.append(work.starts, work.stop)
            ends = np.append(end, work.stops)
            longest = max(longest, int((starts - ends).max()))
            end = work.stop
        yield
    return longest
