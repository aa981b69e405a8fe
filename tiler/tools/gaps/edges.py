"""What stands at the edges of gaps: the work before, the work that ends them, and what launched that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilescope.tiler.facts import Work
from tilescope.tiler.lookup.flow_ends import flow_ends_at
from tilescope.tiler.query import Events, QueryReader, Reading, Steps
from tilescope.tiler.tools.gaps.found import Gaps
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
        """What refers to it."""
        return f"{self.track}.{self.ordinal}"


@dataclass(frozen=True, slots=True)
class Launch:
    """The slice of a host from which a flow arrives at a gap's end."""

    edge: Edge
    start: int


@dataclass(frozen=True, slots=True)
class Edges:
    """Of each gap; None: it goes on beyond what is looked at, or no flow says what launched its end."""

    before: list[Edge | None]
    ended: list[Edge | None]
    launch: list[Launch | None]


def edges_of(reader: QueryReader, found: Lanes, gaps: Gaps) -> Steps[Edges]:
    """What is at the edges of gaps. Raises DamagedStore."""
    n = len(gaps)
    edges = Edges([None] * n, [None] * n, [None] * n)
    reading = Reading(reader)
    for number in np.unique(gaps.lane).tolist():
        lane = found.lanes[number]
        at = np.flatnonzero(gaps.lane == number)
        start, stop = gaps.start[at], gaps.stop[at]
        before = yield from _at(reader, reading, lane, start - 1, ends=True)
        after = yield from _at(reader, reading, lane, stop, ends=False)
        for place, first, last in zip(at.tolist(), start.tolist(), stop.tolist(), strict=True):
            edges.before[place] = before.get(first)
            edges.ended[place] = after.get(last)
    on_devices = frozenset(track for device in found.devices for track in device.track_ids)
    for place, edge in enumerate(edges.ended):
        if edge is not None:
            edges.launch[place] = _launch(reader, edge, on_devices)
            yield
    return edges


def _at(
    reader: QueryReader, reading: Reading, lane: Lane, ticks: np.ndarray[tuple[int], np.dtype[np.int64]], *, ends: bool
) -> Steps[dict[int, Edge]]:
    """By time, the work that ends or starts there: first what runs no other, then by track and ordinal."""
    windows = Windows.of(ticks, ticks + 1)
    wanted = ticks + 1 if ends else ticks
    found: dict[int, tuple[bool, int, int, Edge]] = {}
    for of in lane.tracks:
        plan = reader.plan(of.track, windows)
        for events in reading.events(plan, plan.leaf_runs):
            kind = of.kinds[events.name + 1]
            time = events.start + events.duration if ends else events.start
            some = np.flatnonzero((kind != Work.NONE) & (events.duration > 0) & np.isin(time, wanted))
            for at, when in zip(some.tolist(), time[some].tolist(), strict=True):
                edge = _edge(events, at)
                rank = (bool(kind[at] == Work.CONTROL), edge.track, edge.ordinal, edge)
                if when not in found or rank[:3] < found[when][:3]:
                    found[when] = rank
            yield
    return {when: rank[3] for when, rank in found.items()}


def _edge(events: Events, at: int) -> Edge:
    return Edge(events.track, int(events.ordinal[at]), int(events.name[at]))


def _launch(reader: QueryReader, edge: Edge, on_devices: frozenset[int]) -> Launch | None:
    ends = flow_ends_at(reader.store, edge.track, edge.ordinal)
    if ends is None:
        return None
    for at in np.flatnonzero(ends.incoming).tolist():
        track = int(ends.partner_track[at])
        if track not in on_devices:
            partner = Edge(track, int(ends.partner_ordinal[at]), int(ends.partner_name[at]))
            return Launch(partner, int(ends.partner_start[at]))
    return None
