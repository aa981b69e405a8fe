"""Losses: how much shorter the mean step would be without a cause, over all devices.

A device's own time in a step is all but its waiting for others in communication: for those of its group. A step takes
as long as that of the last device. Without a cause each device has its own time less what the cause costs it there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilescope.tiler.facts.findings.device_time import DeviceTime, TimePart
from tilescope.tiler.facts.findings.idle_causes import IdleCauses, Wait

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DeviceGroup:
    """Devices with the same steps. Arrays have shape (devices, steps), in ticks.

    `waiting`: of each device a number that those share that wait for each other.
    """

    lanes: Sequence[DeviceTime]
    causes: Sequence[IdleCauses]
    time: Ints  # of each frame
    computation: Ints
    communication: Ints  # that nothing hides, on the device or on threads of its host
    waiting: Ints  # shape (devices,)

    @property
    def shortest(self) -> Ints:
        """The least communication of the devices that wait for each other."""
        return self.over_waiting(self.communication, lambda rows: rows.min(axis=0))

    def over_waiting(self, rows: NDArray[Any], statistic: Callable[[NDArray[Any]], ArrayLike]) -> NDArray[Any]:
        """A statistic of the rows of devices that wait for each other, for each device. Rows are its first axis."""
        values = np.empty_like(rows)
        for number in np.unique(self.waiting).tolist():
            members = self.waiting == number
            values[members] = statistic(rows[members])
        return values

    @property
    def own(self) -> Ints:
        """Time of each device without waiting for the others."""
        return self.time - (self.communication - self.shortest)

    @property
    def step(self) -> Ints:
        """Time of each step: that of its last device, shape (steps,)."""
        own: Ints = self.own.max(axis=0)
        return own

    @property
    def mean_step(self) -> float:
        """Mean time of a step, in ticks."""
        return float(self.step.mean())

    def without(self, amount: Ints) -> DeviceGroup:
        """The same devices without the time of a cause."""
        return replace(self, time=self.time - amount)

    def losses(self, amount: Ints) -> Ints:
        """By how much each step would be shorter without this time on each device, shape (steps,)."""
        shorter: Ints = self.step - (self.own - amount).max(axis=0)
        return np.maximum(shorter, 0)


def group_of(lanes: Sequence[DeviceTime], causes: Sequence[IdleCauses], waiting: Ints) -> DeviceGroup:
    """Devices, and which of them wait for each other."""
    communication = np.stack(
        [
            lane.ticks[TimePart.COMMUNICATION] + idle.ticks[Wait.COLLECTIVE]
            for lane, idle in zip(lanes, causes, strict=True)
        ]
    )
    return DeviceGroup(
        lanes,
        causes,
        np.stack([lane.frames.ticks for lane in lanes]),
        np.stack([lane.ticks[TimePart.COMPUTATION] for lane in lanes]),
        communication,
        waiting,
    )
