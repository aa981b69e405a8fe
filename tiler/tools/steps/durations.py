"""Durations of steps: on each device, and over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query.run_steps import StepSeries
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.step_range import StepRange

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Columns of equal length, one row for each step."""

    number: Ints
    pass_: Ints

    def __len__(self) -> int:
        return len(self.number)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Self:
        """Some of them."""
        return type(self)(*(getattr(self, column)[which] for column in self.columns()))

    def first(self, rows: int) -> Self:
        """At most so many."""
        return self.take(slice(rows))

    @classmethod
    def columns(cls) -> list[str]:
        return [name for kind in reversed(cls.__mro__) for name in getattr(kind, "__slots__", ())]

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, one part after the other."""
        none = np.zeros(0, np.int64)
        return cls(*(np.concatenate([none, *(getattr(part, name) for part in parts)]) for name in cls.columns()))


@dataclass(frozen=True, slots=True)
class DeviceSteps(_Rows):
    """Steps of devices: from their first tick to their last, and how long they run in between."""

    series: Ints  # a number for the device
    start: Ints
    stop: Ints
    duration: Ints
    is_open: Ints
    in_mean: Ints  # 0: it enters no mean
    track: Ints  # and ordinal: of the first slice that is the step, -1: none
    ordinal: Ints

    @classmethod
    def from_series(
        cls,
        number: int,
        series: StepSeries,
        wanted: StepRange | None,
        span: TickRange,
        clock: Ints,
        *,
        is_first_cut: bool = False,
    ) -> DeviceSteps:
        """Steps of a range that have a tick in a span. `clock`: durations of all slices by their device, or -1; ticks.

        `is_first_cut`: when the first began was not recorded, and it enters no mean.
        """
        rows = series.rows
        in_mean = np.ones(len(rows), np.int64)
        in_mean[:1] = not is_first_cut
        which = (rows.start < span.stop) & ((rows.stop > span.start) | (rows.start >= span.start))
        if wanted is not None:
            which &= series.between(*wanted)
        rows, in_mean, clock = rows.take(which), in_mean[which], clock[which]
        order = np.lexsort((rows.start, rows.number, rows.pass_))
        rows, in_mean, clock = rows.take(order), in_mean[order], clock[order]
        if not len(rows):
            return cls(*(rows.number for _ in cls.columns()))
        change = (np.diff(rows.number, prepend=-1) != 0) | (np.diff(rows.pass_, prepend=-1) != 0)
        first = np.flatnonzero(change)
        ends = np.append(first[1:], len(rows))
        duration = np.where(clock >= 0, clock, rows.stop - rows.start)[first]
        for k in np.flatnonzero(ends - first > 1).tolist():  # several slices are one step
            duration[k] = rows.windows(slice(int(first[k]), int(ends[k]))).ticks
        return cls(
            rows.number[first],
            rows.pass_[first],
            np.full(len(first), number),
            rows.start[first],
            np.maximum.reduceat(rows.stop, first),
            duration,
            np.maximum.reduceat(rows.is_open, first),
            in_mean[first],
            rows.track[first],
            rows.ordinal[first],
        )

    def is_in(self, listed: RunStepTable) -> NDArray[np.bool_]:
        """Mask of the steps that are listed."""
        if not len(listed):
            return np.zeros(len(self), np.bool_)
        is_listed: NDArray[np.bool_] = self.pass_ < listed.pass_[-1]
        is_listed |= (self.pass_ == listed.pass_[-1]) & (self.number <= listed.number[-1])
        return is_listed

    def in_order(self) -> DeviceSteps:
        """By step, then by device."""
        return self.take(np.lexsort((self.series, self.number, self.pass_)))


@dataclass(frozen=True, slots=True)
class RunStepTable(_Rows):
    """Steps over all devices."""

    start: Ints  # on the first device
    stop: Ints  # on the last one
    longest: Ints  # durations
    shortest: Ints
    devices: Ints  # how many have it
    in_mean: Ints  # 0: it enters no mean, as it is the first recorded one of a device
    slowest: Ints  # the device that takes longest, by its number; and its slice
    track: Ints
    ordinal: Ints

    def in_means(self, devices: int) -> NDArray[np.bool_]:
        """Mask of the steps that enter means: those that all devices have, where there are any, and no first ones."""
        enters = self.in_mean > 0
        is_complete = enters & (self.devices == devices)
        return is_complete if is_complete.any() else enters

    @classmethod
    def from_devices(cls, devices: Sequence[DeviceSteps]) -> RunStepTable:
        """By pass and number."""
        rows = DeviceSteps.join(devices)
        if not len(rows):
            return cls(*(rows.number for _ in cls.columns()))
        rows = rows.take(np.lexsort((rows.series, -rows.duration, rows.number, rows.pass_)))
        change = (np.diff(rows.number, prepend=-1) != 0) | (np.diff(rows.pass_, prepend=-1) != 0)
        first = np.flatnonzero(change)
        return cls(
            rows.number[first],
            rows.pass_[first],
            np.minimum.reduceat(rows.start, first),
            np.maximum.reduceat(rows.stop, first),
            rows.duration[first],
            np.minimum.reduceat(rows.duration, first),
            np.diff(first, append=len(rows)),
            np.minimum.reduceat(rows.in_mean, first),
            rows.series[first],
            rows.track[first],
            rows.ordinal[first],
        )


@dataclass(frozen=True, slots=True)
class Spread:
    """Spread of durations, rounded to ticks; None: there are too few."""

    mean: int | None = None
    least: int | None = None
    greatest: int | None = None
    deviation: int | None = None  # of a sample


def percentile(durations: Ints, in_means: NDArray[np.bool_], per_cent: int) -> int | None:
    """The duration that so many per cent do not exceed, at rank ceil(n * per_cent / 100); None: there is none.

    Of those `in_means`, as `spread` takes them.
    """
    values = np.sort(durations[in_means] if in_means.any() else durations)
    return int(values[-(-len(values) * per_cent // 100) - 1]) if len(values) else None


FIRST_STEP: Final = "without the first recorded step, whose begin is not known"


def spread(durations: Ints, in_means: NDArray[np.bool_] | None = None) -> Spread:
    """Spread in exact arithmetic: sums of squares of ticks have more than 64 bits.

    Mean and deviation are of those `in_means`; of all where it holds none of them.
    """
    if not len(durations):
        return Spread()
    values: list[int] = (durations if in_means is None or not in_means.any() else durations[in_means]).tolist()
    n = len(values)
    total = sum(values)
    deviation = None
    if n > 1:
        variance = Fraction(n * sum(value * value for value in values) - total * total, n * (n - 1))
        root = isqrt(int(4 * variance))  # of the double: rounded to the nearest tick
        deviation = (root + 1) // 2
    return Spread(nearest_mean(total, n), int(durations.min()), int(durations.max()), deviation)
