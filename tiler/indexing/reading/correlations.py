"""Slices that say by a number what launched them, or what they launched.

It is `args.correlation` of trace-event JSON, whose reader has it in the column of keys, and the stat `correlation_id`
of an XSpace, which is read from the arguments of its slices.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import CorrelationStat
from tilescope.tiler.indexing.scratch import Scratch, parts

Ints = NDArray[np.int64]


class SliceCorrelations(Struct, frozen=True):
    """Columns of shape (n,), in the order of ordinals."""

    ordinal: Ints | None  # of the slice on its track; None: all slices have one
    base: int
    key: NDArray[np.int32] | Ints  # less `base`, as tiler/native/trace_event/correlation.hpp has it

    def __len__(self) -> int:
        return len(self.key)


def has_correlations(key: Ints | None) -> bool:
    """True if any event of a track has a correlation, by the column of their keys."""
    return key is not None and len(key) > 0 and (int(key[0]) < -1 or int(key.min()) < -1)


def slice_correlations(key: Ints, source: Ints | None, scratch: Scratch) -> SliceCorrelations:
    """Correlations of a track's slices.

    `key` is that of the track's events, `source[ordinal]` the event that began a slice; None: they are the same.
    """
    return _with_key(scratch.pick(key, source), scratch)


def stat_correlations(
    args_end: Ints, args: NDArray[np.uint8], stat: CorrelationStat, scratch: Scratch
) -> SliceCorrelations | None:
    """Correlations of a track's slices by their arguments; None: there is none."""
    ids, on_device = list(stat.ids), stat.is_on_device
    keys = scratch.fill(
        len(args_end),
        np.dtype(np.int64),
        lambda part: _native.correlation_keys(args_end, args, part.start, part.stop, ids, on_device),
    )
    correlations = _with_key(keys, scratch)
    return correlations if len(correlations) else None


def _with_key(keys: Ints, scratch: Scratch) -> SliceCorrelations:
    """Correlations by the keys of all slices: of those that have one."""
    have_all, near = _near(keys, scratch)
    if have_all:
        return SliceCorrelations(None, *near)
    ordinal = np.concatenate([part.start + np.flatnonzero(keys[part] < -1) for part in parts(len(keys))])
    return SliceCorrelations(ordinal, *_near(keys[ordinal], scratch)[1])


def _near(keys: Ints, scratch: Scratch) -> tuple[bool, tuple[int, NDArray[np.int32] | Ints]]:
    """True where each slice has a key; and the keys as distances from one of them, which take half the room."""
    base = int(keys[0]) if len(keys) else 0
    near = cast("NDArray[np.int32]", scratch.empty(len(keys), np.int32))
    have_all = are_near = True
    for part in parts(len(keys)):
        have_keys, have_room = _native.near_keys(keys[part], base, near[part])
        have_all, are_near = have_all and have_keys, are_near and have_room
    return have_all, (base, near) if are_near else (0, keys)
