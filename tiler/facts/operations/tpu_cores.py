"""The TPU cores of a run: their lines, and how long they run no operation, on their own clock, in any windows.

Windows lie on the time axis of the timeline, and the clock of a core need not run as that does. Operations have the
part of their own duration that a window leaves of their event. What is left of all the time of a core, from its first
step or operation to the end of its last one, is the time in which none runs: a window has as much of it as it has of
the ticks in which no event of an operation goes on. So windows that touch add up, all of them have what the core's
clock says, and a window in which operations run all the time has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import DEVICE_PREFIX, STEP_LINES, is_one_of
from tilescope.tiler.facts.busy import Busy
from tilescope.tiler.facts.devices import WorkTrack, plane_of
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.operations.kind_sums import kind_sums
from tilescope.tiler.facts.operations.track_records import track_kinds, track_running, track_step_sums
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

_TPU_CORE: Final = re.compile(rf"{DEVICE_PREFIX}TPU:[0-9]+$")

_OP_LINE: Final = frozenset({"XLA Ops"})


@dataclass(frozen=True, slots=True)
class TpuCore:
    """A plane of a TPU core: its lines of operations, and those of its steps."""

    group: int
    operations: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def tracks(self) -> tuple[int, ...]:
        """All its lines."""
        return (*self.operations, *self.steps)


def tpu_cores(reader: QueryReader) -> list[TpuCore]:
    """The TPU cores of a run that have operations, in the order of their processes."""
    lines: dict[int, tuple[list[int], list[int]]] = {}
    for track in reader.tree.leaves(None):
        record = reader.tree.tracks[track]
        name, group = str(record["name"]), int(record["group"])
        place = 0 if is_one_of(name, _OP_LINE) else 1 if is_one_of(name, STEP_LINES) else None
        if place is not None and _TPU_CORE.match(plane_of(reader.tree.groups[group])):
            lines.setdefault(group, ([], []))[place].append(track)
    return [
        TpuCore(group, tuple(operations), tuple(steps))
        for group, (operations, steps) in sorted(lines.items())
        if operations
    ]


Ints = NDArray[np.int64]


def core_idle(reader: QueryReader, core: TpuCore, windows: Windows) -> Steps[int]:
    """How long a core runs no operation in windows, ps; 0 of one without operations. Raises DamagedStore, NotBuilt."""
    whole = _WHOLE_IDLE.get(reader, core.group)
    if whole is None:
        whole = _WHOLE_IDLE.keep(reader, core.group, (yield from _whole_idle(reader, core)))
    within = windows.clipped(whole.start, whole.stop)
    if not whole.ps or within.ticks == whole.stop - whole.start:
        return whole.ps if within.ticks or bool(windows.hold(np.array([whole.start]))[0]) else 0
    times = np.unique(np.concatenate([within.starts, within.stops]))
    before = times - whole.start
    if whole.ticks:
        before = before - (yield from _running_before(reader, core, whole.start, times))
    until = [whole.ps * ticks // (whole.ticks or whole.stop - whole.start) for ticks in before.tolist()]
    starts, stops = (np.searchsorted(times, ends).tolist() for ends in (within.starts, within.stops))
    return sum(until[stop] - until[start] for start, stop in zip(starts, stops, strict=True))


@dataclass(frozen=True, slots=True)
class _WholeIdle:
    """All the time of a core, in ticks; when no operation runs: in ps on its clock, in ticks on the timeline."""

    start: int
    stop: int
    ps: int
    ticks: int


_WHOLE_IDLE: Final = KeyedRunCache[int, _WholeIdle]("core_idle", "Idle time of TPU cores")


def _whole_idle(reader: QueryReader, core: TpuCore) -> Steps[_WholeIdle]:
    lines = [kinds for track in (*core.operations, *core.steps) if (kinds := track_kinds(reader, track)) is not None]
    if not any(track_kinds(reader, track) for track in core.operations):
        return _WholeIdle(0, 0, 0, 0)
    start, stop = min(int(line.start[0]) for line in lines), max(int(line.stop.max()) for line in lines)
    left = max(line.last_ps for line in lines) - min(line.first_ps for line in lines)
    for track in core.operations:
        left -= yield from _taken(reader, track)
    running = yield from _running_before(reader, core, start, np.array([stop]))
    # Operations that overlap on the core's clock take more than all its time: then it is never idle.
    return _WholeIdle(start, stop, max(left, 0), stop - start - int(running[0]))


def _taken(reader: QueryReader, track: int) -> Steps[int]:
    """What all operations of a track take on the device, ps."""
    kinds = track_kinds(reader, track)
    running = None if kinds is None or _has_outliers(reader, track) else track_running(reader, track, kinds)
    if running is not None:
        return running.taken_ps
    sums = yield from kind_sums(reader, track, Windows.one(0, reader.end + 1))
    return 0 if sums is None else sum_of(sums.own)


def _running_before(reader: QueryReader, core: TpuCore, start: int, times: Ints) -> Steps[Ints]:
    """In how many ticks before each of these times, which ascend, an operation of the core runs."""
    tracks = [track for track in core.operations if track_kinds(reader, track) is not None]
    if len(tracks) == 1 and not _has_outliers(reader, tracks[0]):
        return (yield from _running_on(reader, tracks[0], times))
    return (yield from _running_since(reader, tracks, start, 0, times))


def _running_on(reader: QueryReader, track: int, times: Ints) -> Steps[Ints]:
    """The same of one track, from what is stored of it and, of times between, its events."""
    stored = _STORED.get(reader, track)
    if stored is None:
        stored = _STORED.keep(reader, track, _stored_running(reader, track))
    before_place = np.searchsorted(stored.times, times, side="right") - 1
    nearest, ticks = (
        stored.times[before_place],
        np.where(before_place < 0, 0, stored.ticks[before_place]),
    )  # before the first record nothing runs
    between = (before_place >= 0) & (nearest < times) & (times < stored.stop)
    for place in np.flatnonzero(between).tolist():
        start, before = int(nearest[place]), int(ticks[place])
        if place and times[place - 1] > start:
            start, before = int(times[place - 1]), int(ticks[place - 1])
        ticks[place] = (yield from _running_since(reader, [track], start, before, times[place : place + 1]))[0]
    return ticks


@dataclass(frozen=True, slots=True)
class _StoredRunning:
    """In how many ticks an operation of a track runs before some times, which ascend. From `stop` on none runs."""

    times: Ints
    ticks: Ints
    stop: int


_STORED: Final = KeyedRunCache[int, _StoredRunning]("running_ticks", "Ticks in which TPU cores run, up to some times")


def _stored_running(reader: QueryReader, track: int) -> _StoredRunning:
    """As its records and its steps say it."""
    kinds = track_kinds(reader, track)
    assert kinds is not None
    times, ticks, stop = [kinds.start], [kinds.busy], TICK_LIMIT
    running, steps = track_running(reader, track, kinds), track_step_sums(reader, track)
    if running is not None:
        stop = int(kinds.stop.max())
        times.append(np.array([stop]))
        ticks.append(np.array([running.busy_ticks]))
    if steps is not None:
        times += [steps.start, steps.stop]
        ticks += [steps.busy_at_start, steps.busy_at_stop]
    distinct, first = np.unique(np.concatenate(times), return_index=True)
    return _StoredRunning(
        distinct, np.concatenate(ticks)[first], stop if running is not None else int(distinct[-1]) + 1
    )


def _running_since(reader: QueryReader, tracks: Sequence[int], start: int, ticks: int, times: Ints) -> Steps[Ints]:
    """The same of some tracks, which run for so many ticks before `start`: their events are read from there on."""
    every = np.full(reader.names.count + 1, Work.COMPUTATION, np.uint8)
    busy = Busy(reader, [WorkTrack(track, every) for track in tracks])
    ticks_before = np.zeros(len(times), np.int64)
    for place, time in enumerate(times.tolist()):
        ticks += busy.ticks(Windows.one(start, time))
        start = max(start, time)
        ticks_before[place] = ticks
        yield
    return ticks_before


def _has_outliers(reader: QueryReader, track: int) -> bool:
    return reader.outliers is not None and reader.outliers.ordinals(track) is not None
