"""Joins flow ends of equal key to edges: start, steps, ends.

Ends of a key are taken in the order (time, starts before steps before ends, order in the file). A step or an end is
joined to the last start or step before it. So one start may have several ends (fan-out), a step hands the flow on, and
a second start of the same key begins a new flow. An end that lies before the only start of its key is joined to that
start all the same: clocks of hosts and devices differ (in traces of Ascend devices by tens of microseconds).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import Phase

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class JoinedFlows:
    """Edges as positions of flow ends, in the order of keys and times."""

    source: Ints  # (edges,) a start or step
    target: Ints  # (edges,) a step or end
    starts_without_end: int  # starts and steps from which nothing follows
    ends_without_start: int  # steps and ends before which there is nothing
    without_id: int  # ends of no key: they belong to no flow

    def __len__(self) -> int:
        return len(self.source)


def join_flows(phase: NDArray[np.uint8], tick: Ints, key: Ints) -> JoinedFlows:
    """The edges between flow ends, given as columns of shape (n,). A key of -1 is none."""
    known = np.flatnonzero(key >= 0)
    # Ticks are below 2**61, so the phase fits beside them.
    moment = (tick[known] << 2) | (phase[known] - Phase.FLOW_START)
    order = known[np.lexsort([moment, key[known]])]
    del moment
    phase, key = phase[order], key[order]
    gives, takes = phase != Phase.FLOW_END, phase != Phase.FLOW_START
    place = np.arange(len(order))
    last = np.maximum.accumulate(np.where(gives, place, -1))
    before = np.concatenate([[-1], last[:-1]]) if len(last) else last
    joined = takes & (before >= 0) & (key[before] == key)
    early, start = _early_ends(phase, key, (phase == Phase.FLOW_END) & ~joined)
    joined[early] = True
    before[early] = start
    source, target = before[joined], place[joined]
    followed = np.zeros(len(order), np.bool_)
    followed[source] = True
    return JoinedFlows(
        order[source],
        order[target],
        starts_without_end=int(np.count_nonzero(gives & ~followed)),
        ends_without_start=int(np.count_nonzero(takes & ~joined)),
        without_id=len(tick) - len(known),
    )


def _early_ends(phase: NDArray[np.uint8], key: Ints, alone: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Those of the ends `alone` whose key has exactly one start, and the places of these starts. Keys are in order."""
    early = np.flatnonzero(alone)
    starts = np.flatnonzero(phase == Phase.FLOW_START)
    first = np.searchsorted(key[starts], key[early])
    single = np.searchsorted(key[starts], key[early], side="right") - first == 1
    return early[single], starts[first[single]]
