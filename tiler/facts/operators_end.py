"""The end of what was recorded of a device's operators, where a limit of its profiler cut them off.

Its communication, which comes from elsewhere, or steps of another file go on then. Behind that end nobody knows when
the device is idle. A device that is done with its work has no such end: nothing goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.device_lines import STEP_TRACE, is_ascend_device
from tilescope.tiler.facts.busy import NOTHING, Busy
from tilescope.tiler.facts.devices import Device, WorkTrack
from tilescope.tiler.facts.work import Work, works_of
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.query.run_steps import StepRows, StepSeries
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

# Communication goes on if it came as often with operators as without, and for longer than these ever paused. So do
# steps of which as many begin behind.
_LEAST_EVENTS: Final = 4
_LEAST_PAUSES: Final = 4
_LEAST_SHARE: Final = 0.02  # of the time with operators, the time without any: below it, nothing is looked at

# The reason for which a range behind that end has no such figures.
BEHIND_OPERATORS: Final = "not known: operators were recorded only up to an earlier time"

_ENDS: Final = KeyedRunCache[int, int]("operators_end", "Ends of recorded operators of devices")


def operators_end(reader: QueryReader, device: Device) -> Interruptible[int]:
    """The first tick behind the last operator that was recorded, or its step; TICK_LIMIT where nothing cut them off.

    That of a run which is still indexed is not known: TICK_LIMIT. Raises DamagedStore.
    """
    if not reader.is_whole:
        return TICK_LIMIT
    end = _ENDS.get(reader, device.group)
    return _ENDS.keep(reader, device.group, (yield from _end(reader, device))) if end is None else end


def recorded_range(reader: QueryReader, device: Device, within: TickRange) -> Interruptible[TickRange]:
    """The part of a range in which a device's operators were recorded; an empty one where it is all behind their end.

    Of that part alone a figure says when the device is idle, and what its computation hides. Raises DamagedStore.
    """
    end = yield from operators_end(reader, device)
    return TickRange(within.start, max(within.start, min(within.stop, end)))


def _end(reader: QueryReader, device: Device) -> Interruptible[int]:
    tracks = (*device.tracks, *device.beside)
    operators = [track for track in tracks if _computes(track)]
    communication = [track for track in tracks if not _computes(track)]
    series = [reader.steps.of_device(device.tracks[0].track), *_step_traces(reader, device)]
    marked = [steps.rows for steps in series if steps is not None and len(steps.rows)]
    starts = _starts_in_other_files(reader, device, marked)
    if not operators or not (communication or starts):
        return TICK_LIMIT
    everywhere = TickRange(0, reader.end + 1)
    extent = yield from Busy(reader, operators).extent(everywhere)
    if not len(extent):
        return TICK_LIMIT
    steps_go_on = len(starts) >= _LEAST_EVENTS and starts[-_LEAST_EVENTS] >= extent.stop
    last = yield from Busy(reader, communication).extent(everywhere)
    tail = last.stop - extent.stop if len(last) else 0
    if not steps_go_on and (
        tail < _LEAST_SHARE * extent.ticks or not (yield from _goes_on(reader, communication, extent.stop))
    ):
        return TICK_LIMIT
    pause = yield from _longest_pause(reader, operators, extent)
    if not steps_go_on and tail < _LEAST_PAUSES * pause:
        return TICK_LIMIT
    return _end_of_step(marked, extent.stop, pause)


def _end_of_step(marked: Sequence[StepRows], end: int, pause: int) -> int:
    """The end of the step that holds the last operator, where these pause as long elsewhere; that of the operator."""
    stops = [int(rows.stop[k]) for rows in marked for k in np.flatnonzero((rows.start < end) & (rows.stop >= end))]
    return min((stop for stop in stops if stop - end <= pause), default=end)


def _computes(track: WorkTrack) -> bool:
    return bool((works_of(track.kinds) == Work.COMPUTATION).any())


def _starts_in_other_files(reader: QueryReader, device: Device, marked: Sequence[StepRows]) -> list[int]:
    """The starts of steps of a device that only other files mark, in order."""
    own_file = reader.file_of(device.tracks[0].track)
    starts: set[int] = set()
    for rows in marked:
        tracks = [track for track in np.unique(rows.track).tolist() if track >= 0 and reader.file_of(track) != own_file]
        starts.update(rows.start[np.isin(rows.track, tracks)].tolist())
    return sorted(starts)


def _step_traces(reader: QueryReader, device: Device) -> list[StepSeries]:
    """Steps of the step trace beside a device, where no other device shares its host."""
    groups = reader.tree.groups
    if device.host is None or sum(is_ascend_device(g.name) for g in groups if g.parent == device.host) != 1:
        return []
    return [
        series
        for series in reader.steps.series
        if groups[series.process].name.lower() == STEP_TRACE.lower() and groups[series.process].parent == device.host
    ]


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
