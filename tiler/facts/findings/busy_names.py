"""The name under which devices, or threads of hosts, spend most of their time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from tilescope.tiler.facts import Work
from tilescope.tiler.facts.findings.device_time import DeviceTime
from tilescope.tiler.facts.findings.host_kinds import HostKind, host_kinds
from tilescope.tiler.facts.findings.where import short
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.windows import Windows, everywhere


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


def busiest_on_hosts(
    reader: QueryReader, tracks: Sequence[int], windows: Windows
) -> Interruptible[tuple[str, float, int | None]]:
    """The name of most own time on some threads, its share of that, and a thread on which it is; waits do not count.

    Raises DamagedStore.
    """
    kinds = yield from reader.names.page_numbers(host_kinds)
    ticks: defaultdict[int, int] = defaultdict(int)
    thread: dict[int, int] = {}
    for track in tracks:
        for part in Reading(reader).histogram_parts([track], everywhere(windows)):
            which = np.flatnonzero((part.name >= 0) & (kinds[np.maximum(part.name, -1) + 1] != HostKind.SYNC))
            for name, total in zip(part.name[which].tolist(), part.self_busy[which].tolist(), strict=True):
                ticks[name] += int(total)
                thread.setdefault(name, track)
            yield
    if not ticks:
        return "", 0.0, None
    name = max(ticks, key=lambda name_id: (ticks[name_id], -name_id))
    whole = sum(ticks.values())
    return short(reader.names[name].text), ticks[name] / whole if whole else 0.0, thread[name]
