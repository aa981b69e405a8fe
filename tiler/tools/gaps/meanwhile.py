"""Work of the host during gaps: of the thread that launched what ended a gap, or else of all threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.facts import Device
from tilescope.tiler.facts.ascend_tracks import rows_beside_devices
from tilescope.tiler.query import SLICE_KINDS, Interruptible, QueryReader, Reading
from tilescope.tiler.records.histogram import sum_by_name
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.tools.gaps.edges import Edges
from tilescope.tiler.tools.gaps.gap_search import Gaps
from tilescope.tiler.tools.gaps.lanes import Lanes
from tilescope.tiler.windows import Windows, everywhere

# Threads of all gaps together that are looked at, a millisecond each.
_THREADS_AT_MOST: Final = 1000

# Processes whose slices frame what runs, and say nothing of it.
_FRAMES: Final = frozenset({"Spans", "Global instants"})


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """The name with the most self time in a gap."""

    track: int
    name: int
    ticks: int


@dataclass(frozen=True, slots=True)
class HostWork:
    """Work of the host by gap; None: nothing ran. `left_out`: threads that were not read."""

    by_gap: list[Meanwhile | None]
    left_out: int


def host_work(reader: QueryReader, lanes: Lanes, gaps: Gaps, edges: Edges) -> Interruptible[HostWork]:
    """The work of the host in each gap. Raises DamagedStore."""
    reading = Reading(reader)
    threads = {device.host: _threads(reader, lanes.devices, device.host) for device in lanes.devices}
    most = max(1, _THREADS_AT_MOST // max(len(gaps), 1))
    work: list[Meanwhile | None] = []
    left_out = 0
    for gap, launch in enumerate(edges.launch):
        device = lanes.lanes[int(gaps.lane[gap])].device
        tracks: Sequence[int] = [] if device is None else threads[device.host]
        if launch is not None:
            tracks = [launch.edge.track]
        left_out = max(left_out, len(tracks) - most)
        window = Windows.single(int(gaps.start[gap]), int(gaps.stop[gap]))
        work.append((yield from _busiest_of(reading, tracks[:most], window)))
    return HostWork(work, left_out)


def _threads(reader: QueryReader, devices: Sequence[Device], host: int | None) -> list[int]:
    """The tracks of a host that are no device's, the busiest first."""
    tree, beside = reader.tree, rows_beside_devices(reader)
    of_devices = {device.group for device in devices}
    threads = [
        track
        for track in tree.tracks
        if track.kind in SLICE_KINDS
        and track.busy != 0
        and not track.get("frames")
        and track.group not in of_devices
        and track.id not in beside
        and tree.groups[track.group].parent == host
        and tree.groups[track.group].name not in _FRAMES
    ]
    return [track.id for track in sorted(threads, key=lambda track: (-track.busy, track.id))]


def _busiest_of(reading: Reading, tracks: Sequence[int], window: Windows) -> Interruptible[Meanwhile | None]:
    """The busiest name on several tracks; where names are equally busy, that of the first track."""
    if len(tracks) == 1:
        return (yield from _busiest(reading, tracks[0], window))
    # No name can be busier than its track: most tracks need not be looked at name by name.
    places = {track: place for place, track in enumerate(tracks)}
    sums = SpanSums()
    yield from reading.add_windows(sums, sorted(tracks), everywhere(window), as_name=places.__getitem__)
    histogram = sums.sums(object)
    order = sorted(
        zip(histogram.self_busy.tolist(), histogram.name.tolist(), strict=True), key=lambda entry: (-entry[0], entry[1])
    )
    best: Meanwhile | None = None
    best_place = -1
    for ticks, place in order:
        if not ticks or (best is not None and ticks < best.ticks):
            break
        work = yield from _busiest(reading, tracks[place], window)
        if work is not None and (best is None or (-work.ticks, place) < (-best.ticks, best_place)):
            best, best_place = work, place
    return best


def _busiest(reading: Reading, track: int, window: Windows) -> Interruptible[Meanwhile | None]:
    parts = []
    for part in reading.histogram_parts([track], everywhere(window)):
        parts.append(part)
        yield
    summed = sum_by_name(parts, object)
    named = np.flatnonzero(summed.name >= 0)
    if not len(named):
        return None
    row = max(named.tolist(), key=lambda k: int(summed.self_busy[k]))
    ticks = int(summed.self_busy[row])
    return Meanwhile(track, int(summed.name[row]), ticks) if ticks else None
