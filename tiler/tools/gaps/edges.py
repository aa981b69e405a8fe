"""Events at the edges of gaps: the work before, the work that ends them, and what launched that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilescope.tiler.facts import Work
from tilescope.tiler.lookup.flow_ends import flow_ends_at
from tilescope.tiler.query import Events, Interruptible, QueryReader, Reading
from tilescope.tiler.tools.gaps.gap_search import Gaps
from tilescope.tiler.tools.gaps.lanes import Lane, Lanes
from tilescope.tiler.windows import Windows


@dataclass(frozen=True, slots=True)
class Edge:
    """A slice at an edge of a gap."""

    track: int
    ordinal: int
    name: int

    @property
    def event(self) -> str:
        """Reference to the event, as track and ordinal: 4.17."""
        return f"{self.track}.{self.ordinal}"


@dataclass(frozen=True, slots=True)
class Launch:
    """The slice of a host from which a flow arrives at a gap's end."""

    edge: Edge
    start: int


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges by gap; None: it reaches beyond the windows, or no flow says what launched its end."""

    before: list[Edge | None]
    ended: list[Edge | None]
    launch: list[Launch | None]


def edges_of(reader: QueryReader, lanes: Lanes, gaps: Gaps) -> Interruptible[Edges]:
    """The edges of gaps. Raises DamagedStore."""
    n = len(gaps)
    edges = Edges([None] * n, [None] * n, [None] * n)
    reading = Reading(reader)
    for number in np.unique(gaps.lane).tolist():
        lane = lanes.lanes[number]
        rows = np.flatnonzero(gaps.lane == number)
        start, stop = gaps.start[rows], gaps.stop[rows]
        before = yield from _edges_by_time(reader, reading, lane, start - 1, ends=True)
        after = yield from _edges_by_time(reader, reading, lane, stop, ends=False)
        for place, first, last in zip(rows.tolist(), start.tolist(), stop.tolist(), strict=True):
            edges.before[place] = before.get(first)
            edges.ended[place] = after.get(last)
    on_devices = frozenset(track for device in lanes.devices for track in device.track_ids)
    for place, edge in enumerate(edges.ended):
        if edge is not None:
            edges.launch[place] = _launch(reader, edge, on_devices)
            yield
    return edges


def _edges_by_time(
    reader: QueryReader, reading: Reading, lane: Lane, ticks: np.ndarray[tuple[int], np.dtype[np.int64]], *, ends: bool
) -> Interruptible[dict[int, Edge]]:
    """By time, the work that ends or starts there: first what runs no other, then by track and ordinal."""
    windows = Windows.from_spans(ticks, ticks + 1)
    wanted = ticks + 1 if ends else ticks
    best: dict[int, tuple[bool, int, int, Edge]] = {}
    for track in lane.tracks:
        plan = reader.plan(track.track, windows)
        for events in reading.events(plan, plan.leaf_runs):
            kind = track.kinds[events.name + 1]
            time = events.start + events.duration if ends else events.start
            rows = np.flatnonzero((kind != Work.NONE) & (events.duration > 0) & np.isin(time, wanted))
            for row, when in zip(rows.tolist(), time[rows].tolist(), strict=True):
                edge = _edge(events, row)
                rank = (bool(kind[row] == Work.CONTROL), edge.track, edge.ordinal, edge)
                if when not in best or rank[:3] < best[when][:3]:
                    best[when] = rank
            yield
    return {when: rank[3] for when, rank in best.items()}


def _edge(events: Events, row: int) -> Edge:
    return Edge(events.track, int(events.ordinal[row]), int(events.name[row]))


def _launch(reader: QueryReader, edge: Edge, on_devices: frozenset[int]) -> Launch | None:
    ends = flow_ends_at(reader.store, edge.track, edge.ordinal)
    if ends is None:
        return None
    for end in np.flatnonzero(ends.incoming).tolist():
        track = int(ends.partner_track[end])
        if track not in on_devices:
            partner = Edge(track, int(ends.partner_ordinal[end]), int(ends.partner_name[end]))
            return Launch(partner, int(ends.partner_start[end]))
    return None
