"""The critical path of a process in a span: its pieces, and the sums of these and of all work that lies beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.facts.critical_path.device_syncs import DeviceSyncs, device_syncs, record_numbers
from tilescope.tiler.facts.critical_path.graph import GraphLane, graph_path
from tilescope.tiler.facts.critical_path.host_names import HostCode, host_codes
from tilescope.tiler.facts.critical_path.lane_links import LaunchedLane, lane_links
from tilescope.tiler.facts.critical_path.lane_work import LaneReading, LaneWork
from tilescope.tiler.facts.critical_path.path_pieces import PathPieces, path_pieces, slack_spans
from tilescope.tiler.facts.critical_path.path_sums import PathSums, path_sums
from tilescope.tiler.facts.critical_path.processes import PathProcess
from tilescope.tiler.facts.launches.device_launches import launches_of_slices
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.resolver import TickRange


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The path of a process in [start, stop).

    `early`: slices of streams that begin before their launch does. `has_unnamed_waits`: it is not recorded what calls
    wait for.
    """

    start: int
    stop: int
    pieces: PathPieces
    sums: PathSums
    early: int
    has_unnamed_waits: bool


_PATHS: Final = KeyedRunCache[tuple[int, int, int], CriticalPath]("critical_paths", "Critical paths of processes")


def critical_path(reader: QueryReader, process: PathProcess, start: int, stop: int) -> Interruptible[CriticalPath]:
    """The path of a process in [start, stop), ticks. Raises UsageError for more slices than a path may be of.

    Raises DamagedStore, NotBuilt, StoredLast.
    """
    key = (process.group, start, stop)
    path = _PATHS.get(reader, key)
    return _PATHS.keep(reader, key, (yield from _read(reader, process, start, stop))) if path is None else path


def work_extent(reader: QueryReader, process: PathProcess, within: TickRange) -> TickRange:
    """From the first slice of a process's tracks to the end of the last, in a span: by what tracks are stored with."""
    tracks = [reader.tree.tracks[track] for track in sorted(process.tracks) if reader.tree.tracks[track].events]
    start = min((track.first for track in tracks if isinstance(track.first, int)), default=within.start)
    stop = max((track.last for track in tracks if isinstance(track.last, int)), default=within.stop)
    return TickRange(max(start, within.start), max(min(stop, within.stop), max(start, within.start)))


def _read(reader: QueryReader, process: PathProcess, start: int, stop: int) -> Interruptible[CriticalPath]:
    codes = yield from host_codes(reader)
    reading = LaneReading(reader, start, stop)
    threads: list[LaneWork] = []
    records: dict[int, int] = {}
    for track in process.threads:
        lane = yield from reading.thread(track, codes != HostCode.NONE, codes == HostCode.WAITING)
        threads.append(lane)
    streams, syncs, early = [], [], 0
    for device in process.devices:
        syncs.append((yield from device_syncs(reader, device, start, stop, reading.count)))
        for work_track in device.tracks:
            lane = yield from reading.stream(work_track.track, work_track.kinds)
            stream = yield from _with_launches(reader, lane)
            early += int(np.count_nonzero(stream.launch_start > lane.slices.start))
            streams.append(stream)
    every = DeviceSyncs.joined(syncs)
    for lane in threads if (every.record >= 0).any() else ():
        calls = lane.slices.take(codes[lane.slices.name + 1] == HostCode.RECORD)
        numbers = yield from record_numbers(reader, calls)
        records.update(zip(numbers.tolist(), calls.start.tolist(), strict=True))
    yield
    links = yield from lane_links(threads, streams, every, records)
    inside = (links.tick <= stop) & (links.source_tick >= start) & (links.tick > start)
    links = links.take(inside)
    lanes = [*threads, *(stream.lane for stream in streams)]
    yield
    graph = yield from graph_path([GraphLane(lane.start, lane.stop, lane.waits) for lane in lanes], links, start, stop)
    pieces = yield from path_pieces(lanes, graph)
    sums = yield from path_sums(pieces, (yield from slack_spans(lanes, graph)))
    is_unnamed = not len(every.call) and any(lane.waits.any() for lane in threads)
    return CriticalPath(start, stop, pieces, sums, early, is_unnamed)


def _with_launches(reader: QueryReader, lane: LaneWork) -> Interruptible[LaunchedLane]:
    launches = yield from launches_of_slices(reader, lane.track, lane.slices.ordinal)
    row = launches.rows(lane.slices.ordinal)
    start, thread = (np.append(column, -1)[row] for column in (launches.start, launches.track))
    return LaunchedLane(lane, start, thread)
