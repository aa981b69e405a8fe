"""Arrows of slices that are left out: an end would be of whatever slice stands around it, or comes next.

So an end goes with the slice that it binds to while all slices of its thread are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import EventChunk, EventFlag, Phase, Span, TraceSummary, TrackKind
from tilescope.tiler.indexing.reading.flow_rows import bound_slices
from tilescope.tiler.indexing.reading.gather import Gatherer
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

REASON: Final = "copied_flow_ends"  # among what is ignored

_LONGEST_EXACT_NS: Final = (1 << 62) // 1000  # 53 days: ends of slices in picoseconds fit into 64 bits


class _Clock(Struct, frozen=True):
    """Integers for the times of a file: picoseconds since its first event, or, of a long one, its nanoseconds."""

    first_ns: int
    is_exact: bool

    @classmethod
    def of_file(cls, gathered: Gatherer) -> _Clock:
        """The clock that all of its events fit on."""
        span = Span()
        span.join(gathered.span)
        span.join(gathered.flow_span)
        first_ns = span.first_ns or 0
        return cls(first_ns, True) if span.last_ns - first_ns < _LONGEST_EXACT_NS else cls(0, False)

    def time(self, piece: EventChunk) -> Ints:
        """Times of a piece's rows."""
        return self._number(piece.time_ns - self.first_ns, piece.time_ps)

    def duration(self, piece: EventChunk) -> Ints:
        """Durations of them."""
        return self._number(piece.duration_ns, piece.duration_ps)

    def _number(self, ns: Ints, ps: NDArray[np.int16] | None) -> Ints:
        if not self.is_exact:
            return ns
        return ns * 1000 if ps is None else ns * 1000 + ps


class _Slices(Struct, frozen=True):
    """Slices of a thread in canonical order, before any is left out."""

    start: Ints
    duration: Ints
    is_copy: Mask

    @classmethod
    def of_pieces(
        cls, pieces: Sequence[EventChunk], copies: Mapping[int, Mask], clock: _Clock, scratch: Scratch
    ) -> _Slices:
        """`copies`: those that are left out, by number of the piece."""
        rows = [np.flatnonzero(piece.phase == Phase.COMPLETE) for piece in pieces]

        def joined(values: Callable[[int, EventChunk], NDArray[np.generic]]) -> NDArray[np.generic]:
            return np.concatenate([values(k, piece)[rows[k]] for k, piece in enumerate(pieces)])

        def copied(number: int, piece: EventChunk) -> Mask:
            return copies.get(number, np.zeros(len(piece), np.bool_))

        start = cast(Ints, scratch.keep(joined(lambda _, piece: clock.time(piece))))
        duration = cast(Ints, scratch.keep(joined(lambda _, piece: clock.duration(piece))))
        order = cast(Ints, scratch.empty(len(start), np.int64))
        space = cast(Ints, scratch.empty(_native.ORDER_SPACE * len(start), np.int64))
        _native.canonical_order(start, duration, order, space)
        is_copy = cast(Mask, joined(copied))
        return cls(scratch.pick(start, order), scratch.pick(duration, order), scratch.pick(is_copy, order))


def leave_out_arrows(gathered: Gatherer, summary: TraceSummary, track: int, copies: Mapping[int, Mask]) -> int:
    """Removes the flow ends that bind to slices of a track which are to be left out, and returns how many.

    `copies`: these slices, by number of the piece, which must still be there.
    """
    carriers = [number for number in _carriers(summary, track) if gathered.rows_of(number)]
    if not carriers:
        return 0
    clock = _Clock.of_file(gathered)
    slices = _Slices.of_pieces(gathered.pieces(track), copies, clock, gathered.scratch)
    innermost = _native.InnermostSlices(slices.start, slices.duration)
    removed = 0
    for carrier in carriers:
        for number, piece in enumerate(gathered.pieces(carrier)):
            to_next = (piece.phase == Phase.FLOW_END) & ((piece.flags & EventFlag.BIND_ENCLOSING) == 0)
            position = bound_slices(clock.time(piece), to_next, slices.start, innermost)
            rows = np.flatnonzero((position >= 0) & slices.is_copy[position])
            if len(rows):
                gathered.remove(carrier, number, piece, rows)
                removed += len(rows)
    return removed


def _carriers(summary: TraceSummary, track: int) -> list[int]:
    """The tracks that carry flow ends of the thread of a track."""
    thread = summary.tracks[track]
    place = thread.process, thread.name, thread.detail
    return [
        number
        for number, other in enumerate(summary.tracks)
        if other.kind == TrackKind.FLOW and (other.process, other.name, other.detail) == place
    ]
