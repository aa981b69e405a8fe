"""Lateness of steps: from the usual end of a step, among all processes, until a process ends it far behind that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times.alignment import step_shifts
from tilescope.tiler.query.run_steps import RunSteps, StepSeries
from tilescope.tiler.records.steps import StepSource

Ints = NDArray[np.int64]

_NEVER: Final = np.iinfo(np.int64).max

# Fewer have no usual end of a step.
LEAST: Final = 3

# Usual deviations from the usual end beyond which a process is behind: a modified z-score of 3.5, as stragglers have.
_FAR: Final = 3.5 / 0.6745

# Part of the usual length of a step by which ends differ without a reason.
_USUAL: Final = 0.01


@dataclass(frozen=True, slots=True)
class LateSpans:
    """Spans in which a process is behind the others; columns of shape (n,), in the order of its steps."""

    start: Ints
    stop: Ints


@dataclass(frozen=True, slots=True)
class _Numbered:
    """Steps of a process as `step_shifts` takes them."""

    number: Ints
    start: Ints
    stop: Ints
    counted: bool

    @classmethod
    def of_series(cls, series: StepSeries) -> _Numbered:
        rows = series.rows
        return cls(rows.number, rows.start, rows.stop, series.source is StepSource.STEPS_LINE_IN_ORDER)

    def __len__(self) -> int:
        return len(self.number)


def late_spans(steps: RunSteps) -> Mapping[int, LateSpans]:
    """Late spans of each process that times steps of the run, by its group; none where these are too few to compare.

    Usual is the median, of an even number of processes the later one of the two in the middle.
    """
    series = steps.counted
    if len(series) < LEAST:
        return {}
    numbered = [_Numbered.of_series(each) for each in series]
    shifts = step_shifts(numbered)
    number = np.concatenate([each.number + shift for each, shift in zip(numbered, shifts, strict=True)])
    pass_ = np.concatenate([each.rows.pass_ for each in series])
    start, stop = (np.concatenate([getattr(each.rows, end) for each in series]) for end in ("start", "stop"))
    order = np.lexsort((number, pass_))
    borders = (np.diff(number[order]) != 0) | (np.diff(pass_[order]) != 0)
    late_from = np.full(len(stop), _NEVER)
    for same_step in np.split(order, np.flatnonzero(borders) + 1):
        if len(same_step) >= LEAST:
            late_from[same_step] = _late_from(start[same_step], stop[same_step])
    late_from = np.maximum(late_from, start)
    is_late = stop > late_from
    ends = np.cumsum([len(each) for each in numbered]).tolist()
    slices = (slice(end - len(each), end) for end, each in zip(ends, numbered, strict=True))
    return {
        each.process: LateSpans(late_from[rows][is_late[rows]], stop[rows][is_late[rows]])
        for each, rows in zip(series, slices, strict=True)
    }


def _late_from(start: Ints, stop: Ints) -> Ints:
    """The usual end of a step, of each process that is far behind it; of the others never. Shape (n,)."""
    usual = _median(stop)
    deviation = max(_FAR * _median(np.abs(stop - usual)), _USUAL * _median(stop - start))
    return np.where(stop - usual > deviation, usual, _NEVER)


def _median(ticks: Ints) -> int:
    return int(np.partition(ticks, len(ticks) // 2)[len(ticks) // 2])
