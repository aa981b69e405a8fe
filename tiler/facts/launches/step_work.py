"""The work on a track of a device, with the step that each slice of it belongs to.

Devices run long after their hosts, and hosts launch on several threads. So a slice belongs to the step of its host in
which its launch began; without a recorded launch, to the step in which it starts itself. Kernels of two steps may take
turns on one stream: windows of time cannot tell them apart, and the step is a column by slice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.facts.launches.device_launches import device_launches
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_steps import RunSteps, StepSeries

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_STEP: Final = -1  # numbers of steps are never negative


@dataclass(frozen=True, slots=True)
class StepWork:
    """Slices of one track that are work, columns of shape (n,), in the order of their ordinals. Times in ticks."""

    ordinal: Ints
    start: Ints
    stop: Ints
    name: Ints  # name id, -1 none
    number: Ints  # of the step, NO_STEP: it belongs to none
    pass_: Ints  # of the step, 0 where it belongs to none
    is_launched: Flags  # a launch was recorded

    def __len__(self) -> int:
        return len(self.ordinal)

    def take(self, which: Ints | Flags) -> StepWork:
        """Some of it."""
        return StepWork(*(getattr(self, column)[which] for column in self.__slots__))


@dataclass(frozen=True, slots=True)
class WorkSteps:
    """The step of each slice of one track, by ordinal, in a byte or two."""

    steps: Sequence[tuple[int, int]]  # pass and number
    place: NDArray[np.signedinteger[Any]]  # among them; -1: it is no work

    @classmethod
    def from_work(cls, work: StepWork, slices: int) -> WorkSteps:
        """Steps of the work on a track with so many slices."""
        numbers, number = np.unique(work.number, return_inverse=True)
        # One column in place of pairs: sorting rows of an array is many times slower.
        keys, places = np.unique(work.pass_ * max(len(numbers), 1) + number, return_inverse=True)
        place = np.full(slices, -1, np.min_scalar_type(-len(keys) - 1))
        place[work.ordinal] = places
        pairs = zip((keys // max(len(numbers), 1)).tolist(), numbers[keys % max(len(numbers), 1)].tolist(), strict=True)
        return cls(list(pairs), place)

    def rows(self, row_of_step: Mapping[tuple[int, int], int]) -> Ints:
        """The row of each slice by those of steps; -1 for none."""
        rows: Ints = np.array([*(row_of_step.get(step, -1) for step in self.steps), -1], np.int64)[self.place]
        return rows


def step_work(reader: QueryReader, steps: RunSteps, work_track: WorkTrack) -> Interruptible[StepWork]:
    """The work on a track of a device by steps. Raises DamagedStore, NotBuilt, StoredLast."""
    track = work_track.track
    ordinal, start, stop, name = yield from _work(reader, work_track)
    own = steps.of_device(track)
    launches = yield from device_launches(reader, track)
    row = launches.rows(ordinal)
    is_launched = row >= 0
    number, pass_ = _step_at(own, start)
    if own is None or not (own.is_line or steps.is_on_device(own)):  # a device's own marks are times of its own
        launch_track = np.where(is_launched, launches.track[row], -1) if len(launches) else row
        for host_track in np.unique(launch_track[is_launched]).tolist():
            which = np.flatnonzero(launch_track == host_track)
            series = steps.of_track(host_track)
            number[which], pass_[which] = _step_at(series, launches.start[row[which]])
    return StepWork(ordinal, start, stop, name, number, pass_, is_launched)


def _work(reader: QueryReader, work_track: WorkTrack) -> Interruptible[tuple[Ints, Ints, Ints, Ints]]:
    """Ordinal, start, end and name of the slices that are work."""
    parts = []
    plan = reader.plan(work_track.track, EVERYTHING)
    for events in Reading(reader).events(plan, plan.leaf_runs):
        is_work = work_track.kinds[events.name + 1] != Work.NONE
        columns = (events.ordinal, events.start, events.start + events.duration, events.name)
        parts.append(np.stack([column[is_work] for column in columns]))
        yield
    table = np.concatenate([np.zeros((4, 0), np.int64), *parts], axis=1)
    ordinal, start, stop, name = table[:, np.argsort(table[0], kind="stable")]
    return ordinal, start, stop, name


def _step_at(series: StepSeries | None, times: Ints) -> tuple[Ints, Ints]:
    """Number and pass of the step at each of these times: the one that began last, of those that last until then."""
    number, pass_ = np.full(len(times), NO_STEP), np.zeros(len(times), np.int64)
    if series is None or not len(series.rows):
        return number, pass_
    rows = series.rows
    row = np.searchsorted(rows.start, times, side="right") - 1
    # Steps may overlap: one that began before may last longer than the last that began. Each round goes back by one.
    longest = np.maximum.accumulate(rows.stop)
    pending = np.flatnonzero(row >= 0)
    while len(pending):
        at_row = row[pending]
        is_in = times[pending] < rows.stop[at_row]
        hits = pending[is_in]
        number[hits], pass_[hits] = rows.number[row[hits]], rows.pass_[row[hits]]
        pending = pending[~is_in & (longest[at_row] > times[pending])]
        row[pending] -= 1
    return number, pass_
