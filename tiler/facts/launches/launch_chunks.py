"""Launches of the work of a stream, chunk by chunk: which chunks matter for a time is known without reading all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.launches.device_launches import launch_starts
from tilescope.tiler.lookup.launches import launches_of_track
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.launches import LAUNCHES, Launches

Ints = NDArray[np.int64]

NO_LAUNCH: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class LaunchChunks:
    """The stored chunks that have launches of a stream's slices; columns of shape (n,)."""

    first: Ints  # ordinal of the first slice, by which a chunk is stored
    last: Ints  # ordinal of the last slice
    tracks: Ints  # that launch, shape (m,)
    earliest: Ints  # ordinal of the first launch on each of them, shape (n, m); NO_LAUNCH: none


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


def launch_chunks(reader: QueryReader, track: int) -> Interruptible[LaunchChunks]:
    """The chunks of a stream, without its events. Raises DamagedStore, NotBuilt, StoredLast."""
    rows: list[tuple[int, int, dict[int, int]]] = []
    for chunk in launches_of_track(reader.store, track):
        incoming = chunk.incoming == 1
        if incoming.any():
            tracks, codes = np.unique(chunk.partner_track[incoming], return_inverse=True)
            earliest = np.full(len(tracks), NO_LAUNCH)
            np.minimum.at(earliest, codes, chunk.partner_ordinal[incoming])
            by_track = dict(zip(tracks.tolist(), earliest.tolist(), strict=True))
            rows.append((int(chunk.ordinal[0]), int(chunk.ordinal[incoming][-1]), by_track))
        yield
    tracks = np.array(sorted({host for *_, by_track in rows for host in by_track}), np.int64)
    table = [[by_track.get(host, NO_LAUNCH) for host in tracks.tolist()] for *_, by_track in rows]
    first, last = (np.array([row[column] for row in rows], np.int64) for column in (0, 1))
    return LaunchChunks(first, last, tracks, np.array(table, np.int64).reshape(len(rows), len(tracks)))


def launch_pairs(reader: QueryReader, track: int, first: int) -> Interruptible[LaunchPairs]:
    """The launches in one chunk: of several of a slice the surest, and of these the first. Raises DamagedStore."""
    record = reader.store.get(LAUNCHES, track, first)
    if record is None:
        raise DamagedStore(f"the launches of track {track} from event {first} on are missing")
    chunk = Launches.decode(decompress(record), track)
    chunk = _take(chunk, np.flatnonzero(chunk.incoming == 1))
    order = np.lexsort((chunk.way, chunk.ordinal))
    chunk = _take(chunk, order)
    surest = np.flatnonzero(np.diff(chunk.ordinal, prepend=-1) != 0)
    group = np.cumsum(np.diff(chunk.ordinal, prepend=-1) != 0) - 1
    chunk = _take(chunk, np.flatnonzero(chunk.way == chunk.way[surest][group]))
    if len(chunk) > len(surest):
        # Ordinals order the launches of one track only: of these few the starts are read.
        start = yield from launch_starts(reader, chunk)
        chunk = _take(chunk, np.lexsort((start, chunk.ordinal)))
        chunk = _take(chunk, np.flatnonzero(np.diff(chunk.ordinal, prepend=-1) != 0))
    return LaunchPairs(chunk.ordinal, chunk.partner_track, chunk.partner_ordinal)


def _take(launches: Launches, rows: Ints) -> Launches:
    return Launches(*(getattr(launches, column)[rows] for column in Launches.__struct_fields__))
