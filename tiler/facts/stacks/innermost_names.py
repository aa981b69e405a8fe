"""The innermost frame of a thread at given moments, among those of some names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.stacks.frames_at import by_row, frames_at
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.events import Events

Ints = NDArray[np.int64]


def innermost_names(reader: QueryReader, track: int, times: Ints, is_frame: NDArray[np.bool_]) -> Interruptible[Ints]:
    """The name of the innermost frame at each of these times, which ascend; -1: none is there.

    `is_frame`: mask of names, that of events without one first. Raises DamagedStore, NotBuilt.
    """
    names = np.full(len(times), -1)
    for part in frames_at(reader, track, times, is_frame):
        if part is not None:
            frames, which = part
            names[which] = _innermost(frames, times[which])
        yield
    return names


def _innermost(frames: Events, times: Ints) -> Ints:
    names = np.full(len(times), -1)
    for _, around in by_row(frames):
        last = np.searchsorted(around.start, times, side="right") - 1
        is_in = (last >= 0) & ((around.start + around.duration)[last] > times)
        names[is_in] = around.name[last[is_in]]
    return names
