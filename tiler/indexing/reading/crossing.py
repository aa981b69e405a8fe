"""Slices of a track that overlap others partly: neither lies in the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk, Phase

Ints = NDArray[np.int64]

# Annotations that are held at a time, at some 100 bytes each, whatever memory there is: traces have thousands of them.
_SPANS_AT_ONCE: Final = 1 << 20


def cross(pieces: Sequence[EventChunk], names: NDArray[np.bool_], others: NDArray[np.bool_]) -> bool:
    """True if one of the slices with these names overlaps one of the others partly, by a nanosecond at least.

    Both are by the number of a name; that of rows without one comes last.
    """
    for spans in _some_spans(pieces, names):
        forward, backward = _SpansByStop(spans), _SpansByStop(_reversed(spans))
        for piece in pieces:
            frames = _spans(piece, others)
            if forward.reach_into(frames) or backward.reach_into(_reversed(frames)):
                return True
    return False


def _some_spans(pieces: Sequence[EventChunk], names: NDArray[np.bool_]) -> Iterator[Ints]:
    """The slices with these names, at least `_SPANS_AT_ONCE` together where there are so many: whole pieces."""
    pending: list[Ints] = []
    for piece in pieces:
        spans = _spans(piece, names)
        if spans.size:
            pending.append(spans)
        if sum(part.shape[1] for part in pending) >= _SPANS_AT_ONCE:
            yield np.concatenate(pending, axis=1)
            pending = []
    if pending:
        yield np.concatenate(pending, axis=1)


class _SpansByStop:
    """Spans, each by its start and stop, in the order of their stops."""

    def __init__(self, spans: Ints) -> None:
        order = np.argsort(spans[1])
        self._start, self._stop = spans[:, order]

    def reach_into(self, frames: Ints) -> bool:
        """True if one of them begins before one of the frames, and stops inside.

        The stops inside a frame are a range of all: the least start in it is the lesser of those in two ranges whose
        length is a power of two. Starts are reduced to these, power by power.
        """
        first, behind = np.searchsorted(self._stop, frames[0], "right"), np.searchsorted(self._stop, frames[1])
        least, length = self._start, 1
        while (longer := behind - first >= length).any():
            first, behind, frames = first[longer], behind[longer], frames[:, longer]
            if (np.minimum(least[first], least[behind - length]) < frames[0]).any():
                return True
            least, length = np.minimum(least[:-length], least[length:]), 2 * length
        return False


def _reversed(spans: Ints) -> Ints:
    """Spans as time runs backwards."""
    return -spans[::-1]


def _spans(piece: EventChunk, names: NDArray[np.bool_]) -> Ints:
    """Start and stop in ns, rounded down, of the complete slices with these names: shape (2, n)."""
    rows = np.flatnonzero((piece.phase == Phase.COMPLETE) & names[piece.name])
    start, stop = piece.time_ns[rows], piece.time_ns[rows] + piece.duration_ns[rows]
    if piece.time_ps is not None or piece.duration_ps is not None:
        ps = [column[rows].astype(np.int64) for column in (piece.time_ps, piece.duration_ps) if column is not None]
        stop = stop + sum(ps) // 1000
    return np.stack([start, stop])
