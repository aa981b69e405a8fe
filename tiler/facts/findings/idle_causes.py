"""Reasons why a device is idle: what its host did until it launched the work that ended the wait.

The host could have launched from the moment on at which the device became idle. A wait for the device that ends then
has emptied the queue: what the host does next, until the launch, costs the time because of that wait. Where most steps
have such a wait, and few of them are much longer behind it, the excess is due to what the host does in these few.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts import NOTHING
from tilescope.tiler.facts.findings.device_time import DeviceTime, TimePart
from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.facts.findings.host_threads import HostThreads
from tilescope.tiler.facts.findings.host_time import Segments, cut, segments_of_track
from tilescope.tiler.facts.findings.rare_steps import split_rare
from tilescope.tiler.facts.launches import device_launches
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]


class Wait(IntEnum):
    """Reasons for idle time."""

    INPUT = 0
    SYNC = 1
    ALLOCATION = 2
    COMPILATION = 3
    PAUSE = 4
    COLLECTIVE = 5  # communication on threads of the host
    LAUNCH = 6  # the host prepares and launches work
    OUTPUT = 7
    TO_HOST = 8  # the host waits for a copy, and launches nothing before it has come
    QUEUED = 9  # the next work was launched before: it waits on the device


_WAIT_OF: Final[Mapping[int, Wait]] = {
    HostKind.NONE: Wait.LAUNCH,
    HostKind.INPUT: Wait.INPUT,
    HostKind.ENQUEUE: Wait.LAUNCH,
    HostKind.OUTPUT: Wait.OUTPUT,
    HostKind.SYNC: Wait.SYNC,
    HostKind.ALLOCATION: Wait.ALLOCATION,
    HostKind.COMPILATION: Wait.COMPILATION,
    HostKind.PAUSE: Wait.PAUSE,
    HostKind.COLLECTIVE: Wait.COLLECTIVE,
    HostKind.LAUNCH: Wait.LAUNCH,
}
_WAITS: Final = np.array([_WAIT_OF[kind] for kind in HostKind])

# What a host that is the quicker one does while the device works, unless it waits for it.
_HIDDEN_WHEN_AHEAD: Final = (Wait.LAUNCH, Wait.INPUT, Wait.OUTPUT)

# Part of a stretch from which on an allocation in it, rather than the wait that comes with it, is the reason.
_ALLOCATES: Final = 0.1

# A copy that takes less is the value of a scalar: its host waits for the device, not for the copy.
_COPY_PS: Final = 20_000_000

# Clocks of hosts and devices agree to about that: a wait that ends so long before the device is idle emptied the queue.
_CLOCK_PS: Final = 20_000_000

_STRETCHES_AT_ONCE: Final = 20_000

NO_TRACK: Final = -1


@dataclass(frozen=True, slots=True)
class Culprit:
    """A place on a thread where time goes: names of the slice whose kind is known, and of the innermost one, by id."""

    track: int
    holder: int
    leaf: int


@dataclass(slots=True)
class IdleBlame:
    """Time that culprits of one reason cost, and the longest stretch of each: start and end."""

    ticks: dict[Culprit, int] = field(default_factory=dict)
    longest: dict[Culprit, tuple[int, int]] = field(default_factory=dict)

    def add(self, culprit: Culprit, ticks: int, start: int, stop: int) -> None:
        """Adds time."""
        self.ticks[culprit] = self.ticks.get(culprit, 0) + ticks
        first, last = self.longest.get(culprit, (0, 0))
        if stop - start > last - first:
            self.longest[culprit] = start, stop

    def join(self, other: IdleBlame) -> None:
        """Adds all that another has."""
        for culprit, ticks in other.ticks.items():
            self.add(culprit, ticks, *other.longest[culprit])

    @property
    def greatest(self) -> Culprit | None:
        """The culprit of most of the time, on the thread that has most of it."""
        by_track: dict[int, int] = {}
        for culprit, ticks in self.ticks.items():
            by_track[culprit.track] = by_track.get(culprit.track, 0) + ticks
        return max(
            self.ticks,
            key=lambda culprit: (by_track[culprit.track], -culprit.track, self.ticks[culprit], -culprit.leaf),
            default=None,
        )

    def only_longest(self) -> IdleBlame:
        """The culprit of the longest stretch alone."""
        if not self.longest:
            return self
        culprit = max(self.longest, key=lambda entry: self.longest[entry][1] - self.longest[entry][0])
        return IdleBlame({culprit: self.ticks[culprit]}, {culprit: self.longest[culprit]})


@dataclass(frozen=True, slots=True)
class IdleCauses:
    """Idle time of a lane: of each reason that of each frame, shape (frames,), and who is to blame."""

    ticks: Mapping[Wait, Ints]
    blame: Mapping[Wait, IdleBlame]


def idle_causes(reader: QueryReader, lane: DeviceTime, threads: HostThreads) -> Interruptible[IdleCauses]:
    """The reasons for the idle time of a device. Raises DamagedStore, NotBuilt."""
    ticks = {wait: np.zeros(len(lane.frames), np.int64) for wait in Wait}
    blame = {wait: IdleBlame() for wait in Wait}
    behind = _BehindWaits.of_frames(len(lane.frames))
    communication = threads.any_time(HostKind.COLLECTIVE)
    _blame_collectives(blame[Wait.COLLECTIVE], threads.times[HostKind.COLLECTIVE], lane.frames.windows)
    pace = _pace(lane, threads)
    for first in range(0, len(lane.idle), _STRETCHES_AT_ONCE):
        which = slice(first, first + _STRETCHES_AT_ONCE)
        stretches = yield from _stretches(reader, lane, lane.idle.starts[which], lane.idle.stops[which])
        pieces = yield from _pieces(reader, threads, stretches)
        _add(reader, lane, stretches, pieces, communication, ticks, blame, behind, is_ahead=pace.is_ahead)
    behind.give_back_rare(lane, ticks, blame)
    _join_host_bound(pace, ticks)
    return IdleCauses(ticks, blame)


@dataclass(frozen=True, slots=True)
class _BehindWaits:
    """Activity of hosts behind waits that emptied the queue: by reason, ticks of each frame, and who is to blame.

    `has_wait`: of each frame, whether there is such a wait.
    """

    ticks: Mapping[Wait, Ints]
    blame: Mapping[Wait, IdleBlame]
    has_wait: NDArray[np.bool_]

    @classmethod
    def of_frames(cls, count: int) -> Self:
        """Nothing so far."""
        ticks = {wait: np.zeros(count, np.int64) for wait in _HIDDEN_WHEN_AHEAD}
        return cls(ticks, {wait: IdleBlame() for wait in _HIDDEN_WHEN_AHEAD}, np.zeros(count, np.bool_))

    def give_back_rare(self, lane: DeviceTime, ticks: Mapping[Wait, Ints], blame: Mapping[Wait, IdleBlame]) -> None:
        """Has what few steps have be due to its own reason, where most steps have such a wait."""
        if self.has_wait.sum() * 2 <= len(self.has_wait):
            return
        for reason, amount in self.ticks.items():
            rare, _ = split_rare(amount[None], float(lane.frames.ticks.mean()))
            if rare.any():
                ticks[Wait.SYNC][:] -= rare[0]
                ticks[reason][:] += rare[0]
                blame[reason].join(self.blame[reason])


@dataclass(frozen=True, slots=True)
class _Pace:
    """Ticks of all frames: `host` that a host needs where it does not wait for its device, `input` of that for input.

    `device`: that the device works. Without pauses of few frames.
    """

    host: int
    input: int
    device: int

    @property
    def is_ahead(self) -> bool:
        """True if the host is the quicker one: it would be ahead, and what it does would cost nothing."""
        return self.host < self.device


def _pace(lane: DeviceTime, threads: HostThreads) -> _Pace:
    windows = lane.frames.windows
    host = windows.without(threads.any_time(HostKind.SYNC).joined(threads.any_time(HostKind.PAUSE)))
    main = None if threads.main is None else threads.times[HostKind.INPUT].get(threads.main)
    provides = NOTHING if main is None else host.without(host.without(main))
    parts = host, provides, windows.without(lane.idle)
    return _Pace(*(_usual_ticks(lane, part) for part in parts))


def _usual_ticks(lane: DeviceTime, windows: Windows) -> int:
    """Ticks of frames in some windows, without what few frames have beyond the usual: a pause tells no pace."""
    _, usual = split_rare(lane.frames.ticks_in(windows)[None], float(lane.frames.ticks.mean()))
    return int(usual.sum())


def _join_host_bound(pace: _Pace, ticks: Mapping[Wait, Ints]) -> None:
    """Has the greater of input and launches cost all that the host is too slow for, if it would be ahead without it.

    What the host does besides is then hidden, though the device is idle meanwhile today.
    """
    provided, launched = int(ticks[Wait.INPUT].sum()), int(ticks[Wait.LAUNCH].sum())
    rest = pace.host - pace.input if provided > launched else pace.input
    if pace.is_ahead or rest >= pace.device:
        return
    greater, other = (Wait.INPUT, Wait.LAUNCH) if provided > launched else (Wait.LAUNCH, Wait.INPUT)
    for reason in (other, Wait.SYNC):
        ticks[greater][:] += ticks[reason]
        ticks[reason][:] = 0


@dataclass(frozen=True, slots=True)
class _Stretches:
    """Idle stretches, cut where frames end, columns of shape (n,); ticks.

    `whole`: place of the stretch of which it is a part, which begins at `begin`. `launch_track` (NO_TRACK: not
    recorded) and `launch_time`: of the work that ends the whole.
    """

    start: Ints
    stop: Ints
    frame: Ints
    whole: Ints
    begin: Ints
    launch_track: Ints
    launch_time: Ints

    def __len__(self) -> int:
        return len(self.start)

    def of_whole(self, ticks: Ints) -> Ints:
        """Sums over all parts of a stretch, for each part."""
        sums = np.zeros(int(self.whole[-1]) + 1 if len(self) else 0, np.int64)
        np.add.at(sums, self.whole, ticks)
        return sums[self.whole]


def _stretches(reader: QueryReader, lane: DeviceTime, starts: Ints, stops: Ints) -> Interruptible[_Stretches]:
    track, time = yield from _launches(reader, lane, stops)
    frame, whole, start, stop = cut(lane.frames.begin, lane.frames.end, starts, stops)
    return _Stretches(start, stop, frame, whole, starts[whole], track[whole], time[whole])


def _launches(reader: QueryReader, lane: DeviceTime, stops: Ints) -> Interruptible[tuple[Ints, Ints]]:
    """Launches of the work that starts at some ticks, ascending: track, NO_TRACK if not recorded, and tick."""
    track, time = np.full(len(stops), NO_TRACK), np.zeros(len(stops), np.int64)
    for work_track in (*lane.device.tracks, *lane.device.beside):
        launches = yield from device_launches(reader, work_track.track)
        if not len(launches):
            continue
        plan = reader.plan(work_track.track, Windows.from_spans(stops, stops + 1))
        for events in Reading(reader).events(plan, plan.leaf_runs):
            place = np.minimum(np.searchsorted(stops, events.start), len(stops) - 1)
            row = launches.rows(events.ordinal)
            is_end = (stops[place] == events.start) & (row >= 0) & (track[place] == NO_TRACK)
            track[place[is_end]] = launches.track[row[is_end]]
            time[place[is_end]] = launches.start[row[is_end]]
            yield
    return track, time


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Parts of stretches in which one slice of a host is innermost, columns of shape (n,)."""

    stretch: Ints
    track: Ints
    start: Ints
    stop: Ints
    kind: Ints
    holder: Ints
    leaf: Ints
    holder_start: Ints


def _pieces(reader: QueryReader, threads: HostThreads, stretches: _Stretches) -> Interruptible[_Pieces]:
    """Activity of hosts in stretches until the launch that ends each: on the launching thread, else the main one."""
    starts, track = stretches.start, stretches.launch_track
    has_launch = track != NO_TRACK
    ends = np.where(has_launch, np.minimum(stretches.stop, stretches.launch_time), stretches.stop)
    parts: list[tuple[Ints, ...]] = []
    uncovered = starts < ends
    rest_starts, rest_stops = [starts[uncovered & ~has_launch]], [ends[uncovered & ~has_launch]]
    for launch_track in np.unique(track[has_launch & uncovered]).tolist():
        which = np.flatnonzero((track == launch_track) & uncovered)
        windows = Windows.from_spans(starts[which], ends[which])
        segments = yield from segments_of_track(reader, launch_track, threads.kinds, windows)
        parts.append(_cut(launch_track, which, starts[which], ends[which], segments))
        left = windows.without(Windows.from_spans(segments.start, segments.stop)) if len(segments) else windows
        if launch_track != threads.main:
            rest_starts.append(left.starts)
            rest_stops.append(left.stops)
    rest = Windows.from_spans(np.concatenate(rest_starts), np.concatenate(rest_stops))
    if threads.main is not None and len(rest):
        segments = yield from segments_of_track(reader, threads.main, threads.kinds, rest)
        _, which, first, last = cut(rest.starts, rest.stops, starts, stretches.stop)
        parts.append(_cut(threads.main, which, first, last, segments))
    none = np.zeros(0, np.int64)
    return _Pieces(*(np.concatenate([none, *(part[place] for part in parts)]) for place in range(8)))


def _cut(track: int, which: Ints, starts: Ints, stops: Ints, segments: Segments) -> tuple[Ints, ...]:
    span, segment, first, last = cut(starts, stops, segments.start, segments.stop)
    return (
        which[span],
        np.full(len(span), track),
        first,
        last,
        segments.kind[segment],
        segments.holder[segment],
        segments.name[segment],
        segments.holder_start[segment],
    )


def _add(
    reader: QueryReader,
    lane: DeviceTime,
    stretches: _Stretches,
    pieces: _Pieces,
    communication: Windows,
    ticks: Mapping[Wait, Ints],
    blame: Mapping[Wait, IdleBlame],
    behind: _BehindWaits,
    *,
    is_ahead: bool,
) -> None:
    """Adds the reasons for some stretches. `is_ahead`: the host would be, if it did not wait for the device."""
    length = stretches.stop - stretches.start
    ticks_of_piece = pieces.stop - pieces.start - _ticks_in(communication, pieces.start, pieces.stop)
    wait = _WAITS[pieces.kind]
    by_wait = np.zeros((len(Wait), len(stretches)), np.int64)
    np.add.at(by_wait, (wait, pieces.stretch), ticks_of_piece)
    by_wait[Wait.COLLECTIVE] = _ticks_in(communication, stretches.start, stretches.stop)
    # What no slice of the host explains, and the way from the launch to the device.
    by_wait[Wait.LAUNCH] += length - by_wait.sum(axis=0)
    is_queued = (stretches.launch_track != NO_TRACK) & (stretches.launch_time < stretches.begin)
    _move(by_wait, Wait.LAUNCH, Wait.QUEUED, is_queued)
    clock = _CLOCK_PS // reader.tick_ps
    is_sync = (pieces.kind == HostKind.SYNC) & (pieces.holder_start <= stretches.begin[pieces.stretch] + clock)
    with_sync = np.zeros(len(stretches), np.int64)
    with_sync[pieces.stretch[is_sync]] = 1
    empties = stretches.of_whole(with_sync) > 0
    allocated = stretches.of_whole(by_wait[Wait.ALLOCATION])
    allocates = empties & (allocated > _ALLOCATES * stretches.of_whole(length))
    follows_copy = _follows_copy(reader, lane, stretches.begin)
    if is_ahead:
        is_behind = empties & ~allocates & ~follows_copy
        behind.has_wait[stretches.frame[is_behind]] = True
        for reason in _HIDDEN_WHEN_AHEAD:
            np.add.at(behind.ticks[reason], stretches.frame[is_behind], by_wait[reason, is_behind])
            is_its = is_behind[pieces.stretch] & (wait == reason)
            _blame(pieces, np.where(is_its, ticks_of_piece, 0), wait, behind.blame)
            _move(by_wait, reason, Wait.SYNC, empties)
    _move(by_wait, Wait.SYNC, Wait.ALLOCATION, allocates)
    _move(by_wait, Wait.SYNC, Wait.TO_HOST, follows_copy)
    for reason in Wait:
        np.add.at(ticks[reason], stretches.frame, by_wait[reason])
    _blame_all(stretches, pieces, ticks_of_piece, wait, by_wait, is_sync, blame)


def _ticks_in(windows: Windows, starts: Ints, stops: Ints) -> Ints:
    if not len(windows):
        return np.zeros(len(starts), np.int64)
    return windows.ticks_before(stops) - windows.ticks_before(starts)


def _move(by_wait: Ints, source: Wait, target: Wait, which: NDArray[np.bool_]) -> None:
    by_wait[target, which] += by_wait[source, which]
    by_wait[source, which] = 0


def _follows_copy(reader: QueryReader, lane: DeviceTime, starts: Ints) -> NDArray[np.bool_]:
    """Mask of stretches that begin as a copy to the host ends that is more than a scalar."""
    copies = lane.spans[TimePart.TO_HOST]
    if not len(copies):
        return np.zeros(len(starts), np.bool_)
    place = np.minimum(np.searchsorted(copies.stops, starts), len(copies) - 1)
    is_long = copies.stops[place] - copies.starts[place] >= _COPY_PS // reader.tick_ps
    follows: NDArray[np.bool_] = (copies.stops[place] == starts) & is_long
    return follows


def _blame_all(
    stretches: _Stretches,
    pieces: _Pieces,
    ticks_of_piece: Ints,
    wait: Ints,
    by_wait: Ints,
    is_sync: NDArray[np.bool_],
    blame: Mapping[Wait, IdleBlame],
) -> None:
    """Adds up who is to blame. A wait that emptied the queue is blamed for all of its stretch."""
    ticks = ticks_of_piece.copy()
    first_sync = np.flatnonzero(is_sync)
    whole = stretches.whole[pieces.stretch[first_sync]]
    first_sync = first_sync[np.unique(whole, return_index=True)[1]]
    ticks[is_sync] = 0
    sync_ticks = stretches.of_whole(by_wait[[Wait.SYNC, Wait.TO_HOST]].sum(axis=0))
    ticks[first_sync] = sync_ticks[pieces.stretch[first_sync]]
    reason = np.where(by_wait[wait, pieces.stretch] > 0, wait, NO_TRACK)
    reason[first_sync] = np.where(by_wait[Wait.TO_HOST, pieces.stretch[first_sync]] > 0, Wait.TO_HOST, Wait.SYNC)
    _blame(pieces, ticks, reason, blame)


def _blame(pieces: _Pieces, ticks: Ints, reason: Ints, blame: Mapping[Wait, IdleBlame]) -> None:
    """Adds ticks of pieces to the reasons that they are due to; below 0: to none."""
    places = np.flatnonzero((reason >= 0) & (ticks > 0))
    if not len(places):
        return
    columns = [column[places] for column in (reason, pieces.track, pieces.holder, pieces.leaf)]
    length = pieces.stop[places] - pieces.start[places]
    order = np.lexsort((length, *columns[::-1]))
    is_last = np.zeros(len(order), np.bool_)
    for column in columns:
        is_last |= np.diff(column[order], append=-2) != 0
    last = np.flatnonzero(is_last)  # the longest of each culprit
    sums = np.diff(np.cumsum(ticks[places][order])[last], prepend=0)
    longest = places[order[last]]
    for place, total in zip(longest.tolist(), sums.tolist(), strict=True):
        culprit = Culprit(int(pieces.track[place]), int(pieces.holder[place]), int(pieces.leaf[place]))
        blame[Wait(int(reason[place]))].add(culprit, total, int(pieces.start[place]), int(pieces.stop[place]))


def _blame_collectives(blame: IdleBlame, collectives: Mapping[int, Windows], span: Windows) -> None:
    """Threads on which collectives run, with the longest of each."""
    for track, times in collectives.items():
        windows = times.clipped(span.start, span.stop)
        if len(windows):
            longest = int(np.argmax(windows.stops - windows.starts))
            culprit = Culprit(track, -1, -1)
            blame.add(culprit, windows.ticks, int(windows.starts[longest]), int(windows.stops[longest]))
