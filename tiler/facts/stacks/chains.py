"""Chains of frames in each other on a thread, as numbers: around its slices, and around moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import Events, join, no_events
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Ids of the names of frames in each other, the innermost last.
Chain = tuple[int, ...]

# Names of a chain, without outer ones beyond, and of all chains together. Of real runs some ten, and ten thousand.
DEEPEST: Final = 512
_MOST_NAMES: Final = 1 << 22

# Rows of a thread that are looked at: frames on rows below are in no chain.
_MOST_ROWS: Final = 10_000

# Slices that are looked at together: five megabytes of columns.
TOGETHER: Final = 1 << 16


class Chains:
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


def chains_around(frames: Events, slices: Events, chains: Chains) -> NDArray[np.int32]:
    """The frames that are a slice or around it, of each slice: numbers of `chains`. Both in order."""
    return _chains(frames, slices.start, slices.row, slices.ordinal, chains)


def chains_at(
    reader: QueryReader, track: int, times: Ints, is_frame: NDArray[np.bool_], chains: Chains
) -> Interruptible[NDArray[np.int32]]:
    """The frames of a thread at each of these times, which ascend: numbers of `chains`.

    `is_frame`: mask of names, that of events without one first. Raises DamagedStore, NotBuilt.
    """
    numbers = np.zeros(len(times), np.int32)
    if not len(times):
        return numbers
    plan = reader.plan(track, Windows.single(int(times[0]), int(times[-1]) + 1))
    open_frames = no_events(track)  # the last of each depth: only these can reach into what follows
    parts: list[Events] = []
    done = 0
    for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
        if not len(events):
            continue
        parts.append(events.take(is_frame[events.name + 1]))
        latest = int(events.start.max())
        if sum(map(len, parts)) >= TOGETHER:
            frames = join([open_frames, *parts])
            stop = int(np.searchsorted(times, latest))  # later slices begin at `latest`, or after it
            numbers[done:stop] = _at(frames, times[done:stop], chains)
            open_frames = last_of_rows(frames)
            parts, done = [], stop
        yield
    numbers[done:] = _at(join([open_frames, *parts]), times[done:], chains)
    return numbers


def last_of_rows(frames: Events) -> Events:
    """The last of each row, in order."""
    _, last = np.unique(frames.row[::-1], return_index=True)
    return frames.take(np.sort(len(frames) - 1 - last))


def _at(frames: Events, times: Ints, chains: Chains) -> NDArray[np.int32]:
    nowhere = np.full(len(times), np.iinfo(np.int64).max)
    return _chains(frames, times, nowhere, np.full(len(times), -1), chains)


def _chains(frames: Events, start: Ints, row: Ints, ordinal: Ints, chains: Chains) -> NDArray[np.int32]:
    place = np.zeros(len(start), np.int64)  # in `local`
    local: list[Chain] = [()]
    names = 0
    for depth in np.unique(frames.row[frames.row < _MOST_ROWS]).tolist():
        around = frames.take(frames.row == depth)
        last = np.searchsorted(around.start, start, side="right") - 1
        is_in = (last >= 0) & (row > depth) & ((around.start + around.duration)[last] > start)
        is_in |= (last >= 0) & (row == depth) & (around.ordinal[last] == ordinal)
        keys = place[is_in] << 32 | around.name[last[is_in]]
        distinct, inverse = np.unique(keys, return_inverse=True)
        place[is_in] = len(local) + inverse
        local += [(*local[key >> 32][1 - DEEPEST :], key & 0xFFFFFFFF) for key in distinct.tolist()]
        names += sum(map(len, local[len(local) - len(distinct) :]))
        _check(names)
    used, inverse = np.unique(place, return_inverse=True)
    return chains.numbers([local[number] for number in used.tolist()])[inverse]
