"""Which steps of several cores or hosts are one step of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times.times import StepTimes

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
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


def aligned(times: Sequence[StepTimes]) -> AlignedSteps:
    """Steps of the same pass and number are one; those without numbers are told by when they are."""
    shifts = _shifts(times)
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
        [of.pass_ for of in times],
        [of.number + shift for of, shift in zip(times, shifts, strict=True)],
        [np.full(len(of), place) for place, of in enumerate(times)],
        [np.arange(len(of)) for of in times],
    )


def _shifts(times: Sequence[StepTimes]) -> list[int]:
    counted = [of for of in times if of.counted and len(of)]
    if not counted:
        return [0] * len(times)
    first = min(counted, key=lambda of: (of.start[0] - of.number[0] * _mean(of), -len(of)))
    return [_shift(of, first) if of.counted and len(of) else 0 for of in times]


def _mean(of: StepTimes) -> int:
    """Ticks from one step to the next."""
    apart = int(of.number[-1] - of.number[0])
    return int(of.start[-1] - of.start[0]) // apart if apart > 0 else 0


def _shift(of: StepTimes, first: StepTimes) -> int:
    """How many steps of another have gone when the first of these begins: what shares most time with it is the same."""
    common = np.minimum(first.stop, of.stop[0]) - np.maximum(first.start, of.start[0])
    at = int(np.argmax(common))
    return int(first.number[at] - of.number[0]) if common[at] > 0 else 0
