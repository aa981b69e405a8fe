"""The critical path of a process in a span: its pieces, and the slack of all work that lies beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.critical_path.device_syncs import DeviceSyncs, device_syncs, record_numbers
from tilescope.tiler.facts.critical_path.graph import GraphLane, GraphPath, graph_path
from tilescope.tiler.facts.critical_path.host_names import HostCode, host_codes
from tilescope.tiler.facts.critical_path.kinds import PathKind, WaitKind
from tilescope.tiler.facts.critical_path.lane_links import LaunchedLane, lane_links
from tilescope.tiler.facts.critical_path.lane_work import LaneReading, LaneWork
from tilescope.tiler.facts.critical_path.processes import PathProcess
from tilescope.tiler.facts.launches.device_launches import launches_of_slices
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.resolver import TickRange

Ints = NDArray[np.int64]

NO_EVENT: Final = -1


@dataclass(frozen=True, slots=True)
class PathPieces:
    """Pieces that follow one another, columns of shape (n,), ticks. Their lengths add up to the span."""

    start: Ints
    stop: Ints
    kind: Ints  # PathKind
    wait: Ints  # WaitKind: how it follows the piece before
    track: Ints  # -1: none
    ordinal: Ints  # of the slice that it is, or whose begin it waits for; NO_EVENT: none
    name: Ints  # name id of that, -1 none
    source_track: Ints  # the track that is left, where another comes before; else -1

    def __len__(self) -> int:
        return len(self.start)

    @property
    def ticks(self) -> Ints:
        """Lengths."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class SlackSpans:
    """Work by the innermost slice, on the path and beside it; columns of shape (n,), ticks."""

    start: Ints
    stop: Ints
    kind: Ints
    track: Ints
    ordinal: Ints
    name: Ints
    slack: Ints  # ticks by which it could end later without the end of the path; ENDLESS: nothing waits for it


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The path of a process in [start, stop).

    `early`: slices of streams that begin before their launch does. `has_unnamed_waits`: it is not recorded what calls
    wait for.
    """

    start: int
    stop: int
    pieces: PathPieces
    work: SlackSpans
    early: int
    has_unnamed_waits: bool


_PATHS: Final = KeyedRunCache[tuple[int, int, int], CriticalPath](
    "critical_paths",
    "Critical paths of processes",
    lambda path: sum(getattr(part, name).nbytes for part in (path.pieces, path.work) for name in part.__slots__),
)


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
        syncs.append((yield from device_syncs(reader, device, start, stop)))
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
    links = lane_links(threads, streams, every, records)
    inside = (links.tick <= stop) & (links.source_tick >= start) & (links.tick > start)
    links = links.take(inside)
    lanes = [*threads, *(stream.lane for stream in streams)]
    graph = graph_path([GraphLane(lane.start, lane.stop, lane.waits) for lane in lanes], links, start, stop)
    yield
    is_unnamed = not len(every.call) and any(lane.waits.any() for lane in threads)
    return CriticalPath(start, stop, _pieces(lanes, graph), _work(lanes, graph), early, is_unnamed)


def _with_launches(reader: QueryReader, lane: LaneWork) -> Interruptible[LaunchedLane]:
    launches = yield from launches_of_slices(reader, lane.track, lane.slices.ordinal)
    row = launches.rows(lane.slices.ordinal)
    start, thread = (np.append(column, -1)[row] for column in (launches.start, launches.track))
    return LaunchedLane(lane, start, thread)


def _pieces(lanes: list[LaneWork], graph: GraphPath) -> PathPieces:
    """The pieces of a graph's path with what they are of; those of one slice that follow one another are one."""
    count = len(graph.start)
    kind = np.full(count, PathKind.NOTHING, np.int64)
    track, ordinal, name = (np.full(count, -1) for _ in range(3))
    by_order, is_gap = graph.kind == WaitKind.ORDER, graph.span < 0
    for number, lane in enumerate(lanes):
        here = graph.lane == number
        track[here] = lane.track
        works = np.flatnonzero(here & ~is_gap & (by_order | ~lane.is_device))
        span = graph.span[works]
        kind[works] = np.where(lane.waits[span] | ~by_order[works], PathKind.SYNCHRONISATION, lane.kind[span])
        ordinal[works], name[works] = lane.slices.ordinal[lane.place[span]], lane.slices.name[lane.place[span]]
        gaps = np.flatnonzero(here & is_gap)
        if lane.is_device:
            follows = np.searchsorted(lane.start, graph.stop[gaps])
            has_work = follows < len(lane)
            kind[gaps[has_work]] = PathKind.STREAM
            gaps, follows = gaps[has_work], follows[has_work]
            ordinal[gaps], name[gaps] = (
                column[lane.place[follows]] for column in (lane.slices.ordinal, lane.slices.name)
            )
        else:
            kind[gaps] = PathKind.BETWEEN
    kind[graph.kind == WaitKind.LAUNCH] = PathKind.LAUNCH
    places = np.array([*(lane.track for lane in lanes), -1], np.int64)
    source = np.where(by_order, -1, places[graph.source_lane])
    columns = np.stack([kind, graph.kind, track, ordinal, name, source])
    begins = np.append(True, (np.diff(columns, axis=1) != 0).any(axis=0) | ~by_order[1:])[:count]
    first = np.flatnonzero(begins)
    stop = np.append(graph.start[first[1:]], graph.stop[-1:])
    merged = columns[:, first]
    return PathPieces(graph.start[first], stop, merged[0], merged[1], *merged[2:])


def _work(lanes: list[LaneWork], graph: GraphPath) -> SlackSpans:
    """All work; calls that wait for a device are none."""
    parts = []
    for lane, slack in zip(lanes, graph.slack, strict=True):
        rows = np.flatnonzero(~lane.waits)
        place = lane.place[rows]
        parts.append(
            (
                lane.start[rows],
                lane.stop[rows],
                lane.kind[rows],
                np.full(len(rows), lane.track),
                lane.slices.ordinal[place],
                lane.slices.name[place],
                slack[rows],
            )
        )
    return SlackSpans(*(np.concatenate([np.zeros(0, np.int64), *columns]) for columns in zip(*parts, strict=True)))
