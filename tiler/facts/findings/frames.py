"""The steps of a device as frames of its time, each from the end of the one before to its own: nothing lies between.

So idle time between two steps is in the later one. Without steps there is one frame: the span that is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts import NOTHING, Device
from tilescope.tiler.facts.initialisations import work_without_initialisation
from tilescope.tiler.facts.launches import launched_steps
from tilescope.tiler.facts.operators_end import operators_end, recorded_range
from tilescope.tiler.facts.work_extent import work_extent
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps, StepRows, StepSeries
from tilescope.tiler.records.steps import StepSource
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

NO_STEP = -1


@dataclass(frozen=True, slots=True)
class WarmUp:
    """The first recorded step, which is left out; without steps what sets a device up, until it works on."""

    number: int  # NO_STEP without steps
    ticks: int


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames of a device, columns of shape (n,), by time; ticks. The number is NO_STEP where it is no step.

    `warm_up`: the first recorded step, which is no frame if there are others: its begin was not recorded; or, before a
    span, what sets the device up. None: it is a frame, or not among those that are looked at.
    """

    number: Ints
    pass_: Ints
    begin: Ints
    end: Ints
    warm_up: WarmUp | None = None
    behind: int = 0  # steps that end behind the last recorded operator, and are no frames

    def __len__(self) -> int:
        return len(self.number)

    @property
    def ticks(self) -> Ints:
        """The length of each."""
        return self.end - self.begin

    @property
    def windows(self) -> Windows:
        """All of them."""
        return Windows.from_spans(self.begin, self.end) if len(self) else NOTHING

    @property
    def are_steps(self) -> bool:
        """True of steps, false of a span."""
        return bool(len(self)) and int(self.number[0]) != NO_STEP

    def take(self, which: Ints | NDArray[np.bool_]) -> Frames:
        """Some of them."""
        return replace(
            self, number=self.number[which], pass_=self.pass_[which], begin=self.begin[which], end=self.end[which]
        )

    def ticks_in(self, windows: Windows) -> Ints:
        """Ticks of each that lie in some windows."""
        if not len(windows):
            return np.zeros(len(self), np.int64)
        return windows.ticks_before(self.end) - windows.ticks_before(self.begin)

    def place(self, times: Ints) -> Ints:
        """The frame in which each of these ticks lies, -1 none."""
        if not len(self):
            return np.full(len(times), -1)
        place = np.searchsorted(self.begin, times, side="right") - 1
        return np.where((place >= 0) & (times < self.end[np.maximum(place, 0)]), place, -1)


def frames_of(
    reader: QueryReader, steps: RunSteps, device: Device, span: TickRange, numbers: tuple[int, int] | None
) -> Interruptible[Frames]:
    """Frames of a device that lie in a span as a whole, and have numbers in a range; of a span alone if there are none.

    Raises DamagedStore, NotBuilt.
    """
    none = np.zeros(0, np.int64)
    if span.start >= span.stop:
        return Frames(none, none, none, none)
    rows = yield from _steps(reader, steps, device)
    first, first_number = (int(rows.stop[0] - rows.start[0]), int(rows.number[0])) if len(rows) else (0, NO_STEP)
    chosen = (rows.start >= span.start) & (rows.stop <= span.stop)
    if numbers is not None:
        chosen &= (rows.number >= numbers[0]) & (rows.number <= numbers[1])
    has_first = bool(len(rows)) and bool(chosen[0])
    is_recorded = rows.stop <= (yield from operators_end(reader, device))
    # The time before the first recorded step was not recorded, and its work may have been launched before. Where the
    # operators of no other were recorded, it is looked at all the same.
    leaves_first_out = has_first and int((chosen & (is_recorded | ~is_recorded[:1])).sum()) > 1
    chosen[:1] &= not leaves_first_out
    chosen &= rows.stop > rows.start
    if chosen.any():
        rows, count = rows.take(chosen & is_recorded), int(chosen.sum())
        return Frames(
            rows.number,
            rows.pass_,
            rows.start,
            rows.stop,
            WarmUp(int(first_number), first) if leaves_first_out else None,
            count - len(rows),
        )
    span = yield from recorded_range(reader, device, span)
    extent = yield from work_extent(reader, device, span)
    if not len(extent) or span.start >= span.stop:
        return Frames(none, none, none, none)
    start = (yield from work_without_initialisation(reader, device, span)).start
    begin, end = max(start, span.start), min(extent.stop, span.stop)
    warm_up = WarmUp(NO_STEP, start - extent.start) if start > extent.start else None
    return Frames(np.array([NO_STEP]), np.zeros(1, np.int64), np.array([begin]), np.array([end]), warm_up)


def _steps(reader: QueryReader, steps: RunSteps, device: Device) -> Interruptible[StepRows]:
    """All steps of a device, each from the end of the one before."""
    launched = yield from launched_steps(reader, steps)
    times = launched.times.get(device.group)
    if times is not None and len(times):
        return times
    series = steps.of_device(device.tracks[0].track)
    if series is None or not len(series.rows):
        return _NO_ROWS
    if series.is_line or series.source is StepSource.ITERATION:  # a device's own marks, of when its steps end
        return _in_turn(series.rows, int(series.rows.start[0]))
    return (yield from _host_steps(reader, device, series))


def _host_steps(reader: QueryReader, device: Device, series: StepSeries) -> Interruptible[StepRows]:
    """Steps of a device without launches, each until the next begins on the host; the last until the last work."""
    rows = series.rows
    rows = rows.take(np.append(True, rows.start[1:] >= np.maximum.accumulate(rows.stop)[:-1]))  # not what is inside
    extent = yield from work_extent(reader, device, TickRange(0, reader.end + 1))
    last = max(int(rows.stop[-1]), extent.stop if len(extent) else 0)
    return StepRows(
        rows.number, rows.pass_, rows.start, np.append(rows.start[1:], last), rows.track, rows.ordinal, rows.is_open
    )


def _in_turn(rows: StepRows, begin: int) -> StepRows:
    """Each from the end of the one before."""
    ends = np.maximum.accumulate(rows.stop)
    return StepRows(rows.number, rows.pass_, np.append(begin, ends[:-1]), ends, rows.track, rows.ordinal, rows.is_open)


_NO_ROWS = StepRows(*(np.zeros(0, np.int64) for _ in StepRows.__slots__))


def common_frames(all_frames: Sequence[Frames]) -> list[Frames]:
    """Frames of steps that all devices have; of devices that have none in common, spans from the first to the last."""
    steps = [set(zip(frames.pass_.tolist(), frames.number.tolist(), strict=True)) for frames in all_frames]
    common = set.intersection(*steps) if steps else set()
    if common:
        return [frames.take(_are_in(frames, common)) for frames in all_frames]
    return [_as_span(frames) for frames in all_frames]


def _are_in(frames: Frames, common: set[tuple[int, int]]) -> NDArray[np.bool_]:
    pairs = zip(frames.pass_.tolist(), frames.number.tolist(), strict=True)
    return np.fromiter((pair in common for pair in pairs), np.bool_, len(frames))


def _as_span(frames: Frames) -> Frames:
    if not len(frames):
        return frames
    begin, end = frames.begin[:1], np.array([int(frames.end.max())])
    return Frames(np.array([NO_STEP]), np.zeros(1, np.int64), begin, end)
