"""Slices of a track that overlap others partly: neither lies in the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk, Phase

Ints = NDArray[np.int64]

# The slices that are compared with all others: those that cross any of a profiler's frames do so nearly always.
MOST: Final = 64

_AT_ONCE: Final = 4096


def cross(pieces: Sequence[EventChunk], names: NDArray[np.bool_], others: NDArray[np.bool_]) -> bool:
    """True if one of the first slices with these names overlaps one of the others partly, by a nanosecond at least.

    Both are by the number of a name; that of rows without one comes last.
    """
    first = np.zeros((2, 0), np.int64)
    for piece in pieces:
        first = np.concatenate([first, _spans(piece, names)], axis=1)[:, :MOST]
        if first.shape[1] == MOST:
            break
    if not first.size:
        return False
    edges = np.sort(first, axis=None)
    for piece in pieces:
        spans = _spans(piece, others)
        # Only what has an edge inside: few have.
        spans = spans[:, np.searchsorted(edges, spans[0], "right") < np.searchsorted(edges, spans[1])]
        for begin in range(0, spans.shape[1], _AT_ONCE):
            start, stop = spans[:, begin : begin + _AT_ONCE, np.newaxis]
            is_before = (start < first[0]) & (first[0] < stop) & (stop < first[1])
            is_behind = (first[0] < start) & (start < first[1]) & (first[1] < stop)
            if (is_before | is_behind).any():
                return True
    return False


def _spans(piece: EventChunk, names: NDArray[np.bool_]) -> Ints:
    """Start and stop in ns, rounded down, of the complete slices with these names: shape (2, n)."""
    rows = np.flatnonzero((piece.phase == Phase.COMPLETE) & names[piece.name])
    start, stop = piece.time_ns[rows], piece.time_ns[rows] + piece.duration_ns[rows]
    if piece.time_ps is not None or piece.duration_ps is not None:
        ps = [column[rows].astype(np.int64) for column in (piece.time_ps, piece.duration_ps) if column is not None]
        stop = stop + sum(ps) // 1000
    return np.stack([start, stop])
