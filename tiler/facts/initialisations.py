"""Operators that set a device up before its first step: `InitDataSetQueue` of MindSpore makes the queue of its data.

Networks are compiled between these and the first step: that time is of no step.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tilescope.tiler.facts.devices import Device
from tilescope.tiler.facts.step_traces import slices_in
from tilescope.tiler.facts.work_extent import work_extent
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

_INITIALISATION: Final = re.compile(r"(?:.*/)?InitData(?:SetQueue)?(?:-op\d{1,18})?")
_MOST: Final = 16  # one behind the other: there is one for each queue


def work_without_initialisation(reader: QueryReader, device: Device, span: TickRange) -> Interruptible[Windows]:
    """As `work_extent`, from the first work on that sets nothing up; all of it where there is no other.

    Raises DamagedStore, NotBuilt.
    """
    extent = yield from work_extent(reader, device, span)
    later = extent
    for _ in range(_MOST):
        if not len(later):
            return extent
        end = yield from _initialised(reader, device, later.start)
        if end is None:
            return later
        later = yield from work_extent(reader, device, TickRange(end, max(end, span.stop)))
    return extent


def _initialised(reader: QueryReader, device: Device, start: int) -> Interruptible[int | None]:
    """The end of the initialisation that a device is at work on at a tick; None where it is at work on others."""
    end = None
    for work_track in (*device.tracks, *device.beside):
        events = yield from slices_in(reader, work_track.track, Windows.single(start, start + 1))
        names = reader.names.by_id(np.unique(events.name).tolist()).values()
        if not all(_INITIALISATION.fullmatch(name.text) for name in names):
            return None
        if len(events.start):
            end = max(end or 0, int((events.start + events.duration).max()))
    return None if end is None or end <= start else end
