"""The steps of a host in which it does what costs time: a device may lose that time in a step of its own behind it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.findings.blame import Culprit
from tilescope.tiler.facts.findings.frames import Frames
from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.facts.findings.host_threads import HostThreads
from tilescope.tiler.facts.findings.host_time import cut, segments_of_track
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps, StepRows

Ints = NDArray[np.int64]


def host_steps(
    reader: QueryReader, steps: RunSteps, threads: HostThreads, culprit: Culprit, frames: Frames
) -> Interruptible[tuple[int, ...]]:
    """The numbers of the host's steps in which a culprit began what it does in each of some frames of a device.

    The number of the frame where it does nothing there, or outside of all steps, and where hosts number no steps as
    devices do. Raises DamagedStore, NotBuilt.
    """
    series = steps.of_track(culprit.track)
    if series is None or series.is_line or not np.isin(frames.number, series.numbers).all():
        return tuple(frames.number.tolist())
    segments = yield from segments_of_track(reader, culprit.track, threads.kinds, frames.windows)
    if threads.kinds[culprit.holder + 1] == HostKind.NONE:  # the outermost slice: a step, or the whole program
        segments = segments.take(segments.name == culprit.leaf)
        begins = segments.start
    else:
        segments = segments.take(segments.holder == culprit.holder)
        begins = segments.holder_start
    frame, segment, start, stop = cut(frames.begin, frames.end, segments.start, segments.stop)
    order = np.lexsort((stop - start, frame))
    longest = order[np.diff(frame[order], append=-1) != 0]
    numbers = frames.number.copy()
    numbers[frame[longest]] = _steps_at(series.rows, begins[segment[longest]], numbers[frame[longest]])
    return tuple(dict.fromkeys(numbers.tolist()))


def _steps_at(rows: StepRows, ticks: Ints, otherwise: Ints) -> Ints:
    """The number of the step that lasts at each tick, the last that began."""
    place = np.searchsorted(rows.start, ticks, side="right") - 1
    lasts = (place >= 0) & (ticks < rows.stop[np.maximum(place, 0)])
    numbers: Ints = np.where(lasts, rows.number[np.maximum(place, 0)], otherwise)
    return numbers
