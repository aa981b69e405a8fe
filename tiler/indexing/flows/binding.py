"""The slice that a flow end belongs to."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.reading.flow_rows import FlowRows, binds_to_next, bound_slices
from tilescope.tiler.indexing.scratch import Scratch, parts
from tilescope.tiler.indexing.tracks.track_data import TrackData

Ints = NDArray[np.int64]


def bind(rows: FlowRows, slices: TrackData | None, scratch: Scratch) -> Ints:
    """The ordinal of each end's slice on its thread's track, shape (n,); -1: there is no such slice.

    An end that binds to what comes next: the first slice, in canonical order, that begins at its time or later. Any
    other: the innermost slice around its time, see tiler/native/pyramid/enclosing.hpp.
    """
    if rows.ordinal is not None:
        return rows.ordinal
    if slices is None:
        return scratch.fill(len(rows), np.dtype(np.int64), lambda p: np.full(p.stop - p.start, -1, np.int64))
    ordinal = cast(Ints, scratch.empty(len(rows), np.int64))
    innermost = _native.InnermostSlices(slices.start, slices.duration)
    for part in parts(len(rows)):
        ordinal[part] = bound_slices(rows.tick[part], binds_to_next(rows, part), slices.start, innermost)
    return ordinal
