"""Lanes of memories, as allocations in the trace tell of them: what tables tell of is drawn as counters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes import CurveBins, StepCurve, curve_bins
from tilescope.tiler.facts.memory import MemoryPool, event_memories, hosts_of, listed_memories, used_curve
from tilescope.tiler.query import Interruptible
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.lane import DerivedLane, LaneEvent, LaneSource
from tilescope.tiler.tools.scope import Scope

Ints = NDArray[np.int64]


def _listed_memories(scope: Scope) -> Interruptible[dict[str, MemoryPool]]:
    """The memories of all hosts by the keys of their lanes, as far as they are listed."""
    memories: list[MemoryPool] = []
    for host in hosts_of(scope.reader, scope.leaves(None)):
        listed = (yield from listed_memories(scope.reader, host)).memories
        memories += [memory for memory in listed if memory.source == "events"]
        yield
    return {_lane_key(memory): memory for memory in memories}


def _lane_key(memory: MemoryPool) -> str:
    """Made of host and name alone: how many others there are may change."""
    words = re.sub("[^a-z0-9]+", "-", memory.name.lower()).strip("-")[:40]
    digest = blake2b(memory.name.encode(errors="surrogatepass"), digest_size=4).hexdigest()
    return f"{memory.host}-{words}-{digest}"


def _left_out(scope: Scope) -> Interruptible[str]:
    for host in hosts_of(scope.reader, scope.leaves(None)):
        if not (yield from listed_memories(scope.reader, host)).is_whole:
            return (
                "of memories only those are listed with which a thread begins or ends its allocations, until the tool "
                "memory_profile has read them all"
            )
        yield
    return ""


def _lanes(scope: Scope) -> Interruptible[list[DerivedLane]]:
    memories = yield from _listed_memories(scope)
    groups = scope.reader.tree.groups
    hosts = {memory.host for memory in memories.values()}
    lanes = []
    # The fullest of a device first, as far as its first and last allocations tell.
    ranked = sorted(memories.items(), key=lambda entry: (entry[1].is_host, -_most_told(entry[1])))
    for key, memory in ranked:
        place = f"{groups[memory.host].name} · " if len(hosts) > 1 and memory.host >= 0 else ""
        makers = np.unique(memory.track).tolist()
        title = f"Memory {place}{memory.name}"
        lanes.append(DerivedLane(key, title, int(memory.track[0]), makers, "counter", figure="bytes"))
    return lanes


def _most_told(memory: MemoryPool) -> int:
    return max(memory.most_used, memory.lifetime_peak or 0)


def _lane_curve(scope: Scope, lane: DerivedLane) -> Interruptible[StepCurve | None]:
    memory = (yield from _listed_memories(scope))[lane.key]
    return (yield from used_curve(scope.reader, memory.host, memory.name))


def _lane_bins(scope: Scope, lane: DerivedLane, borders: Ints) -> Interruptible[CurveBins]:
    return curve_bins([(yield from _lane_curve(scope, lane))], borders)


def _lane_pieces(scope: Scope, lane: DerivedLane, span: TickRange) -> Iterator[StepCurve | None]:
    yield (yield from _lane_curve(scope, lane))


def _lane_events(scope: Scope, lane: DerivedLane, tick: int) -> Interruptible[list[LaneEvent]]:
    """The allocation or free that left the memory as full as it is."""
    listed = (yield from _listed_memories(scope))[lane.key]
    memories = yield from event_memories(scope.reader, listed.host)
    memory = next(memory for memory in memories if memory.name == listed.name)
    last = int(np.searchsorted(memory.start, tick, side="right")) - 1
    return [LaneEvent((int(memory.track[last]), int(memory.ordinal[last])))] if last >= 0 else []


LANES: Final = LaneSource(_lanes, _lane_bins, _lane_pieces, _lane_events, _left_out)
