"""Events of a device: what runs at a tick, and the longest of a part of its time."""

from __future__ import annotations

import numpy as np

from tilescope.tiler.facts import Device
from tilescope.tiler.facts.findings.device_time import DeviceTime, TimePart
from tilescope.tiler.facts.findings.finding import Spot
from tilescope.tiler.facts.findings.host_time import open_slices
from tilescope.tiler.facts.findings.where import short
from tilescope.tiler.query import QueryReader


def busiest_track(reader: QueryReader, device: Device) -> int:
    """The track of a device that is busy longest in the run: the first may have a copy or two."""
    return max((track.track for track in device.tracks), key=lambda track: reader.tree.tracks[track].busy)


def work_at(reader: QueryReader, lane: DeviceTime, tick: int) -> tuple[str, Spot] | None:
    """Name and place of the innermost operation that runs on a device at a tick; None: nothing runs."""
    for work_track in (*lane.device.tracks, *lane.device.beside):
        events = open_slices(reader, work_track.track, tick)
        events = events.take(work_track.kinds[events.name + 1] != 0)
        if len(events):
            start = int(events.start[-1])
            spot = Spot(work_track.track, start, start + int(events.duration[-1]), int(events.ordinal[-1]))
            return short(reader.names[int(events.name[-1])].text), spot
    return None


def longest_event(reader: QueryReader, lane: DeviceTime, part: TimePart | None) -> tuple[str, Spot] | None:
    """Name and place of the event in the longest stretch of a part of a device's time, in which that part is alone."""
    spans = None if part is None else lane.spans.get(part)
    if spans is None or not len(spans):
        return None
    longest = int(np.argmax(spans.stops - spans.starts))
    return work_at(reader, lane, int(spans.starts[longest] + spans.stops[longest]) // 2)
