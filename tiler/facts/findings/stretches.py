"""Idle stretches of a device, and what one thread of its host did in each until it launched the work that ended it.

A device may be idle ten thousand times in a step, mostly while one slice of the host lasts. Stretches in turn without
a change on the host are one row: as many rows are left as the host has slices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.findings.frames import Frames
from tilescope.tiler.facts.findings.host_threads import HostThreads
from tilescope.tiler.facts.findings.host_time import Segments, ThreadSlices, cut
from tilescope.tiler.query import Interruptible
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

NO_TRACK: Final = -1

# Windows in which slices of hosts are read: near ones are read together.
_WINDOWS: Final = 1024


@dataclass(frozen=True, slots=True)
class IdleStretches:
    """Idle stretches of a device, maximal, columns of shape (n,), by time; ticks.

    `launch_track` and `launch_time`: of the work that ends each; NO_TRACK: not recorded. Both empty: of none.
    """

    start: Ints
    stop: Ints
    launch_track: Ints
    launch_time: Ints

    def __len__(self) -> int:
        return len(self.start)

    def take(self, which: Ints | NDArray[np.bool_]) -> IdleStretches:
        """Some of them."""
        return IdleStretches(*(getattr(self, column)[which] for column in self.__slots__))

    @property
    def has_launches(self) -> bool:
        """True if any launch may be recorded."""
        return bool(len(self.launch_track))

    @property
    def are_queued(self) -> NDArray[np.bool_]:
        """Mask of those before work that was launched before them."""
        if not self.has_launches:
            return np.zeros(len(self), np.bool_)
        are: NDArray[np.bool_] = (self.launch_track != NO_TRACK) & (self.launch_time < self.start)
        return are

    @property
    def launched(self) -> Ints:
        """The end of the time before the launch in each."""
        if not self.has_launches:
            return self.stop
        return np.where(self.launch_track == NO_TRACK, self.stop, np.clip(self.launch_time, self.start, self.stop))

    def by_thread(self) -> Iterator[tuple[int, IdleStretches]]:
        """Threads that launch, each with the stretches that end with work of it."""
        if not self.has_launches:
            if len(self):
                yield NO_TRACK, self
            return
        if len(self) and (self.launch_track == self.launch_track[0]).all():
            yield int(self.launch_track[0]), self
            return
        for track in np.unique(self.launch_track).tolist():
            yield track, self.take(self.launch_track == track)


@dataclass(frozen=True, slots=True)
class IdleParts:
    """Idle time, cut where frames end, columns of shape (n,), by time; ticks.

    `whole`: number of the stretch of which it is a part, which begins at `begin`. `ticks`: idle time, `talk` of it
    while hosts communicate; `launched` is where the time before the launch ends, of which there are `head` ticks.
    """

    start: Ints
    stop: Ints
    launched: Ints
    frame: Ints
    whole: Ints
    begin: Ints
    ticks: Ints
    talk: Ints
    head: Ints
    head_talk: Ints

    def __len__(self) -> int:
        return len(self.start)

    def of_whole(self, ticks: Ints) -> Ints:
        """Sums over all parts of a stretch, for each part."""
        sums = np.zeros(int(self.whole[-1]) + 1 if len(self) else 0, np.int64)
        np.add.at(sums, self.whole, ticks)
        return sums[self.whole]


@dataclass(frozen=True, slots=True)
class HostPieces:
    """Parts of stretches in which one slice of a host is innermost, columns of shape (n,).

    `ticks`: idle time in it, `talk` of it while hosts communicate. `leaf_stop`: until when that slice is innermost,
    beyond the stretch as well.
    """

    stretch: Ints
    track: Ints
    start: Ints
    stop: Ints
    kind: Ints
    holder: Ints
    leaf: Ints
    holder_start: Ints
    leaf_stop: Ints
    ticks: Ints
    talk: Ints


def stretches_and_pieces(
    slices: ThreadSlices,
    frames: Frames,
    threads: HostThreads,
    launch_track: int,
    idle: IdleStretches,
    apart: Ints,
    talk: Windows,
) -> Interruptible[tuple[IdleParts, HostPieces]]:
    """Parts before work that a thread launches, and what it does in them; the main one while that does nothing.

    `apart`: stretches that are rows of their own. `talk`: when hosts communicate. Raises DamagedStore.
    """
    segments: dict[int, Segments] = {}
    for track in {launch_track, NO_TRACK if threads.main is None else threads.main} - {NO_TRACK}:
        segments[track] = yield from slices.segments(track, _near(idle))
    lasting = (talk.starts, talk.stops), *((part.start, part.stop) for part in segments.values())
    changes = [frames.begin, frames.end, *(times for ends in lasting for times in ends)]
    stretches = _stretches(frames, idle, np.unique(np.concatenate(changes)), apart, talk)
    parts: list[tuple[Ints, ...]] = []
    start, stop, rows = stretches.start, stretches.launched, np.arange(len(stretches))
    rows = rows[(start < stop) & (stretches.head > 0)]
    rest = Windows.from_spans(start[rows], stop[rows])
    if launch_track in segments:
        own = segments[launch_track]
        parts.append(_cut(launch_track, stretches, rows, start[rows], stop[rows], own, talk))
        rest = rest.without(Windows.from_spans(own.start, own.stop))
    if threads.main in segments and threads.main != launch_track and len(rest):
        assert threads.main is not None
        _, rows, start, stop = cut(rest.starts, rest.stops, stretches.start, stretches.stop)
        parts.append(_cut(threads.main, stretches, rows, start, stop, segments[threads.main], talk))
    none = np.zeros(0, np.int64)
    return stretches, HostPieces(
        *(np.concatenate([none, *(part[place] for part in parts)]) for place in range(len(HostPieces.__slots__)))
    )


def _ticks_in(windows: Windows, starts: Ints, stops: Ints) -> Ints:
    """Ticks of some windows in each span."""
    if not len(windows):
        return np.zeros(len(starts), np.int64)
    return windows.ticks_before(stops) - windows.ticks_before(starts)


def _near(idle: IdleStretches) -> Windows:
    """The time of stretches; those between which there is little are one."""
    if not len(idle):
        return Windows.single(0, 0)
    least = (int(idle.stop[-1]) - int(idle.start[0])) // _WINDOWS
    is_far = idle.start[1:] - idle.stop[:-1] > least
    return Windows(idle.start[np.append(True, is_far)], idle.stop[np.append(is_far, True)])


def _stretches(frames: Frames, idle: IdleStretches, changes: Ints, apart: Ints, talk: Windows) -> IdleParts:
    """Rows of stretches between two changes of what goes on, of which `apart` are by themselves."""
    launched = idle.launched
    firsts, is_bundle = _rows(idle, changes, apart)
    start, stop = idle.start[firsts[:-1]], idle.stop[firsts[1:] - 1]
    frame, row, part_start, part_stop = cut(frames.begin, frames.end, start, stop)
    end = np.clip(launched[firsts[1:] - 1][row], part_start, part_stop)
    is_many = is_bundle[row]
    end = np.where(is_many, part_stop, end)

    def sums(ticks: Ints, of_part: Ints) -> Ints:
        total = np.add.reduceat(ticks, firsts[:-1]) if len(ticks) else ticks
        return np.where(is_many, total[row], of_part)

    def talk_sums(stops: Ints, part_stops: Ints) -> Ints:
        if not len(talk):
            return np.zeros(len(row), np.int64)
        return sums(_ticks_in(talk, idle.start, stops), _ticks_in(talk, part_start, part_stops))

    ticks, ticks_of_talk = sums(idle.stop - idle.start, part_stop - part_start), talk_sums(idle.stop, part_stop)
    head, head_talk = ticks, ticks_of_talk
    if idle.has_launches:
        head, head_talk = sums(launched - idle.start, end - part_start), talk_sums(launched, end)
    return IdleParts(part_start, part_stop, end, frame, row, start[row], ticks, ticks_of_talk, head, head_talk)


def _rows(idle: IdleStretches, changes: Ints, apart: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """First stretch of each row, and the number of stretches; and whether a row is of several."""
    count = len(idle)
    before = np.searchsorted(idle.start, changes, side="left") - 1  # the last that begins before a change
    crossed = before[(before >= 0) & (changes < idle.stop[np.maximum(before, 0)])]
    alone = np.concatenate([crossed, apart])
    borders = np.concatenate([[0, count], before + 1, alone, alone + 1])
    firsts = np.unique(borders)
    return firsts, np.diff(firsts) > 1


def _cut(
    track: int, stretches: IdleParts, rows: Ints, starts: Ints, stops: Ints, segments: Segments, talk: Windows
) -> tuple[Ints, ...]:
    span, segment, first, last = cut(starts, stops, segments.start, segments.stop)
    row = rows[span]
    # A row of several stretches lies in one slice as a whole.
    is_many = stretches.ticks[row] != stretches.stop[row] - stretches.start[row]
    return (
        row,
        np.full(len(span), track),
        first,
        last,
        segments.kind[segment],
        segments.holder[segment],
        segments.name[segment],
        segments.holder_start[segment],
        segments.stop[segment],
        np.where(is_many, stretches.head[row], last - first),
        np.where(is_many, stretches.head_talk[row], _ticks_in(talk, first, last)),
    )
