"""Candidates for findings: each cause with the time that it takes on each device in each step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.findings.device_time import TimePart
from tilescope.tiler.facts.findings.finding import Cause
from tilescope.tiler.facts.findings.idle_causes import Wait
from tilescope.tiler.facts.findings.losses import DeviceGroup
from tilescope.tiler.facts.findings.rare_steps import split_rare

Ints = NDArray[np.int64]

# Part of the greatest excess of a step from which on another step has the cause, too.
_AFFECTED: Final = 0.25

# Part of a loss that may lie in other steps than those that are named.
_ELSEWHERE: Final = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class CauseTime:
    """A cause. `amount`: ticks on each device in each step, shape (devices, steps); `losses`: shape (steps,)."""

    cause: Cause
    wait: Wait | None  # that is to blame, if it is idle time
    part: TimePart | None  # of the time of devices, if it is that
    amount: Ints
    losses: Ints
    is_hidden: bool = False  # another cause is longer: the loss is that without this one

    @property
    def loss(self) -> float:
        """Mean ticks by which steps would be shorter."""
        return float(self.losses.mean())

    @property
    def devices(self) -> list[int]:
        """Places of the devices that have at least half as much of it as the first, by that."""
        means = self.amount.mean(axis=1)
        order = np.argsort(-means, kind="stable")
        return [place for place in order.tolist() if means[place] * 2 >= means[order[0]] > 0]


_CAUSES: Final[Mapping[Wait, Cause]] = {
    Wait.INPUT: Cause.INPUT,
    Wait.SYNC: Cause.SYNC,
    Wait.ALLOCATION: Cause.ALLOCATOR,
    Wait.COMPILATION: Cause.RECOMPILATION,
    Wait.PAUSE: Cause.HOST_PAUSE,
    Wait.LAUNCH: Cause.LAUNCH,
    Wait.OUTPUT: Cause.OUTPUT,
    Wait.TO_HOST: Cause.COPY_TO_HOST,
}
_PARTS: Final[Mapping[Wait, TimePart]] = {
    Wait.INPUT: TimePart.INFEED,
    Wait.OUTPUT: TimePart.OUTFEED,
    Wait.TO_HOST: TimePart.TO_HOST,
}


def candidates(group: DeviceGroup, enqueued: Ints) -> Iterator[CauseTime]:
    """All causes that are seen in the times of devices alone. `enqueued`: ticks of infeed in which data moves."""
    idle = {wait: np.stack([causes.ticks[wait] for causes in group.causes]) for wait in Wait}
    pause, usual = split_rare(idle[Wait.LAUNCH], group.mean_step)
    if pause.any():
        idle[Wait.LAUNCH] = usual
        yield _candidate(group, Cause.HOST_PAUSE, Wait.LAUNCH, None, pause)
    for wait, cause in _CAUSES.items():
        part = _PARTS.get(wait)
        amount = idle[wait]
        if part is not None:
            amount = amount + np.stack([lane.ticks[part] for lane in group.lanes])
        if wait is Wait.INPUT:
            amount = amount - enqueued
        if wait is Wait.LAUNCH and _are_tiny(group):
            cause = Cause.TINY_KERNELS
        yield _candidate(group, cause, wait, part, amount)
    for part, cause in ((TimePart.TO_DEVICE, Cause.COPY_TO_DEVICE), (TimePart.COPY, Cause.COPY)):
        amount = np.stack([lane.ticks[part] for lane in group.lanes])
        yield _candidate(group, cause, None, part, amount)


def _candidate(group: DeviceGroup, cause: Cause, wait: Wait | None, part: TimePart | None, amount: Ints) -> CauseTime:
    return CauseTime(cause, wait, part, amount, group.losses(amount))


def affected(losses: Ints) -> NDArray[np.bool_]:
    """Mask of the steps that have a cause; all of them where most have it, or where much of it is in the others."""
    if not losses.any():
        return np.ones(len(losses), np.bool_)
    are = losses >= _AFFECTED * losses.max()
    is_everywhere = are.sum() * 2 > len(losses) or losses[~are].sum() > _ELSEWHERE * losses.sum()
    return np.ones(len(losses), np.bool_) if is_everywhere else are


def _are_tiny(group: DeviceGroup) -> bool:
    """True if most of the time before kernels is before tiny ones."""
    waits = [lane.waits for lane in group.lanes if lane.has_streams]
    return sum(wait.tiny for wait in waits) * 2 > sum(wait.ticks for wait in waits)


@dataclass(frozen=True, slots=True)
class Late:
    """Devices that compute longer than the others: places, and ticks beyond the median of these, (devices, steps)."""

    places: list[int]
    others: list[int]
    excess: Ints


def late_devices(group: DeviceGroup) -> Late | None:
    """The devices that compute longer than most that wait for them; None: there are none, or they are half of these."""
    computation = group.computation
    means = computation.mean(axis=1)
    usual = group.over_waiting(means, lambda rows: np.median(rows) if len(rows) > 2 else rows.min())
    beyond = means - usual
    is_late = beyond * 2 >= beyond.max()
    is_late &= group.over_waiting(is_late, lambda rows: rows.sum() * 2 <= len(rows))
    if not beyond.max() or not is_late.any():
        return None
    has_late = group.over_waiting(is_late, lambda rows: rows.any())
    excess = np.zeros_like(computation)
    for number in np.unique(group.waiting[is_late]).tolist():
        late, others = (np.flatnonzero((group.waiting == number) & which) for which in (is_late, ~is_late))
        reference = np.median(computation[others], axis=0).astype(np.int64)
        excess[late] = np.maximum(computation[late] - reference, 0)
    order = np.argsort(-means[is_late])
    return Late(np.flatnonzero(is_late)[order].tolist(), np.flatnonzero(has_late & ~is_late).tolist(), excess)


def straggler(group: DeviceGroup, late: Late, *, is_uneven: bool) -> CauseTime:
    """Devices that compute longest: their excess over those that wait, or over the mean where they have more work."""
    if not is_uneven:
        return _candidate(group, Cause.STRAGGLER, None, TimePart.COMPUTATION, late.excess)
    usual = group.over_waiting(group.computation, lambda rows: np.round(rows.mean(axis=0)).astype(np.int64))
    has_late = group.over_waiting(np.any(late.excess > 0, axis=1), np.any)
    amount = np.where(has_late[:, None], group.computation - usual, 0)
    return _candidate(group, Cause.UNEVEN_WORK, None, TimePart.COMPUTATION, amount)


def communication(group: DeviceGroup, *, is_passing: bool) -> CauseTime:
    """Communication that nothing hides. `is_passing`: most of it passes on what stages compute to each other.

    Of one device alone: all of its communication, of which nobody can tell how much is waiting for others.
    """
    if is_passing:
        # Stages of a pipeline wait for each other: without that a step takes what the busiest stage computes.
        losses = group.step - (group.own - group.shortest).max(axis=0)
        return CauseTime(Cause.PIPELINE_BUBBLE, Wait.COLLECTIVE, TimePart.COMMUNICATION, group.communication, losses)
    return _candidate(group, Cause.COLLECTIVE, Wait.COLLECTIVE, TimePart.COMMUNICATION, group.shortest)
