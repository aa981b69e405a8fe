"""Chains of frames in each other on a thread, as numbers: around its slices, and around moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.stacks.frames_at import by_row, frames_at
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.events import Events

Ints = NDArray[np.int64]

# Ids of the names of frames in each other, the innermost last; -1 of one without a name.
Chain = tuple[int, ...]

# Names of a chain, without outer ones beyond, and of all chains together. Of real runs some ten, and ten thousand.
DEEPEST: Final = 512
_MOST_NAMES: Final = 1 << 22

_NAME: Final = (1 << 32) - 1


class FrameChains:
    """Chains of frames as numbers: 0 is that of none. Raises UsageError where they are too many."""

    def __init__(self) -> None:
        self._numbers: dict[Chain, int] = {(): 0}
        self._names = 0

    def __len__(self) -> int:
        return len(self._numbers)

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
        raise UsageError("frames lie in each other in too many ways to be told apart")


def chains_around(frames: Events, slices: Events, chains: FrameChains) -> NDArray[np.int32]:
    """The frames that are a slice or around it, of each slice: numbers of `chains`. Both in order."""
    return _chains(frames, slices.start, slices.row, slices.ordinal, chains)


def chains_at(
    reader: QueryReader, track: int, times: Ints, is_frame: NDArray[np.bool_], chains: FrameChains
) -> Interruptible[NDArray[np.int32]]:
    """The frames of a thread at each of these times, which ascend: numbers of `chains`.

    `is_frame`: mask of names, that of events without one first. Raises DamagedStore, NotBuilt, UsageError.
    """
    numbers = np.zeros(len(times), np.int32)
    for part in frames_at(reader, track, times, is_frame):
        if part is not None:
            frames, which = part
            numbers[which] = _around_times(frames, times[which], chains)
        yield
    return numbers


def _around_times(frames: Events, times: Ints, chains: FrameChains) -> NDArray[np.int32]:
    nowhere = np.full(len(times), np.iinfo(np.int64).max)
    return _chains(frames, times, nowhere, np.full(len(times), -1), chains)


def _chains(frames: Events, start: Ints, row: Ints, ordinal: Ints, chains: FrameChains) -> NDArray[np.int32]:
    place = np.zeros(len(start), np.int64)  # of the innermost frame so far, in the two lists; 0: none
    names, parents = [-1], [0]
    for depth, around in by_row(frames):
        last = np.searchsorted(around.start, start, side="right") - 1
        is_in = (last >= 0) & (row > depth) & ((around.start + around.duration)[last] > start)
        is_in |= (last >= 0) & (row == depth) & (around.ordinal[last] == ordinal)
        keys = place[is_in] << 32 | (around.name[last[is_in]] + 1)
        distinct, inverse = np.unique(keys, return_inverse=True)
        place[is_in] = len(names) + inverse
        names += ((distinct & _NAME) - 1).tolist()
        parents += (distinct >> 32).tolist()
        _check(len(names))
    used, inverse = np.unique(place, return_inverse=True)
    return chains.numbers([_chain(innermost, names, parents) for innermost in used.tolist()])[inverse]


def _chain(innermost: int, names: Sequence[int], parents: Sequence[int]) -> Chain:
    chain: list[int] = []
    place = innermost
    while place and len(chain) < DEEPEST:
        chain.append(names[place])
        place = parents[place]
    return tuple(reversed(chain))
