"""Work of devices as Holistic Trace Analysis 0.5.0 counts it: rounded to microseconds, without the last step.

* Times: starts are rounded up and ends down, so that work may last less than nothing; of files with whole microseconds
  nothing changes.
* Steps: of a run with two different `ProfilerStep` names or more, work counts that is launched before the last of them
  begins; work without a recorded launch does not.
* Kinds: by names alone. What waits for events on a device of MTIA counts as work, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.devices import Device
from tilescope.tiler.facts.launches.device_launches import device_launches
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import EVERYTHING, Interruptible, Name, QueryReader, Reading
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.ticks import UNITS_PS
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Slices of a device, of 40 bytes each; sorting them takes as much again, twice: half a gigabyte.
MOST_WORK: Final = 4_000_000

_COMMUNICATION: Final = re.compile(r"nccl.*Kernel")
_MEMORY: Final = re.compile(r"Memcpy|Memset|dma")
_NO_COMPUTATION: Final = re.compile(r".*Memcpy|Memset|.*Sync")
_STEP: Final = "ProfilerStep"
_MTIA: Final = "mtia_ccp_events"
_NO_LAUNCH: Final = -1


class HtaKind(IntEnum):
    """Kinds of work."""

    COMPUTATION = 0
    COMMUNICATION = 1
    MEMORY = 2
    OTHER = 3


@dataclass(frozen=True, slots=True)
class HtaEvents:
    """Work of a device in the order of its starts; columns of shape (n,), times in µs of the trace's clock."""

    track: Ints
    start: Ints
    stop: Ints
    kind: Ints
    launch: Ints  # start of the launch; -1 where it was not recorded

    def __len__(self) -> int:
        return len(self.start)

    def take(self, which: Ints | NDArray[np.bool_]) -> HtaEvents:
        """Some of them."""
        return HtaEvents(*(getattr(self, column)[which] for column in self.__slots__))

    def merged(self) -> tuple[Ints, Ints]:
        """Starts and ends of what overlaps or touches, together."""
        if not len(self):
            return self.start, self.stop
        latest = np.maximum.accumulate(self.stop)
        first = np.flatnonzero(np.append(True, self.start[1:] > latest[:-1]))
        return self.start[first], np.maximum.reduceat(self.stop, first)

    def windows(self, kind: HtaKind) -> Windows:
        """The time of work of a kind."""
        start, stop = self.take(self.kind == kind).merged()
        lasts = stop > start
        return Windows.from_spans(start[lasts], stop[lasts])


@dataclass(frozen=True, slots=True)
class HtaClock:
    """Rounds times of a run, and says when its last step begins."""

    origin: int  # ticks from a whole microsecond of the trace's clock to the first tick
    microsecond: int  # ticks
    last_step: int | None  # µs; None: all counts

    def up(self, ticks: Ints) -> Ints:
        """The first whole microsecond that is not before a time."""
        return -(-(ticks + self.origin) // self.microsecond)

    def down(self, ticks: Ints) -> Ints:
        """The last whole microsecond that is not after a time."""
        return (ticks + self.origin) // self.microsecond


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of a run, that of events without one first: the `HtaKind` of each, whether it is of an MTIA device."""

    kinds: NDArray[np.uint8]
    mtia: NDArray[np.bool_]
    steps: int  # how many name one


_NAMES: Final = RunCache[_Names]("hta_names", "Kinds of work as HTA tells them, by name")


def hta_clock(reader: QueryReader, track: int) -> Interruptible[HtaClock]:
    """The clock of the file of a track, with its last step. Raises DamagedStore."""
    microsecond = UNITS_PS["us"] // reader.tick_ps
    clock = HtaClock(reader.manifest.origin_ns % 1000 * 1000 // reader.tick_ps, microsecond, None)
    if (yield from _names(reader)).steps < 2:
        return clock
    file = reader.file_of(track)
    starts = [
        int(series.rows.start.max())
        for series in reader.steps.series
        if len(series.rows) and series.tracks and reader.file_of(series.tracks[0]) == file
    ]
    if not starts:
        return clock
    return replace(clock, last_step=int(clock.up(np.array([max(starts)]))[0]))


def _names(reader: QueryReader) -> Interruptible[_Names]:
    names = _NAMES.get(reader)
    if names is None:
        kinds = yield from reader.names.numbers(_kind)
        mtia = yield from reader.names.numbers(lambda name: int(name.category == _MTIA))
        is_step = yield from reader.names.numbers(lambda name: int(_STEP in name.text))
        names = _NAMES.keep(reader, _Names(kinds, mtia != 0, int(np.count_nonzero(is_step))))
    return names


def _kind(name: Name) -> int:
    if _COMMUNICATION.match(name.text):
        return HtaKind.COMMUNICATION
    if _MEMORY.match(name.text):
        return HtaKind.MEMORY
    return HtaKind.OTHER if _NO_COMPUTATION.match(name.text) else HtaKind.COMPUTATION


def hta_events(reader: QueryReader, device: Device) -> Interruptible[HtaEvents]:
    """The work of a device of a PyTorch trace. Raises UsageError for more than MOST_WORK, DamagedStore, NotBuilt,
    StoredLast.
    """
    clock = yield from hta_clock(reader, device.tracks[0].track)
    names = yield from _names(reader)
    parts: list[Sequence[Ints]] = [[np.zeros(0, np.int64)] * 5]
    count = 0
    for work_track in device.tracks:
        launches = yield from device_launches(reader, work_track.track)
        plan = reader.plan(work_track.track, EVERYTHING)
        for events in Reading(reader).events(plan, plan.leaf_runs):
            events = events.take((work_track.kinds[events.name + 1] != Work.NONE) | names.mtia[events.name + 1])
            count += len(events)
            if count > MOST_WORK:
                raise UsageError(
                    f"{device.name} has more than {MOST_WORK:,} slices of work: too many for figures like HTA's, which "
                    "need them all at once"
                )
            launch = np.full(len(events), _NO_LAUNCH)
            rows = launches.rows(events.ordinal)
            launch[rows >= 0] = clock.up(launches.start[rows[rows >= 0]])
            which = np.ones(len(events), np.bool_)
            if clock.last_step is not None:
                which = (launch != _NO_LAUNCH) & (launch < clock.last_step)
            columns = (
                np.full(len(events), work_track.track),
                clock.up(events.start),
                clock.down(events.start + events.duration),
                names.kinds[events.name + 1].astype(np.int64),
                launch,
            )
            parts.append([column[which] for column in columns])
            yield
    work = HtaEvents(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return work.take(np.argsort(work.start, kind="stable"))
