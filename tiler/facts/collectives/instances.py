"""Instances of collectives: calls of several ranks that are one, matched by group, name and sequence.

Without a sequence, the k-th call of a rank is one with the k-th of another of the same group, name and size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.collectives.calls import CollectiveCalls

Ints = NDArray[np.int64]

# Part of algorithm bandwidth that each link carries, for n ranks: NCCL's performance notes.
_FACTORS: Final[Mapping[str, tuple[int, int]]] = {  # a (n - 1) / n + b
    **dict.fromkeys(("allreduce", "all_reduce", "allreduce_coalesced"), (2, 0)),
    **dict.fromkeys(("allgather", "all_gather", "_allgather_base", "allgather_into_tensor_coalesced"), (1, 0)),
    **dict.fromkeys(("reduce_scatter", "_reduce_scatter_base", "reduce_scatter_tensor_coalesced"), (1, 0)),
    **dict.fromkeys(("all_to_all", "all_to_allv", "alltoall", "alltoall_base"), (1, 0)),
    **dict.fromkeys(("broadcast", "_broadcast_oop", "reduce", "send and recv"), (0, 1)),
}


@dataclass(frozen=True, slots=True)
class Instances:
    """Instances of which several ranks were recorded. Columns of shape (n,); `row` has calls by instance."""

    calls: CollectiveCalls
    row: Ints  # of the calls, instance by instance, shape (m,)
    first: Ints  # place in `row` at which each begins
    start: Ints  # of each call, by the clock that counts, shape (m,)
    alone: int  # calls that have no counterpart on another rank

    def __len__(self) -> int:
        return len(self.first)

    @property
    def instance(self) -> Ints:
        """The instance of each call, shape (m,)."""
        return np.repeat(np.arange(len(self)), self.ranks)

    @property
    def ranks(self) -> Ints:
        """Number of ranks of each."""
        return np.diff(np.append(self.first, len(self.row)))

    @property
    def latest(self) -> Ints:
        """The start of the last rank."""
        return self._of_each(np.maximum, self.start)

    @property
    def skew(self) -> Ints:
        """From the start of the first rank to that of the last."""
        return self.latest - self._of_each(np.minimum, self.start)

    @property
    def wait(self) -> Ints:
        """Ticks from the start of each call to that of the last rank, shape (m,)."""
        return np.repeat(self.latest, self.ranks) - self.start

    @property
    def pure(self) -> Ints:
        """The least duration: that of a rank that waits for none."""
        return self._of_each(np.minimum, self.calls.duration[self.row])

    @property
    def last(self) -> Ints:
        """Place in `row` of the call that starts last; of several the first."""
        order = np.lexsort((np.arange(len(self.row)), -self.start, self.instance))
        return order[self.first] if len(self) else self.first

    @property
    def size(self) -> Ints:
        """The bytes that one rank has of it, the most of all ranks; -1: not recorded."""
        return self._of_each(np.maximum, self.calls.size[self.row])

    def take(self, which: NDArray[np.bool_]) -> Instances:
        """Some of them."""
        of_call = np.repeat(which, self.ranks)
        ranks = self.ranks[which]
        return Instances(self.calls, self.row[of_call], np.cumsum(ranks) - ranks, self.start[of_call], self.alone)

    def _of_each(self, join: np.ufunc, values: Ints) -> Ints:
        each: Ints = join.reduceat(values, self.first) if len(self) else np.zeros(0, np.int64)
        return each


def matched(calls: CollectiveCalls, chosen: NDArray[np.bool_], offsets: Mapping[int, int] | None = None) -> Instances:
    """Instances of the chosen calls; `offsets`: ticks that the clock of a rank shows beyond the others'."""
    rows = np.flatnonzero(chosen)
    order = rows[np.lexsort((calls.start[rows], calls.rank[rows], calls.sequence[rows], calls.kind[rows]))]
    key = np.stack([calls.kind[order], calls.sequence[order], calls.rank[order]])
    begins = _begins(key)
    place = np.arange(len(order)) - np.flatnonzero(begins)[np.cumsum(begins) - 1]  # among equal calls of a rank
    again = np.lexsort((calls.rank[order], place, key[1], key[0]))
    order, key = order[again], np.stack([key[0], key[1], place])[:, again]
    begins = _begins(key)
    instance = np.cumsum(begins) - 1
    several = np.bincount(instance)[instance] > 1 if len(order) else np.zeros(0, np.bool_)
    row = order[several]
    first = np.flatnonzero(_begins(key[:, several]))
    start = calls.start[row].copy()
    for rank, offset in (offsets or {}).items():
        start[calls.rank[row] == rank] -= offset
    return Instances(calls, row, first, start, int(np.count_nonzero(~several)))


def _begins(key: Ints) -> NDArray[np.bool_]:
    """True where a column of keys differs from the one before."""
    begins = np.ones(key.shape[1], np.bool_)
    begins[1:] = (np.diff(key, axis=1) != 0).any(axis=0)
    return begins


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """Ticks that the clock of a rank shows beyond the median of all, by ends that coincide."""

    offset: int
    spread: int  # between the quartiles of what instances say
    instances: int


def clock_offsets(instances: Instances) -> Mapping[int, ClockOffset]:
    """Offset of each rank: the median of its ends beyond the middle end, in instances of the most ranks."""
    instances = instances.take(instances.ranks == instances.ranks.max(initial=0))  # of few ranks may share a clock
    calls, ranks = instances.calls, instances.ranks
    end = calls.start[instances.row] + calls.duration[instances.row]
    order = np.lexsort((end, instances.instance))
    middle = end[order][instances.first + (ranks - 1) // 2] if len(instances) else end
    beyond = end - np.repeat(middle, ranks)
    offsets = {}
    for rank in np.unique(calls.rank[instances.row]).tolist():
        own = np.sort(beyond[calls.rank[instances.row] == rank])
        low, mid, high = (int(own[(len(own) - 1) * quarter // 4]) for quarter in (1, 2, 3))
        offsets[rank] = ClockOffset(mid, high - low, len(own))
    return offsets


def bus_factor(name: str, ranks: int) -> float | None:
    """The bandwidth of a link beside that of the algorithm; None for a collective that is not known."""
    factors = _FACTORS.get(name.rpartition(":")[2])
    return None if factors is None or ranks < 1 else factors[0] * (ranks - 1) / ranks + factors[1]
