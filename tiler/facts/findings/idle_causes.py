"""Reasons why a device is idle: what its host did until it launched the work that ended the wait.

The host could have launched from the moment on at which the device became idle. A wait for the device that ends then
has emptied the queue: what the host does next, until the launch, costs the time because of that wait. Where most steps
have such a wait, and few of them are much longer behind it, the excess is due to what the host does in these few.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts import NOTHING
from tilescope.tiler.facts.findings.blame import Culprit, IdleBlame
from tilescope.tiler.facts.findings.device_time import DeviceTime, TimePart
from tilescope.tiler.facts.findings.frames import Frames
from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.facts.findings.host_threads import HostThreads
from tilescope.tiler.facts.findings.host_time import ThreadSlices
from tilescope.tiler.facts.findings.rare_steps import split_rare
from tilescope.tiler.facts.findings.stretches import (
    NO_TRACK,
    HostPieces,
    IdleParts,
    IdleStretches,
    stretches_and_pieces,
)
from tilescope.tiler.facts.launches import has_launches, launches_of_slices
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

# A host that waits for communication on other threads goes on some microseconds after its end: 3 in runs of gloo.
_WAKE_PS: Final = 100_000_000

# With the launches of each; where none is recorded a stretch is no more than two numbers.
_STRETCHES_AT_ONCE: Final = 65_536
_PLAIN_AT_ONCE: Final = 2 * _STRETCHES_AT_ONCE


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
    talk = threads.any_time(HostKind.COLLECTIVE)
    _blame_collectives(blame[Wait.COLLECTIVE], threads.times[HostKind.COLLECTIVE], lane.frames.windows)
    pace = _pace(lane, threads)
    tracks = _launched_tracks(reader, lane)
    slices = ThreadSlices(reader, threads.kinds, lane.frames.windows)
    at_once = _STRETCHES_AT_ONCE if tracks else _PLAIN_AT_ONCE
    for windows in _chunks(lane.idle, at_once):
        idle = yield from _with_launches(reader, tracks, windows.starts, windows.stops)
        are_queued = idle.are_queued
        if are_queued.any():
            _add_queued(lane.frames, Windows(idle.start[are_queued], idle.stop[are_queued]), talk, ticks)
            idle = idle.take(~are_queued)
        for track, launched in idle.by_thread():
            apart = np.flatnonzero(_follows_copy(reader, lane, launched.start))
            stretches, pieces = yield from stretches_and_pieces(
                slices, lane.frames, threads, track, launched, apart, talk
            )
            # What the host does besides, while others communicate in the background, costs the time itself.
            awaited = np.where(_are_waits(talk, pieces, _WAKE_PS // reader.tick_ps), pieces.talk, 0)
            awaited_in_all = stretches.talk.copy()
            np.subtract.at(awaited_in_all, pieces.stretch, pieces.talk - awaited)
            stretches = replace(stretches, talk=awaited_in_all)
            pieces = replace(pieces, ticks=pieces.ticks - awaited, talk=awaited)
            _add(reader, lane, stretches, pieces, ticks, blame, behind, is_ahead=pace.is_ahead)
        yield
    behind.give_back_rare(lane, ticks, blame)
    _join_host_bound(pace, ticks)
    return IdleCauses(ticks, blame)


def _chunks(pieces: Sequence[Windows], count: int) -> Iterator[Windows]:
    """Windows in pieces that follow one another, so many at once: each chunk costs as much as all talk besides."""
    group: list[Windows] = []
    for piece in pieces:
        if group and sum(map(len, group)) + len(piece) > count:
            yield from Windows.adjoined(group).parts(count)
            group = []
        group.append(piece)
    if group:
        yield from Windows.adjoined(group).parts(count)


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
    frames = lane.frames
    parts = frames.ticks_in(host), frames.ticks_in(provides), frames.ticks - lane.idle_ticks
    return _Pace(*(_usual_ticks(frames, part) for part in parts))


def _usual_ticks(frames: Frames, ticks: Ints) -> int:
    """Ticks of frames, without what few frames have beyond the usual: a pause tells no pace."""
    _, usual = split_rare(ticks[None], float(frames.ticks.mean()))
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


def _launched_tracks(reader: QueryReader, lane: DeviceTime) -> list[int]:
    """The tracks of a device on whose work any launch is recorded."""
    tracks = [work_track.track for work_track in (*lane.device.tracks, *lane.device.beside)]
    return [track for track in tracks if has_launches(reader, track)]


def _with_launches(
    reader: QueryReader, tracks: Sequence[int], starts: Ints, stops: Ints
) -> Interruptible[IdleStretches]:
    """Idle stretches with the launches of the work that ends them, on these tracks.

    Of work that starts together, that which was launched first ends them: the order of the file says nothing.
    """
    if not tracks:
        return IdleStretches(starts, stops, np.zeros(0, np.int64), np.zeros(0, np.int64))
    idle = IdleStretches(starts, stops, np.full(len(stops), NO_TRACK), np.zeros(len(stops), np.int64))
    for track in tracks:
        plan = reader.plan(track, Windows.from_spans(stops, stops + 1))
        parts = [np.zeros((2, 0), np.int64)]
        for slices in Reading(reader).starts(plan):
            place = np.minimum(np.searchsorted(stops, slices.start), len(stops) - 1)
            ends = np.flatnonzero(stops[place] == slices.start)
            parts.append(np.stack([place[ends], slices.ordinal[ends]]))
            yield
        place, ordinal = np.concatenate(parts, axis=1)
        launches = yield from launches_of_slices(reader, track, ordinal)
        row = launches.rows(ordinal)
        is_end = row >= 0
        outliers = None if reader.outliers is None else reader.outliers.ordinals(track)
        if outliers is not None:
            is_end &= ~np.isin(ordinal, outliers)
        place, thread, time = place[is_end], launches.track[row[is_end]], launches.start[row[is_end]]
        order = np.lexsort((thread, time, place))
        first = order[np.diff(place[order], prepend=-1) > 0]
        place, thread, time = place[first], thread[first], time[first]
        other, since = idle.launch_track[place], idle.launch_time[place]
        is_first = (other == NO_TRACK) | (time < since) | ((time == since) & (thread < other))
        idle.launch_track[place[is_first]] = thread[is_first]
        idle.launch_time[place[is_first]] = time[is_first]
    return idle


def _add_queued(frames: Frames, queued: Windows, talk: Windows, ticks: Mapping[Wait, Ints]) -> None:
    """Adds stretches before work that was launched before them."""
    rest = queued.without(talk)
    ticks[Wait.QUEUED][:] += frames.ticks_in(rest)
    ticks[Wait.COLLECTIVE][:] += frames.ticks_in(queued) - frames.ticks_in(rest)


def _add(
    reader: QueryReader,
    lane: DeviceTime,
    stretches: IdleParts,
    pieces: HostPieces,
    ticks: Mapping[Wait, Ints],
    blame: Mapping[Wait, IdleBlame],
    behind: _BehindWaits,
    *,
    is_ahead: bool,
) -> None:
    """Adds the reasons for some stretches. `is_ahead`: the host would be, if it did not wait for the device."""
    wait = _WAITS[pieces.kind]
    by_wait = np.zeros((len(Wait), len(stretches)), np.int64)
    np.add.at(by_wait, (wait, pieces.stretch), pieces.ticks)
    by_wait[Wait.COLLECTIVE] = stretches.talk
    # What no slice of the host explains, and the way from the launch to the device.
    by_wait[Wait.LAUNCH] += stretches.ticks - by_wait.sum(axis=0)
    clock = _CLOCK_PS // reader.tick_ps
    is_sync = (pieces.kind == HostKind.SYNC) & (pieces.holder_start <= stretches.begin[pieces.stretch] + clock)
    with_sync = np.zeros(len(stretches), np.int64)
    with_sync[pieces.stretch[is_sync]] = 1
    empties = stretches.of_whole(with_sync) > 0
    allocated = stretches.of_whole(by_wait[Wait.ALLOCATION])
    allocates = empties & (allocated > _ALLOCATES * stretches.of_whole(stretches.ticks))
    follows_copy = _follows_copy(reader, lane, stretches.begin)
    if is_ahead:
        is_behind = empties & ~allocates & ~follows_copy
        behind.has_wait[stretches.frame[is_behind]] = True
        for reason in _HIDDEN_WHEN_AHEAD:
            np.add.at(behind.ticks[reason], stretches.frame[is_behind], by_wait[reason, is_behind])
            is_its = is_behind[pieces.stretch] & (wait == reason)
            _blame(pieces, np.where(is_its, pieces.ticks, 0), wait, behind.blame)
            _move(by_wait, reason, Wait.SYNC, empties)
    _move(by_wait, Wait.SYNC, Wait.ALLOCATION, allocates)
    _move(by_wait, Wait.SYNC, Wait.TO_HOST, follows_copy)
    for reason in Wait:
        np.add.at(ticks[reason], stretches.frame, by_wait[reason])
    _blame_all(stretches, pieces, wait, by_wait, is_sync, blame)


def _are_waits(talk: Windows, pieces: HostPieces, wake: int) -> NDArray[np.bool_]:
    """Mask of pieces in which the host communicates, waits for its device, or goes on as communication ends."""
    waits: NDArray[np.bool_] = (pieces.kind == HostKind.COLLECTIVE) | (pieces.kind == HostKind.SYNC)
    if len(talk):
        last = np.searchsorted(talk.stops, pieces.leaf_stop, side="right") - 1
        end = talk.stops[np.maximum(last, 0)]
        waits |= (last >= 0) & (end > pieces.start) & (end + wake >= pieces.leaf_stop)
    return waits


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
    stretches: IdleParts,
    pieces: HostPieces,
    wait: Ints,
    by_wait: Ints,
    is_sync: NDArray[np.bool_],
    blame: Mapping[Wait, IdleBlame],
) -> None:
    """Adds up who is to blame. A wait that emptied the queue is blamed for all of its stretch."""
    ticks = pieces.ticks.copy()
    first_sync = np.flatnonzero(is_sync)
    whole = stretches.whole[pieces.stretch[first_sync]]
    first_sync = first_sync[np.unique(whole, return_index=True)[1]]
    ticks[is_sync] = 0
    sync_ticks = stretches.of_whole(by_wait[[Wait.SYNC, Wait.TO_HOST]].sum(axis=0))
    ticks[first_sync] = sync_ticks[pieces.stretch[first_sync]]
    reason = np.where(by_wait[wait, pieces.stretch] > 0, wait, NO_TRACK)
    reason[first_sync] = np.where(by_wait[Wait.TO_HOST, pieces.stretch[first_sync]] > 0, Wait.TO_HOST, Wait.SYNC)
    _blame(pieces, ticks, reason, blame)


def _blame(pieces: HostPieces, ticks: Ints, reason: Ints, blame: Mapping[Wait, IdleBlame]) -> None:
    """Adds ticks of pieces to the reasons that they are due to; below 0: to none."""
    places = np.flatnonzero((reason >= 0) & (ticks > 0))
    if not len(places):
        return
    columns = [column[places] for column in (reason, pieces.track, pieces.holder, pieces.leaf)]
    order = np.lexsort((pieces.ticks[places], *columns[::-1]))
    is_last = np.zeros(len(order), np.bool_)
    for column in columns:
        is_last |= np.diff(column[order], append=-2) != 0
    last = np.flatnonzero(is_last)  # the one of most time of each culprit
    sums = np.diff(np.cumsum(ticks[places][order])[last], prepend=0)
    longest = places[order[last]]
    for place, total in zip(longest.tolist(), sums.tolist(), strict=True):
        culprit = Culprit(int(pieces.track[place]), int(pieces.holder[place]), int(pieces.leaf[place]))
        span = int(pieces.start[place]), int(pieces.stop[place])
        blame[Wait(int(reason[place]))].add(culprit, total, *span, int(pieces.ticks[place]))


def _blame_collectives(blame: IdleBlame, collectives: Mapping[int, Windows], span: Windows) -> None:
    """Threads on which collectives run, with the longest of each."""
    for track, times in collectives.items():
        windows = times.clipped(span.start, span.stop)
        if len(windows):
            longest = int(np.argmax(windows.stops - windows.starts))
            culprit = Culprit(track, -1, -1)
            blame.add(culprit, windows.ticks, int(windows.starts[longest]), int(windows.stops[longest]))
