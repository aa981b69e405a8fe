"""Steps of a device as slices of a lane: those of its launches, or else of the threads that mark them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import Device
from tilescope.tiler.facts.lanes.bin_sums import SliceBins
from tilescope.tiler.facts.lanes.lane_slices import LaneSlices
from tilescope.tiler.facts.lanes.name_bins import NameBins
from tilescope.tiler.facts.launches import launched_steps
from tilescope.tiler.facts.step_times.spans import StepSpans
from tilescope.tiler.query import Interruptible, QueryReader

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StepSlices:
    """The steps of a device, which share no time."""

    spans: StepSpans

    def bins(self, borders: Ints) -> SliceBins:
        """Bins between borders, shape (n + 1,), ticks."""
        slices = self._slices()
        bins = NameBins(slices.names, 1, borders, others="other steps")
        bins.add(slices)
        return bins.bins()

    def slices(self, start: int, stop: int) -> Iterator[LaneSlices]:
        """The steps that have a tick in [start, stop)."""
        slices = self._slices()
        yield slices.take((slices.start < stop) & (slices.stop > start))

    def mark(self, tick: int) -> tuple[int, int] | None:
        """Track and ordinal of the slice that marks the step at a tick."""
        rows = np.flatnonzero((self.spans.start <= tick) & (self.spans.stop > tick) & (self.spans.track >= 0))
        return (int(self.spans.track[rows[0]]), int(self.spans.ordinal[rows[0]])) if len(rows) else None

    def _slices(self) -> LaneSlices:
        lasting = np.flatnonzero(self.spans.stop > self.spans.start)
        numbers, name = np.unique(self.spans.number[lasting], return_inverse=True)
        start, stop = self.spans.start[lasting], self.spans.stop[lasting]
        piece_stop = int(stop.max(initial=0))
        row = np.zeros(len(lasting), np.int64)
        return LaneSlices(piece_stop, [f"Step {number}" for number in numbers.tolist()], start, stop, row, name)


def has_steps_elsewhere(reader: QueryReader, device: Device) -> bool:
    """True if the steps of a device are marked, but not among its own tracks."""
    series = reader.steps.of_track(device.tracks[0].track)
    return series is not None and series.process != device.group


def step_slices(reader: QueryReader, device: Device) -> Interruptible[StepSlices]:
    """The steps of a device that has some. Raises DamagedStore, NotBuilt."""
    launched = yield from launched_steps(reader, reader.steps)
    rows = launched.times.get(device.group)
    if rows is not None:
        return StepSlices(StepSpans.from_launched(rows))
    series = reader.steps.of_track(device.tracks[0].track)
    assert series is not None, "a lane of steps is there only where they are marked"
    return StepSlices(StepSpans.from_series(series))
