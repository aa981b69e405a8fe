"""Frames behind the work of a device: those of a kind around the launch of each slice, in each other.

They are read by the chunks of launches of a stream, each once: memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.launches.launch_chunks import launch_chunks, launch_pairs
from tilescope.tiler.facts.stacks.chains import Chain, FrameChains, chains_around
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, StackFrameKind, frame_names
from tilescope.tiler.facts.stacks.frames_at import MOST_ROWS, TOGETHER, last_of_rows
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import Events, join, no_events
from tilescope.tiler.query.run_caches import KeyedRunCache

Ints = NDArray[np.int64]

# Bytes of a chain, and of each name in it.
_CHAIN_BYTES: Final = 200
_NAME_BYTES: Final = 8

# Numbers that stand for frames in chains, from 0 on.
FrameNumbers = Callable[[Events], Interruptible[Ints]]


@dataclass(frozen=True, slots=True)
class ChunkFrames:
    """Frames around the launches of the slices of one chunk, columns of shape (n,)."""

    ordinal: Ints  # of the slice, ascending
    thread: NDArray[np.int32]  # track of its launch
    chain: NDArray[np.int32]  # place in `chains`
    chains: Sequence[Chain]

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        chains = _CHAIN_BYTES * len(self.chains) + _NAME_BYTES * sum(map(len, self.chains))
        return self.ordinal.nbytes + self.thread.nbytes + self.chain.nbytes + chains


_FRAMES: Final = KeyedRunCache[tuple[int, int, str], ChunkFrames](
    "launching_frames",
    "Frames that launch the slices of devices",
    lambda chunk: chunk.size_bytes,
)


class StreamFrames:
    """Frames of a kind behind the slices of a device's track, as numbers of `chains`.

    `numbers`: what stands for each frame in a chain; its name unless given. Raises DamagedStore, NotBuilt, StoredLast.
    """

    def __init__(
        self,
        reader: QueryReader,
        track: int,
        chains: FrameChains,
        kind: StackFrameKind = OPERATORS,
        numbers: FrameNumbers | None = None,
    ) -> None:
        self._reader = reader
        self._track = track
        self._chains = chains
        self._kind = kind
        self._numbers = numbers
        self._first = launch_chunks(reader, track).first
        self._last: tuple[int, ChunkFrames] | None = None  # that was read: the next slices are behind it, too

    def behind(self, ordinals: Ints) -> Interruptible[Ints]:
        """The number of the frames around the launch of each of these slices. Raises DamagedStore."""
        return (yield from self.threads_behind(ordinals))[0]

    def threads_behind(self, ordinals: Ints) -> Interruptible[tuple[Ints, Ints]]:
        """The same, and the track of the thread of each launch, -1 without one. Raises DamagedStore."""
        numbers, threads = np.zeros(len(ordinals), np.int64), np.full(len(ordinals), -1)
        places = np.searchsorted(self._first, ordinals, side="right") - 1
        for place in np.unique(places[places >= 0]).tolist():
            chunk = yield from self._chunk(int(self._first[place]))
            rows = np.flatnonzero(places == place)
            in_chunk = np.minimum(np.searchsorted(chunk.ordinal, ordinals[rows]), len(chunk.ordinal) - 1)
            has_launch = chunk.ordinal[in_chunk] == ordinals[rows]
            numbers[rows[has_launch]] = self._chains.numbers(chunk.chains)[chunk.chain[in_chunk[has_launch]]]
            threads[rows[has_launch]] = chunk.thread[in_chunk[has_launch]]
        return numbers, threads

    def _chunk(self, first: int) -> Interruptible[ChunkFrames]:
        if self._last is not None and self._last[0] == first:
            return self._last[1]
        key = self._track, first, self._kind.id
        chunk = _FRAMES.get(self._reader, key) if self._numbers is None else None
        if chunk is None:
            chunk = yield from self._read_chunk(first)
            if self._numbers is None:  # others mean something to this question alone
                chunk = _FRAMES.keep(self._reader, key, chunk)
        self._last = first, chunk
        return chunk

    def _read_chunk(self, first: int) -> Interruptible[ChunkFrames]:
        pairs = yield from launch_pairs(self._reader, self._track, first)
        if int(pairs.ordinal[-1]) >= self._reader.tree.tracks[self._track].events:
            raise DamagedStore(f"track {self._track} lacks slices that were launched")
        chains = FrameChains()
        chain = np.zeros(len(pairs), np.int32)
        for host_track in np.unique(pairs.track).tolist():
            rows = np.flatnonzero(pairs.track == host_track)
            wanted, place = np.unique(pairs.launch[rows], return_inverse=True)
            around = yield from _around(self._reader, host_track, wanted, chains, self._kind, self._numbers)
            chain[rows] = around[place]
        return ChunkFrames(pairs.ordinal, pairs.track.astype(np.int32), chain, chains.listed())


def _around(
    reader: QueryReader,
    track: int,
    launches: Ints,
    chains: FrameChains,
    kind: StackFrameKind,
    frame_numbers: FrameNumbers | None,
) -> Interruptible[NDArray[np.int32]]:
    """The frames that are a launch or around it, of each of these ordinals, each once: numbers of `chains`."""
    if track >= len(reader.tree.tracks) or int(launches[-1]) >= reader.tree.tracks[track].events:
        raise DamagedStore(f"track {track} lacks slices that are launches")
    is_frame = yield from frame_names(reader, kind)
    numbers = np.zeros(len(launches), np.int32)
    count = 0
    open_frames = no_events(track)  # the last of each depth: only these can reach into what follows
    for slices in _host_slices(reader, track, launches):
        place = np.minimum(np.searchsorted(launches, slices.ordinal), len(launches) - 1)
        is_launch = launches[place] == slices.ordinal
        frames = slices.take(is_frame[slices.name + 1] & (slices.row < MOST_ROWS))
        frames = join([open_frames, frames])
        launch = slices.take(is_launch)
        around = frames
        if frame_numbers is not None:
            around = _holding(frames, launch)
            around = replace(around, name=(yield from frame_numbers(around)))
        numbers[place[is_launch]] = chains_around(around, launch, chains)
        count += int(is_launch.sum())
        open_frames = last_of_rows(frames)
        yield
    if count != len(launches):
        raise DamagedStore(f"track {track} lacks slices that are launches")
    return numbers


def _holding(frames: Events, launches: Events) -> Events:
    """Frames that have the start of a launch in them."""
    starts = np.sort(launches.start)
    first, end = (
        np.searchsorted(starts, edge) for edge in (frames.start, frames.start + np.maximum(frames.duration, 1))
    )
    return frames.take(first < end)


def _host_slices(reader: QueryReader, track: int, launches: Ints) -> Iterator[Events]:
    """The slices in all leaves in which launches start, and those that reach into them, in order; many together.

    Outliers too: an operator that lies far from the rest is around its launches all the same.
    """
    plan = reader.plan(track, reader.leaves_of(track, launches))
    parts: list[Events] = []
    for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
        parts.append(events)
        if sum(map(len, parts)) >= TOGETHER:
            yield join(parts)
            parts = []
    if parts:
        yield join(parts)
