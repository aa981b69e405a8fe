"""Slices that say by a number what launched them, or what they launched.

It is `args.correlation` of trace-event JSON, whose reader has it in the column of keys, and the stat `correlation_id`
of an XSpace, which is read from the arguments of its slices.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import CorrelationStat
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]

_NUMBERS: Final = 1 << 61  # the least that is none: keys have a bit for the side, and a sign


class SliceCorrelations(Struct, frozen=True):
    """Columns of shape (n,), in the order of ordinals."""

    ordinal: Ints  # of the slice on its track
    key: Ints  # as tiler/native/trace_event/correlation.hpp has it

    def __len__(self) -> int:
        return len(self.ordinal)


def has_correlations(key: Ints | None) -> bool:
    """True if any event of a track has a correlation, by the column of their keys."""
    return key is not None and len(key) > 0 and int(key.min()) < -1


def slice_correlations(key: Ints, source: Ints | None, scratch: Scratch) -> SliceCorrelations:
    """Correlations of a track's slices.

    `key` is that of the track's events, `source[ordinal]` the event that began a slice; None: they are the same.
    """
    of_slices = key if source is None else scratch.pick(key, source)
    ordinal = np.flatnonzero(of_slices < -1)
    return SliceCorrelations(ordinal, of_slices[ordinal])


def stat_correlations(args_end: Ints, args: NDArray[np.uint8], stat: CorrelationStat, scratch: Scratch) -> Ints:
    """Keys of a track's slices by their arguments, shape (n,); -1 where there is none."""

    def keys(part: slice) -> Ints:
        number = _native.integer_stats(args_end, args, np.arange(part.start, part.stop), list(stat.ids), 0)
        return np.where((number > 0) & (number < _NUMBERS), -2 - (2 * number + stat.is_on_device), -1)

    return scratch.fill(len(args_end), np.dtype(np.int64), keys)


def numbers_of(key: Ints) -> Ints:
    """The correlations behind keys."""
    numbers: Ints = (-2 - key) >> 1
    return numbers


def are_of_devices(key: Ints) -> NDArray[np.bool_]:
    """True for each key of work of a device; the others are of launches."""
    of_devices: NDArray[np.bool_] = ((-2 - key) & 1).astype(np.bool_)
    return of_devices
