"""Links between the lanes of a path: launches, waits of calls and of streams, threads that go on after others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.critical_path.device_syncs import ALL_STREAMS, DeviceSyncs
from tilescope.tiler.facts.critical_path.graph import GraphLinks
from tilescope.tiler.facts.critical_path.kinds import WaitKind
from tilescope.tiler.facts.critical_path.lane_work import MOST_SLICES, LaneWork
from tilescope.tiler.query import Interruptible

Ints = NDArray[np.int64]

# Calls that wait have a link with each stream whose work they wait for: many of both would be their product.
MOST_LINKS: Final = 2 * MOST_SLICES


@dataclass(frozen=True)
class LaunchedLane:
    """The work of a stream with its launches: start and track of the call of each slice, -1: not recorded."""

    lane: LaneWork
    launch_start: Ints
    launch_thread: Ints

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self._launched, kind="stable")

    @cached_property
    def _launched(self) -> Ints:
        return np.where(self.launch_start >= 0, self.launch_start, self.lane.slices.start)

    @cached_property
    def _ends(self) -> Ints:
        """The latest end of all that was launched up to each, in the order of launches, -1 first."""
        slices = self.lane.slices
        ends = np.minimum((slices.start + slices.duration)[self._order], self.lane.stop.max(initial=-1))
        return np.append(-1, np.maximum.accumulate(ends))

    def end_of_launched(self, ticks: Ints) -> Ints:
        """The end of all work that was launched before each tick; -1: none was."""
        return self._ends[np.searchsorted(self._launched[self._order], ticks)]

    def latest_end(self, ticks: Ints) -> Ints:
        """The last end of work at or before each tick; -1: none is there."""
        return np.append(-1, self.lane.stop)[np.searchsorted(self.lane.stop, ticks, side="right")]

    def next_launched(self, ticks: Ints) -> Ints:
        """The start of the first work that is launched after each tick; -1: none is."""
        starts = np.append(self.lane.slices.start[self._order], -1)
        return starts[np.searchsorted(self._launched[self._order], ticks, side="right")]


def lane_links(
    threads: Sequence[LaneWork], streams: Sequence[LaunchedLane], syncs: DeviceSyncs, records: Mapping[int, int]
) -> Interruptible[GraphLinks]:
    """The links of the lanes of threads, then streams, in this order. Raises UsageError for more than MOST_LINKS.

    `syncs` of all devices; `records`: the tick of the call that marks the place of each number.
    """
    links = _Links()
    links.add(_threads(threads))
    yield
    lane_of = {lane.track: place for place, lane in enumerate(threads)}
    stream_of = {stream.lane.track: place for place, stream in enumerate(streams, len(threads))}
    for place, stream in enumerate(streams, len(threads)):
        links.add(_launches(lane_of, stream, place))
        yield
    calls = zip(syncs.record.tolist(), syncs.call_start.tolist(), strict=True)
    before = np.array([records.get(record, start) for record, start in calls], np.int64)
    for waited, place in stream_of.items():
        rows = np.flatnonzero((syncs.stream == waited) | (syncs.stream == ALL_STREAMS))
        ends = streams[place - len(threads)].end_of_launched(before[rows])
        by_call = syncs.waiting_stream[rows] < 0
        for track in np.unique(syncs.thread[rows[by_call]]).tolist():
            if track in lane_of:
                waits = np.flatnonzero(by_call & (syncs.thread[rows] == track))
                stops = _stops(threads[lane_of[track]], syncs.call[rows[waits]])
                links.add(_linked(WaitKind.SYNCHRONISATION, lane_of[track], stops, place, ends[waits]))
                yield
        for waiting in np.unique(syncs.waiting_stream[rows]).tolist():
            if waiting in stream_of:
                waits = np.flatnonzero(syncs.waiting_stream[rows] == waiting)
                other = stream_of[waiting]
                begins = streams[other - len(threads)].next_launched(syncs.call_start[rows[waits]])
                links.add(_linked(WaitKind.EVENT, other, begins, place, ends[waits]))
                yield
    for thread_place, thread in enumerate(threads):
        stops = _unnamed_waits(thread, syncs)
        for place, stream in enumerate(streams if len(stops) else (), len(threads)):
            links.add(_first_waits(thread_place, stops, place, stream.latest_end(stops)))
            yield
    return links.joined()


class _Links:
    """Links, of which all together have a limit."""

    def __init__(self) -> None:
        self._parts: list[GraphLinks] = []
        self._count = 0

    def add(self, links: GraphLinks) -> None:
        """Adds some. Raises UsageError."""
        self._parts.append(links)
        self._count += len(links.tick)
        if self._count > MOST_LINKS:
            raise UsageError(
                f"a critical path is of at most {MOST_LINKS:,} waits of calls for streams, and there are more: "
                "choose steps or a span"
            )

    def joined(self) -> GraphLinks:
        """All of them."""
        return GraphLinks.joined(self._parts)


def _linked(kind: WaitKind, lane: int, tick: Ints, source_lane: Ints | int, source_tick: Ints) -> GraphLinks:
    columns = np.broadcast_arrays(lane, tick, source_lane, source_tick, int(kind))
    links = GraphLinks(*(np.array(column, np.int64) for column in columns))
    return links.take((links.source_tick >= 0) & (links.tick >= 0) & (links.source_lane >= 0))


def _launches(lane_of: Mapping[int, int], stream: LaunchedLane, place: int) -> GraphLinks:
    """The begin of work waits for that of its call."""
    threads = np.array([-1, *lane_of.values()], np.int64)
    tracks = np.array([-1, *lane_of], np.int64)  # ascending
    row = np.minimum(np.searchsorted(tracks, stream.launch_thread), len(tracks) - 1)
    thread = np.where(tracks[row] == stream.launch_thread, threads[row], -1)
    slices = stream.lane.slices
    after = stream.launch_start < slices.start
    return _linked(WaitKind.LAUNCH, place, slices.start[after], thread[after], stream.launch_start[after])


def _stops(thread: LaneWork, calls: Ints) -> Ints:
    """The end of each of these calls of a thread, by ordinal; -1: it is not there."""
    ordinals = thread.slices.ordinal
    if not len(ordinals):
        return np.full(len(calls), -1)
    row = np.minimum(np.searchsorted(ordinals, calls), len(ordinals) - 1)
    stops = (thread.slices.start + thread.slices.duration)[row]
    return np.where(ordinals[row] == calls, stops, -1)


def _unnamed_waits(thread: LaneWork, syncs: DeviceSyncs) -> Ints:
    """Ends of calls of which is not recorded what they wait for: what ended last before them, on any stream."""
    spans = np.flatnonzero(thread.waits)
    named = syncs.call[(syncs.thread == thread.track) & (syncs.waiting_stream < 0)]
    return thread.stop[spans[~np.isin(thread.slices.ordinal[thread.place[spans]], named)]]


def _first_waits(lane: int, stops: Ints, source_lane: int, ends: Ints) -> GraphLinks:
    """Links of the first call alone that ends after some work: the others come after that one."""
    is_first = np.diff(ends, prepend=-1) != 0
    return _linked(WaitKind.SYNCHRONISATION, lane, stops[is_first], source_lane, ends[is_first])


def _threads(threads: Sequence[LaneWork]) -> GraphLinks:
    """A thread that had nothing to do goes on where another one ends what it began meanwhile."""
    ends, places = [], []
    for place, thread in enumerate(threads):
        is_last = np.append(thread.start[1:] != thread.stop[:-1], True)[: len(thread)]
        ends.append(thread.stop[is_last])
        places.append(np.full(int(is_last.sum()), place))
    none = np.zeros(0, np.int64)
    end, lane = np.concatenate([none, *ends]), np.concatenate([none, *places])
    order = np.argsort(end, kind="stable")
    end, lane = np.append(end[order], -1), np.append(lane[order], -1)
    parts = []
    for place, thread in enumerate(threads):
        begins = np.append(True, thread.start[1:] != thread.stop[:-1])[: len(thread)]
        before = np.append(-1, thread.stop[:-1])[: len(thread)][begins]
        tick = thread.start[begins]
        last = np.searchsorted(end[:-1], tick, side="right") - 1
        is_other = end[last] > before  # its own last end is `before`
        rows = np.flatnonzero(is_other)
        parts.append(_linked(WaitKind.THREAD, place, tick[rows], lane[last[rows]], end[last[rows]]))
    return GraphLinks.joined(parts)
