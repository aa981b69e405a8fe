"""Steps of calls of collectives: those of the launches of kernels, or those of the threads of hosts."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.collectives.calls import CollectiveCalls
from tilescope.tiler.facts.launches import launched_steps
from tilescope.tiler.query import Interruptible, QueryReader

Ints = NDArray[np.int64]

NO_STEP: Final = -1


def call_steps(reader: QueryReader, calls: CollectiveCalls) -> Interruptible[Ints]:
    """The number of the step in which each call starts; NO_STEP: in none. Raises DamagedStore, NotBuilt."""
    steps = np.full(len(calls), NO_STEP)
    launched = yield from launched_steps(reader, reader.steps)
    for track in np.unique(calls.track).tolist():
        runs = launched.runs.get(track)
        series = reader.steps.of_track(track)
        rows = runs if runs is not None else None if series is None else series.rows
        if rows is None or not len(rows.start):
            continue
        own = np.flatnonzero(calls.track == track)
        order = np.argsort(rows.start, kind="stable")
        row = order[np.maximum(np.searchsorted(rows.start[order], calls.start[own], side="right") - 1, 0)]
        is_in = (rows.start[row] <= calls.start[own]) & (calls.start[own] < rows.stop[row])
        steps[own[is_in]] = rows.number[row[is_in]]
    return steps
