"""The name under which devices spend most of their time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from tilescope.tiler.facts import Work
from tilescope.tiler.facts.findings.device_time import DeviceTime
from tilescope.tiler.facts.findings.where import short
from tilescope.tiler.query import QueryReader, Reading
from tilescope.tiler.windows import everywhere


def busiest_name(reader: QueryReader, lanes: Sequence[DeviceTime]) -> tuple[str, float]:
    """The name of most computation in the frames of devices, and its share of their time. Raises DamagedStore."""
    ticks: defaultdict[int, int] = defaultdict(int)
    for lane in lanes:
        tracks = [work_track.track for work_track in lane.device.tracks]
        kinds = lane.device.tracks[0].kinds
        windows = lane.frames.windows
        for part in Reading(reader).histogram_parts(sorted(tracks), everywhere(windows)):
            which = np.flatnonzero((part.name >= 0) & (kinds[np.maximum(part.name, -1) + 1] == Work.COMPUTATION))
            for name, total in zip(part.name[which].tolist(), part.self_busy[which].tolist(), strict=True):
                ticks[name] += int(total)
    if not ticks:
        return "", 0.0
    name = max(ticks, key=lambda name_id: (ticks[name_id], -name_id))
    time = int(sum(lane.frames.ticks.sum() for lane in lanes))
    return short(reader.names[name].text), ticks[name] / time if time else 0.0
