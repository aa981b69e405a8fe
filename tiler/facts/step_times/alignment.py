"""Steps of several cores or hosts that are one step of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times.times import StepTimes

Ints = NDArray[np.int64]


class NumberedSteps(Protocol):
    """Steps of a core or host with their times: columns of shape (n,), in ticks."""

    @property
    def number(self) -> Ints: ...
    @property
    def start(self) -> Ints: ...
    @property
    def stop(self) -> Ints: ...
    @property
    def counted(self) -> bool: ...
    def __len__(self) -> int: ...


@dataclass(frozen=True)
class AlignedSteps:
    """Steps of a run by pass and number; `rows[step, of]` is the row of that core or host, -1: it has no such step.

    `shifts` are added to the numbers of each: not 0 where the trace has no numbers and its capture began later.
    """

    number: Ints
    pass_: Ints
    rows: Ints
    shifts: Sequence[int]

    def __len__(self) -> int:
        return len(self.number)

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Mask of the steps that enter means and shares: those of all cores or hosts; all where there are none.

        Captures of several hosts never begin at the same instant: of the first and the last steps some cores are
        missing, so that neither the longest of the cores nor their waiting for each other is known.
        """
        is_complete: NDArray[np.bool_] = np.all(self.rows >= 0, axis=1)
        return is_complete if is_complete.any() else np.ones(len(self), np.bool_)

    def in_means(self, times: Sequence[StepTimes]) -> NDArray[np.bool_]:
        """Mask of the steps that enter means of `times`: complete ones, which are on none the first that it launched.

        Where there are none, all that are on none the first; where these are none either, all.
        """
        enters = np.ones(len(self), np.bool_)
        for place, step_times in enumerate(times):
            has_step = np.flatnonzero(self.rows[:, place] >= 0)
            enters[has_step] &= step_times.in_means[self.rows[has_step, place]]
        masks = (enters & self.complete, enters)
        return next((mask for mask in masks if mask.any()), np.ones(len(self), np.bool_))

    def mean_rows(self, times: Sequence[StepTimes]) -> list[NDArray[np.bool_]]:
        """Masks of the rows of each core or host that enter means: those of the same steps, so that some have none."""
        enters, masks = self.in_means(times), []
        for place, step_times in enumerate(times):
            rows = self.rows[enters, place]
            mask = np.zeros(len(step_times), np.bool_)
            mask[rows[rows >= 0]] = True
            masks.append(mask)
        return masks


def aligned(times: Sequence[StepTimes]) -> AlignedSteps:
    """Steps of the same pass and number are one; those without numbers are told by when they are."""
    shifts = step_shifts(times)
    pass_, number, place, row = (np.concatenate([np.zeros(0, np.int64), *column]) for column in _columns(times, shifts))
    order = np.lexsort((number, pass_))
    change = np.ones(len(order), np.bool_)
    change[1:] = (np.diff(number[order]) != 0) | (np.diff(pass_[order]) != 0)
    first = order[change]
    rows = np.full((len(first), len(times)), -1)
    rows[np.cumsum(change) - 1, place[order]] = row[order]
    return AlignedSteps(number[first], pass_[first], rows, shifts)


def _columns(times: Sequence[StepTimes], shifts: Sequence[int]) -> tuple[list[Ints], ...]:
    """Pass, number, core and row of all steps."""
    return (
        [step_times.pass_ for step_times in times],
        [step_times.number + shift for step_times, shift in zip(times, shifts, strict=True)],
        [np.full(len(step_times), place) for place, step_times in enumerate(times)],
        [np.arange(len(step_times)) for step_times in times],
    )


def step_shifts(times: Sequence[NumberedSteps]) -> list[int]:
    """Numbers to add to those of each core or host, so that steps at the same time have the same."""
    counted = [step_times for step_times in times if step_times.counted and len(step_times)]
    if not counted:
        return [0] * len(times)
    first = min(
        counted,
        key=lambda step_times: (step_times.start[0] - step_times.number[0] * _mean(step_times), -len(step_times)),
    )
    return [_shift(step_times, first) if step_times.counted and len(step_times) else 0 for step_times in times]


def _mean(step_times: NumberedSteps) -> int:
    """Ticks from one step to the next."""
    apart = int(step_times.number[-1] - step_times.number[0])
    return int(step_times.start[-1] - step_times.start[0]) // apart if apart > 0 else 0


def _shift(step_times: NumberedSteps, first: NumberedSteps) -> int:
    """The number to add to those of these steps: the first is the step of `first` that shares most time with it."""
    common = np.minimum(first.stop, step_times.stop[0]) - np.maximum(first.start, step_times.start[0])
    same_step = int(np.argmax(common))
    return int(first.number[same_step] - step_times.number[0]) if common[same_step] > 0 else 0
