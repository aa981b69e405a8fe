"""The innermost slice of a thread at given moments, among those of some names."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import Events, join, no_events
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Slices that are looked at together: five megabytes of columns.
_TOGETHER: Final = 1 << 16


def innermost_names(reader: QueryReader, track: int, times: Ints, is_wanted: NDArray[np.bool_]) -> Interruptible[Ints]:
    """The name of the innermost slice at each of these times, which ascend; -1: none is there.

    `is_wanted`: mask of names, that of events without one first. Raises DamagedStore, NotBuilt.
    """
    names = np.full(len(times), -1)
    if not len(times):
        return names
    plan = reader.plan(track, Windows.single(int(times[0]), int(times[-1]) + 1))
    open_slices = no_events(track)  # the last of each depth: only these can reach into what follows
    parts: list[Events] = []
    done = 0
    for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
        if not len(events):
            continue
        parts.append(events.take(is_wanted[events.name + 1]))
        latest = int(events.start.max())
        if sum(map(len, parts)) >= _TOGETHER:
            slices = join([open_slices, *parts])
            stop = int(np.searchsorted(times, latest))  # later slices begin at `latest`, or after it
            names[done:stop] = _innermost(slices, times[done:stop])
            _, last = np.unique(slices.row[::-1], return_index=True)
            open_slices = slices.take(np.sort(len(slices) - 1 - last))
            parts, done = [], stop
        yield
    names[done:] = _innermost(join([open_slices, *parts]), times[done:])
    return names


def _innermost(slices: Events, times: Ints) -> Ints:
    names = np.full(len(times), -1)
    for depth in np.unique(slices.row).tolist():
        around = slices.take(slices.row == depth)
        last = np.searchsorted(around.start, times, side="right") - 1
        is_in = (last >= 0) & ((around.start + around.duration)[last] > times)
        names[is_in] = around.name[last[is_in]]
    return names
