"""The launch of each slice on a track of a device, by ordinal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.lookup.launches import launches_of_track
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.launches import Launches

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DeviceLaunches:
    """Launched slices of one track of a device, columns of shape (n,), ordinals ascending, each once.

    Of several launches of a slice the surest counts (`LaunchWay`), and of these the one that began first.
    """

    ordinal: Ints  # of the slice on the device
    track: Ints  # of the launch
    launch: Ints  # ordinal of the launch on that track
    start: Ints  # tick at which the launch began

    def __len__(self) -> int:
        return len(self.ordinal)

    def rows(self, ordinals: Ints) -> Ints:
        """The row of each of these slices; -1 where its launch was not recorded."""
        if not len(self):
            return np.full(len(ordinals), -1)
        rows = np.minimum(np.searchsorted(self.ordinal, ordinals), len(self) - 1)
        return np.where(self.ordinal[rows] == ordinals, rows, -1)


_NO_LAUNCHES: Final = DeviceLaunches(*(np.zeros(0, np.int64) for _ in range(4)))

_LAUNCHES: Final = KeyedRunCache[int, DeviceLaunches]("device_launches", "Launches of the slices of devices")


def device_launches(reader: QueryReader, track: int) -> Interruptible[DeviceLaunches]:
    """The launches of the slices of a device's track. Raises DamagedStore, NotBuilt, StoredLast."""
    launches = _LAUNCHES.get(reader, track)
    if launches is None:
        chunks = list(launches_of_track(reader.store, track))
        yield
        launches = _LAUNCHES.keep(reader, track, (yield from _launches(reader, chunks)))
    return launches


def launches_of_slices(reader: QueryReader, track: int, ordinals: Ints) -> Interruptible[DeviceLaunches]:
    """The launches of some slices of a device's track: not all are read. Raises DamagedStore, NotBuilt, StoredLast."""
    launches = _LAUNCHES.get(reader, track)
    if launches is not None or not len(ordinals):
        return launches or _NO_LAUNCHES
    wanted = np.sort(ordinals)
    chunks = []
    for chunk in launches_of_track(reader.store, track, int(wanted[0]), int(wanted[-1])):
        row = np.minimum(np.searchsorted(wanted, chunk.ordinal), len(wanted) - 1)
        chunks.append(chunk.take(wanted[row] == chunk.ordinal))
        yield
    return (yield from _launches(reader, chunks))


def has_launches(reader: QueryReader, track: int) -> bool:
    """True if any slice of a device's track has a launch. Raises DamagedStore, NotBuilt, StoredLast."""
    return next(iter(launches_of_track(reader.store, track)), None) is not None


def _launches(reader: QueryReader, chunks: list[Launches]) -> Interruptible[DeviceLaunches]:
    if not chunks:
        return _NO_LAUNCHES
    pairs = Launches.join(chunks)
    start = yield from launch_starts(reader, pairs)
    if not (pairs.ordinal[1:] > pairs.ordinal[:-1]).all():  # as they are where each slice has one launch
        order = np.lexsort((start, pairs.way, pairs.ordinal))
        order = order[np.diff(pairs.ordinal[order], prepend=-1) != 0]
        pairs, start = pairs.take(order), start[order]
    return DeviceLaunches(pairs.ordinal, pairs.partner_track, pairs.partner_ordinal, start)


def launch_starts(reader: QueryReader, launches: Launches) -> Interruptible[Ints]:
    """The tick at which each of these launches began. Raises DamagedStore."""
    tracks = launches.partner_track
    if len(tracks) and (tracks == tracks[0]).all():
        return (yield from slice_ticks(reader, int(tracks[0]), launches.partner_ordinal))
    start = np.zeros(len(launches), np.int64)
    for track in np.unique(tracks).tolist():
        which = np.flatnonzero(tracks == track)
        start[which] = yield from slice_ticks(reader, track, launches.partner_ordinal[which])
    return start


def slice_ticks(reader: QueryReader, track: int, ordinals: Ints) -> Interruptible[Ints]:
    """The ticks at which these slices of a track start. Ordinals may come in any order, and several times.

    Raises DamagedStore.
    """
    wanted, place = ordinals, None
    if not (ordinals[1:] > ordinals[:-1]).all():  # as they are where one thread launches
        wanted, place = np.unique(ordinals, return_inverse=True)
    starts = np.zeros(len(wanted), np.int64)
    plan = reader.plan(track, reader.leaves_of(track, wanted))
    # Outliers too: a launch that lies far from the rest is the launch all the same.
    for slices in Reading(reader).starts(plan):
        rows = np.minimum(np.searchsorted(wanted, slices.ordinal), len(wanted) - 1)
        is_wanted = wanted[rows] == slices.ordinal
        starts[rows[is_wanted]] = slices.start[is_wanted]
        yield
    return starts if place is None else starts[place]
