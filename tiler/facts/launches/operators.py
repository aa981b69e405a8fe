"""Operators of PyTorch behind the work of a device: those around the launch of each slice, in each other.

Threads of hosts record them as slices of categories of their own, called by namespace and name: `aten::mm`. They are
read by the chunks of launches of a stream, each once: memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore, UsageError
from tilescope.tiler.facts.host_operations.operator_threads import operator_names
from tilescope.tiler.facts.launches.launch_chunks import launch_chunks, launch_pairs
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import Events, join, no_events
from tilescope.tiler.query.run_caches import KeyedRunCache

Ints = NDArray[np.int64]

# Ids of the names of operators in each other, the innermost last.
Chain = tuple[int, ...]

_CHAIN_BYTES: Final = 200

# Names of a chain, without outer ones beyond, and of all chains together. Of real runs some ten, and ten thousand.
_DEEPEST: Final = 512
_MOST_NAMES: Final = 1 << 22


class OperatorChains:
    """Chains of operators as numbers: 0 is that of none. Raises UsageError where they are too many."""

    def __init__(self) -> None:
        self._numbers: dict[Chain, int] = {(): 0}
        self._names = 0

    def number(self, chain: Chain) -> int:
        """That of a chain, which gets one if it has none yet."""
        number = self._numbers.get(chain)
        if number is None:
            self._names += len(chain)
            _check(self._names)
            number = self._numbers[chain] = len(self._numbers)
        return number

    def numbers(self, chains: Sequence[Chain]) -> NDArray[np.int32]:
        """Numbers of some chains."""
        return np.array([self.number(chain) for chain in chains], np.int32)

    def listed(self) -> list[Chain]:
        """All chains, by number."""
        return list(self._numbers)


def _check(names: int) -> None:
    if names > _MOST_NAMES:
        raise UsageError("operators of PyTorch lie in each other in too many ways to be told apart")


@dataclass(frozen=True, slots=True)
class ChunkOperators:
    """Operators around the launches of the slices of one chunk, columns of shape (n,)."""

    ordinal: Ints  # of the slice, ascending
    chain: NDArray[np.int32]  # place in `chains`
    chains: Sequence[Chain]


_OPERATORS: Final = KeyedRunCache[tuple[int, int], ChunkOperators](
    "launching_operators",
    "Operators that launch the slices of devices",
    lambda chunk: chunk.ordinal.nbytes + chunk.chain.nbytes + _CHAIN_BYTES * len(chunk.chains),
)

# Slices of a host that are looked at together: five megabytes of columns.
_TOGETHER: Final = 1 << 16


class StreamOperators:
    """Operators behind the slices of a device's track, as numbers of `chains`.

    Raises DamagedStore, NotBuilt, StoredLast.
    """

    def __init__(self, reader: QueryReader, track: int, chains: OperatorChains) -> None:
        self._reader = reader
        self._track = track
        self._chains = chains
        self._first = launch_chunks(reader, track).first

    def behind(self, ordinals: Ints) -> Interruptible[Ints]:
        """The number of the operators around the launch of each of these slices. Raises DamagedStore."""
        numbers = np.zeros(len(ordinals), np.int64)
        places = np.searchsorted(self._first, ordinals, side="right") - 1
        for place in np.unique(places[places >= 0]).tolist():
            chunk = yield from self._chunk(int(self._first[place]))
            rows = np.flatnonzero(places == place)
            in_chunk = np.minimum(np.searchsorted(chunk.ordinal, ordinals[rows]), len(chunk.ordinal) - 1)
            has_launch = chunk.ordinal[in_chunk] == ordinals[rows]
            numbers[rows[has_launch]] = self._chains.numbers(chunk.chains)[chunk.chain[in_chunk[has_launch]]]
        return numbers

    def _chunk(self, first: int) -> Interruptible[ChunkOperators]:
        key = self._track, first
        chunk = _OPERATORS.get(self._reader, key)
        if chunk is None:
            chunk = _OPERATORS.keep(self._reader, key, (yield from self._read_chunk(first)))
        return chunk

    def _read_chunk(self, first: int) -> Interruptible[ChunkOperators]:
        pairs = yield from launch_pairs(self._reader, self._track, first)
        if int(pairs.ordinal[-1]) >= self._reader.tree.tracks[self._track].events:
            raise DamagedStore(f"track {self._track} lacks slices that were launched")
        chains = OperatorChains()
        chain = np.zeros(len(pairs), np.int32)
        for host_track in np.unique(pairs.track).tolist():
            rows = np.flatnonzero(pairs.track == host_track)
            wanted, place = np.unique(pairs.launch[rows], return_inverse=True)
            chain[rows] = (yield from _around(self._reader, host_track, wanted, chains))[place]
        return ChunkOperators(pairs.ordinal, chain, chains.listed())


def _around(
    reader: QueryReader, track: int, launches: Ints, chains: OperatorChains
) -> Interruptible[NDArray[np.int32]]:
    """The operators that are a launch or around it, of each of these ordinals, each once: numbers of `chains`."""
    if track >= len(reader.tree.tracks) or int(launches[-1]) >= reader.tree.tracks[track].events:
        raise DamagedStore(f"track {track} lacks slices that are launches")
    is_operator = yield from operator_names(reader)
    numbers = np.zeros(len(launches), np.int32)
    count = 0
    open_operators = no_events(track)  # the last of each depth: only these can reach into what follows
    for slices in _host_slices(reader, track, launches):
        place = np.minimum(np.searchsorted(launches, slices.ordinal), len(launches) - 1)
        is_launch = launches[place] == slices.ordinal
        operators = join([open_operators, slices.take(is_operator[slices.name + 1] != 0)])
        numbers[place[is_launch]] = _chains_around(operators, slices.take(is_launch), chains)
        count += int(is_launch.sum())
        _, last = np.unique(operators.row[::-1], return_index=True)
        open_operators = operators.take(np.sort(len(operators) - 1 - last))
        yield
    if count != len(launches):
        raise DamagedStore(f"track {track} lacks slices that are launches")
    return numbers


def _host_slices(reader: QueryReader, track: int, launches: Ints) -> Iterator[Events]:
    """The slices in all leaves in which launches start, and those that reach into them, in order; many together.

    Outliers too: an operator that lies far from the rest is around its launches all the same.
    """
    plan = reader.plan(track, reader.leaves_of(track, launches))
    parts: list[Events] = []
    for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
        parts.append(events)
        if sum(map(len, parts)) >= _TOGETHER:
            yield join(parts)
            parts = []
    if parts:
        yield join(parts)


def _chains_around(operators: Events, launches: Events, chains: OperatorChains) -> NDArray[np.int32]:
    """The operators that are a launch or around it, of each launch: numbers of `chains`. Both in order."""
    place = np.zeros(len(launches), np.int64)  # in `local`
    local: list[Chain] = [()]
    names = 0
    for depth in np.unique(operators.row).tolist():
        around = operators.take(operators.row == depth)
        last = np.searchsorted(around.start, launches.start, side="right") - 1
        is_in = (last >= 0) & (launches.row > depth) & ((around.start + around.duration)[last] > launches.start)
        is_in |= (last >= 0) & (launches.row == depth) & (around.ordinal[last] == launches.ordinal)
        keys = place[is_in] << 32 | around.name[last[is_in]]
        distinct, inverse = np.unique(keys, return_inverse=True)
        place[is_in] = len(local) + inverse
        local += [(*local[key >> 32][1 - _DEEPEST :], key & 0xFFFFFFFF) for key in distinct.tolist()]
        names += sum(map(len, local[len(local) - len(distinct) :]))
        _check(names)
    used, inverse = np.unique(place, return_inverse=True)
    return chains.numbers([local[number] for number in used.tolist()])[inverse]
