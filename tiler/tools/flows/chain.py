"""The events that flows lead to from one event, and those that they lead from: step by step, within bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tilescope.tiler.errors import UsageError
from tilescope.tiler.lookup.flow_ends import flow_ends_at
from tilescope.tiler.query import SLICE_KINDS, Interruptible, QueryReader, Reading
from tilescope.tiler.records.flow_ends import FlowEnds

FORWARD: Final = 1
BACK: Final = -1


@dataclass(slots=True)
class Link:
    """An event of a chain. `depth`: how many flows away, below 0 where these lead to the event that was asked for."""

    track: int
    ordinal: int
    depth: int
    start: int = 0
    name: int = -1
    duration: int | None = None
    tick: int = 0  # when the flow leaves or arrives here
    links: list[Link] = field(default_factory=list)

    @property
    def event(self) -> str:
        """Reference to the event, as track and ordinal: 4.17."""
        return f"{self.track}.{self.ordinal}"


@dataclass(slots=True)
class Chain:
    """An event and what hangs together with it. `is_cut`: not all of it, for depth or number."""

    event: Link
    incoming: int = 0
    outgoing: int = 0
    count: int = 1
    is_cut: bool = False

    def rows(self) -> Iterator[tuple[Link, int]]:
        """Each event and the row of that from which one comes to it: what leads to it first, then by time."""
        left: list[tuple[Link, int]] = [(self.event, -1)]
        row = 0
        while left:
            link, parent = left.pop()
            yield link, parent
            left += [
                (child, row)
                for child in sorted(link.links, key=lambda child: (child.depth, child.tick, child.track), reverse=True)
            ]
            row += 1


def chain_of(
    reader: QueryReader, track: int, ordinal: int, sides: tuple[int, ...], depth: int, limit: int
) -> Interruptible[Chain]:
    """The chain of an event, the nearest of it if it is too long. Raises UsageError for no event, DamagedStore."""
    if reader.tree.kind(track) not in SLICE_KINDS:
        raise UsageError(f"track {track} has no slices: flows go from slice to slice")
    if ordinal >= reader.tree.tracks[track].events:
        raise UsageError(f"track {track} has no event {ordinal}: it has {reader.tree.tracks[track].events}")
    chain = Chain(Link(track, ordinal, 0))
    ends = flow_ends_at(reader.store, track, ordinal)
    if ends is not None:
        chain.incoming = int(ends.incoming.sum())
        chain.outgoing = len(ends) - chain.incoming
    for side in sides:
        yield from _follow(reader, chain, side, depth, limit)
    yield from _look_up(reader, [link for link, _ in chain.rows()])
    return chain


def _follow(reader: QueryReader, chain: Chain, side: int, depth: int, limit: int) -> Interruptible[None]:
    seen = {(chain.event.track, chain.event.ordinal)}
    here = [chain.event]
    while here:
        there: list[Link] = []
        for link in here:
            ends = flow_ends_at(reader.store, link.track, link.ordinal)
            yield
            if ends is None:
                continue
            ends = ends.take(ends.incoming == (0 if side == FORWARD else 1))
            if abs(link.depth) == depth:
                chain.is_cut = chain.is_cut or _has_unseen(ends, seen, limit)
                continue
            for end in range(len(ends)):
                place = int(ends.partner_track[end]), int(ends.partner_ordinal[end])
                if place in seen:
                    continue
                if chain.count > limit:
                    chain.is_cut = True
                    return
                seen.add(place)
                chain.count += 1
                tick = int(ends.partner_tick[end])
                link.links.append(Link(*place, link.depth + side, tick=tick))
                there.append(link.links[-1])
        here = there


def _has_unseen(ends: FlowEnds, seen: set[tuple[int, int]], limit: int) -> bool:
    first_ends = ends.take(slice(limit + 1))
    return any(
        place not in seen
        for place in zip(first_ends.partner_track.tolist(), first_ends.partner_ordinal.tolist(), strict=True)
    ) or len(ends) > len(first_ends)


def _look_up(reader: QueryReader, links: list[Link]) -> Interruptible[None]:
    """Sets start, duration and name of the events, track by track, from the leaves that hold them."""
    reading = Reading(reader)
    by_track: dict[int, dict[int, Link]] = defaultdict(dict)
    for link in links:
        by_track[link.track].setdefault(link.ordinal, link)
    for track, wanted in sorted(by_track.items()):
        plan = reader.plan(track, reader.leaves_of(track, np.array(sorted(wanted), np.int64)))
        for events in reading.events(plan, plan.leaf_runs):
            rows = np.flatnonzero(np.isin(events.ordinal, list(wanted)))
            for row in rows.tolist():
                link = wanted[int(events.ordinal[row])]
                link.start, link.duration = int(events.start[row]), int(events.duration[row])
                link.name = int(events.name[row])
            yield
