"""Launches of the work of a stream, chunk by chunk: which chunks matter for a time is known without reading all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.launches.device_launches import launch_starts
from tilescope.tiler.lookup.launches import launch_places, launches_from
from tilescope.tiler.query import Interruptible, QueryReader

Ints = NDArray[np.int64]

_FAR: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class LaunchChunks:
    """The stored chunks of launches of a stream's slices."""

    first: Ints  # ordinal of the first slice of each, by which it is stored; shape (n,)
    last: Ints  # no slice behind it is in the chunk
    tracks: Ints  # that launch, shape (m,)
    # A row for each chunk and each track that launches in it, shape (k,):
    chunk: Ints  # its place
    place: Ints  # of the track
    earliest: Ints  # ordinal of the first launch on it

    def overlapping(self, first: int, ends: Ints) -> Ints:
        """Chunks of slices from `first` on, with a launch before the `ends` of the tracks, shape (m,). In order."""
        begins = np.zeros(len(self.first), np.bool_)
        begins[self.chunk[self.earliest < ends[self.place]]] = True
        return np.flatnonzero(begins & (self.last >= first))


@dataclass(frozen=True, slots=True)
class LaunchPairs:
    """Launched slices and their launches, each slice once, as `DeviceLaunches`; columns of shape (n,)."""

    ordinal: Ints  # of the slice
    track: Ints  # of the launch
    launch: Ints  # its ordinal there

    def __len__(self) -> int:
        return len(self.ordinal)

    def take(self, which: Ints) -> LaunchPairs:
        """Some of them."""
        return LaunchPairs(self.ordinal[which], self.track[which], self.launch[which])

    @staticmethod
    def joined(parts: Sequence[LaunchPairs]) -> LaunchPairs:
        """One after the other; there is at least one."""
        ordinal, track, launch = (
            np.concatenate([getattr(part, column) for part in parts]) for column in ("ordinal", "track", "launch")
        )
        return LaunchPairs(ordinal, track, launch)


def launch_chunks(reader: QueryReader, track: int) -> LaunchChunks:
    """The chunks of a stream, of which none is read. Raises DamagedStore, NotBuilt, StoredLast."""
    places = launch_places(reader.store, track)
    first, chunk = np.unique(places.event, return_inverse=True)
    tracks, place = np.unique(places.launching_track, return_inverse=True)
    last = np.append(first[1:] - 1, _FAR)[: len(first)]
    return LaunchChunks(first, last, tracks, chunk, place, places.least)


def launch_pairs(reader: QueryReader, track: int, first: int) -> Interruptible[LaunchPairs]:
    """The launches in one chunk: of several of a slice the surest, and of these the first. Raises DamagedStore."""
    chunk = launches_from(reader.store, track, first)
    if (chunk.ordinal[1:] > chunk.ordinal[:-1]).all():  # most slices have one launch
        return LaunchPairs(chunk.ordinal, chunk.partner_track, chunk.partner_ordinal)
    order = np.lexsort((chunk.way, chunk.ordinal))
    chunk = chunk.take(order)
    surest = np.flatnonzero(np.diff(chunk.ordinal, prepend=-1) != 0)
    group = np.cumsum(np.diff(chunk.ordinal, prepend=-1) != 0) - 1
    chunk = chunk.take(np.flatnonzero(chunk.way == chunk.way[surest][group]))
    if len(chunk) > len(surest):
        # Ordinals order the launches of one track only: of these few the starts are read.
        start = yield from launch_starts(reader, chunk)
        chunk = chunk.take(np.lexsort((start, chunk.ordinal)))
        chunk = chunk.take(np.flatnonzero(np.diff(chunk.ordinal, prepend=-1) != 0))
    return LaunchPairs(chunk.ordinal, chunk.partner_track, chunk.partner_ordinal)
