"""Calls that launch work of a device, each once, with the times of the call and of the first work that it launched.

A graph is one call that launches many kernels: how long its work waits is told by the kernel that starts first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import Device, WorkTrack
from tilescope.tiler.facts.launches.device_launches import device_launches
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import EVERYTHING, Events, Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LaunchTimes:
    """Calls with the first work of each, by the start of that; columns of shape (n,), times in ticks."""

    track: Ints  # of the work
    ordinal: Ints
    start: Ints
    duration: Ints
    name: Ints  # name id, -1 none
    call_track: Ints
    call: Ints  # ordinal of the call on its track
    call_start: Ints
    call_duration: Ints
    call_name: Ints

    def __len__(self) -> int:
        return len(self.start)

    def take(self, which: Ints | NDArray[np.bool_]) -> LaunchTimes:
        """Some of them."""
        return LaunchTimes(*(getattr(self, column)[which] for column in self.__slots__))

    @classmethod
    def joined(cls, parts: list[LaunchTimes]) -> LaunchTimes:
        """One after the other."""
        none = np.zeros(0, np.int64)
        return cls(*(np.concatenate([none, *(getattr(part, name) for part in parts)]) for name in cls.__slots__))

    @property
    def lead(self) -> Ints:
        """Ticks from the end of the call to the start of the work; below 0 where work starts before its call ends."""
        return self.start - (self.call_start + self.call_duration)


_TIMES: Final = KeyedRunCache[int, LaunchTimes]("launch_times", "Times of calls that launch work, by device")


def launch_times(reader: QueryReader, device: Device) -> Interruptible[LaunchTimes]:
    """The calls that launch work of a device. Raises DamagedStore, NotBuilt, StoredLast."""
    times = _TIMES.get(reader, device.group)
    if times is None:
        parts = []
        for work_track in device.tracks:
            parts.append((yield from _of_track(reader, work_track)))
        times = _TIMES.keep(reader, device.group, _first_work(LaunchTimes.joined(parts)))
    return times


def _first_work(times: LaunchTimes) -> LaunchTimes:
    """The work of each call that starts first; of several on one tick that of the first track."""
    order = np.lexsort((times.ordinal, times.track, times.start, times.call, times.call_track))
    track, call = times.call_track[order], times.call[order]
    is_first = (np.diff(track, prepend=-1) != 0) | (np.diff(call, prepend=-1) != 0)
    times = times.take(order[is_first])
    return times.take(np.lexsort((times.track, times.start)))


def _of_track(reader: QueryReader, work_track: WorkTrack) -> Interruptible[LaunchTimes]:
    """Launched work of a stream, each slice with its call."""
    launches = yield from device_launches(reader, work_track.track)
    if not len(launches):
        return LaunchTimes.joined([])
    reading = Reading(reader)
    work: list[Events] = []
    plan = reader.plan(work_track.track, EVERYTHING)
    for events in reading.events(plan, plan.leaf_runs):
        is_work = work_track.kinds[events.name + 1] != Work.NONE
        work.append(events.take(is_work & (launches.rows(events.ordinal) >= 0)))
        yield
    ordinal, start, duration, name = (
        np.concatenate([getattr(events, column) for events in work]) for column in _COLUMNS
    )
    row = launches.rows(ordinal)
    call_track, call = launches.track[row], launches.launch[row]
    call_duration, call_name = np.zeros(len(row), np.int64), np.zeros(len(row), np.int64)
    for track in np.unique(call_track).tolist():
        which = np.flatnonzero(call_track == track)
        call_duration[which], call_name[which] = yield from _calls(reader, reading, track, call[which])
    return LaunchTimes(
        np.full(len(row), work_track.track),
        ordinal,
        start,
        duration,
        name,
        call_track,
        call,
        launches.start[row],
        call_duration,
        call_name,
    )


_COLUMNS: Final = ("ordinal", "start", "duration", "name")


def _calls(reader: QueryReader, reading: Reading, track: int, ordinals: Ints) -> Interruptible[tuple[Ints, Ints]]:
    """Duration and name of some slices of a thread, whose ordinals come in any order."""
    wanted, place = np.unique(ordinals, return_inverse=True)
    duration, name = np.zeros(len(wanted), np.int64), np.full(len(wanted), -1)
    plan = reader.plan(track, reader.leaves_of(track, wanted))
    # Outliers too: a call that lies far from the rest is the call all the same.
    for events in reading.events_and_outliers(plan, plan.leaf_runs):
        row = np.minimum(np.searchsorted(wanted, events.ordinal), len(wanted) - 1)
        is_wanted = wanted[row] == events.ordinal
        duration[row[is_wanted]], name[row[is_wanted]] = events.duration[is_wanted], events.name[is_wanted]
        yield
    return duration[place], name[place]
