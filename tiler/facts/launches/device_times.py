"""The time of each step of a device: from the end of the step before to the end of the last work launched in it.

So idle time between steps is in the later one. The first step begins with its first launch. A step without work on the
device ends where its host's mark does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.launches.step_work import NO_STEP, StepWork
from tilescope.tiler.query.run_steps import StepRows

Ints = NDArray[np.int64]

_NO_STEPS = StepRows(*(np.zeros(0, np.int64) for _ in StepRows.__slots__))


def device_times(works: Sequence[StepWork], first_launches: Sequence[int], marks: StepRows) -> StepRows:
    """Times of the steps on all tracks of a device, by pass and number; none where no work belongs to a step.

    `first_launches`: starts of first launches, track by track. `marks`: the steps of the host, whose slices these are.
    """
    work = _rows_of_work(works)
    if not len(work):
        return _NO_STEPS
    is_mark = np.arange(len(work) + len(marks)) >= len(work)
    rows = _joined([work, marks])
    order = np.lexsort((rows.start - rows.stop, ~is_mark, rows.number, rows.pass_))  # of marks the longest first
    rows, is_mark = rows.take(order), is_mark[order]
    first = _first(rows)
    last_work, last_mark = (np.maximum.reduceat(np.where(which, rows.stop, -1), first) for which in (~is_mark, is_mark))
    begin = min([int(work.start.min()), *first_launches])
    if last_work[0] < 0:
        begin = min(begin, int(rows.start[0]))
    return _in_turn(rows.take(first), np.where(last_work < 0, last_mark, last_work), begin)


def joined_times(times: Sequence[StepRows]) -> StepRows:
    """Times of the steps over several devices: each ends with that on the last of them."""
    rows = _joined(times)
    rows = rows.take(np.lexsort((-rows.track, rows.number, rows.pass_)))  # those that have a slice first
    first = _first(rows)
    return _in_turn(rows.take(first), np.maximum.reduceat(rows.stop, first), min(int(part.start[0]) for part in times))


def _in_turn(steps: StepRows, ends: Ints, begin: int) -> StepRows:
    """Each step from the end of the one before; one that ends before that takes no time."""
    ends = np.maximum(np.maximum.accumulate(ends), begin)
    return StepRows(
        steps.number, steps.pass_, np.append(begin, ends[:-1]), ends, steps.track, steps.ordinal, np.zeros_like(ends)
    )


def _rows_of_work(works: Sequence[StepWork]) -> StepRows:
    """Work that belongs to a step, as rows without a slice: what stands together in the order of a track is one row."""
    parts = [_NO_STEPS]
    for work in works:
        first = np.flatnonzero(_changes(work.number) | _changes(work.pass_))
        if len(first):
            number, none = work.number[first], np.full(len(first), -1)
            start, stop = np.minimum.reduceat(work.start, first), np.maximum.reduceat(work.stop, first)
            rows = StepRows(number, work.pass_[first], start, stop, none, none, np.zeros(len(first), np.int64))
            parts.append(rows.take(number != NO_STEP))
    return _joined(parts)


def _joined(parts: Sequence[StepRows]) -> StepRows:
    return StepRows(*(np.concatenate([getattr(part, name) for part in parts]) for name in StepRows.__slots__))


def _first(rows: StepRows) -> Ints:
    """Rows at which each step begins, of rows by pass and number."""
    return np.flatnonzero(_changes(rows.number) | _changes(rows.pass_))


def _changes(column: Ints) -> NDArray[np.bool_]:
    """Mask of the rows that differ from the one before; true of the first."""
    is_change = np.ones(len(column), np.bool_)
    is_change[1:] = column[1:] != column[:-1]
    return is_change
