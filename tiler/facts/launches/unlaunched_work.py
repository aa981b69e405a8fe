"""Work of a device without launches by steps, as far as times of steps need it: what is first and last in each.

Such work belongs to the step in which it starts. So no slice is looked at by itself, as `step_work` does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.facts.launches.device_launches import has_launches
from tilescope.tiler.facts.launches.step_work import NO_STEP, StepWork
from tilescope.tiler.facts.launches.stretch_bounds import start_bounds
from tilescope.tiler.pages.start_bounds import Bounds
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import StepRows
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]


def is_unlaunched(reader: QueryReader, tracks: Sequence[WorkTrack], rows: StepRows) -> bool:
    """True if no work of some tracks has a launch, and no two steps share a tick. Raises DamagedStore, NotBuilt."""
    are_apart = bool((rows.start[1:] >= rows.stop[:-1]).all())
    return are_apart and not any(has_launches(reader, work_track.track) for work_track in tracks)


def unlaunched_work(reader: QueryReader, tracks: Sequence[WorkTrack], rows: StepRows) -> Interruptible[list[StepWork]]:
    """Work of each track: of each step, and of the time between, a row from first to last and one at the last start.

    `rows` are steps apart, by time. Raises DamagedStore, NotBuilt.
    """
    borders = np.concatenate([[0], np.stack([rows.start, rows.stop], axis=1).ravel(), [TICK_LIMIT]])
    bounds = yield from start_bounds(reader, tracks, borders)
    number, pass_ = np.full(len(borders) - 1, NO_STEP), np.zeros(len(borders) - 1, np.int64)
    number[1::2], pass_[1::2] = rows.number, rows.pass_  # every other stretch is a step
    return [_work(track_bounds, number, pass_) for track_bounds in bounds]


def _work(bounds: Bounds, number: Ints, pass_: Ints) -> StepWork:
    there = np.flatnonzero(bounds.first >= 0)
    start = np.stack([bounds.first[there], bounds.last[there]], axis=1).ravel()
    stop = np.stack([bounds.stop[there], bounds.last[there]], axis=1).ravel()
    twice = np.repeat(there, 2)
    none = np.full(len(twice), -1)
    return StepWork(none, start, stop, none, number[twice], pass_[twice], np.zeros(len(twice), np.bool_))
