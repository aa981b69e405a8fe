"""Which slice a flow end belongs to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.build.flow_rows import FlowRows, binds_to_next
from tilescope.tiler.build.track_data import TrackData

Ints = NDArray[np.int64]


def bind(rows: FlowRows, slices: TrackData | None) -> Ints:
    """The ordinal of each end's slice on its thread's track, shape (n,); -1: there is no such slice.

    An end that binds to what comes next: the first slice, in canonical order, that begins at its time or later. Any
    other: the innermost slice around its time, see `innermost_slices` in tiler/native/enclosing.hpp.
    """
    if rows.ordinal is not None:
        return rows.ordinal
    ordinal = np.full(len(rows), -1, np.int64)
    if slices is None:
        return ordinal
    to_next = binds_to_next(rows)
    following = np.searchsorted(slices.start, rows.tick[to_next])
    ordinal[to_next] = np.where(following < len(slices), following, -1)
    others = np.flatnonzero(~to_next)
    others = others[np.argsort(rows.tick[others], kind="stable")]
    ordinal[others] = _native.innermost_slices(slices.start, slices.duration, rows.tick[others])
    return ordinal
