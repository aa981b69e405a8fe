"""Times and numbers of the events of a file: needed when they do not fit on one time axis.

Events are counted in crowds: those that begin in the same piece of 2**48 ns (3.3 days) and last about as long. The
events of an honest file are one crowd, so that this costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import IntEnum

import numpy as np
from msgspec import Struct, field, structs
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns.chunk import EventChunk, Phase
from tilescope.tiler.columns.span import Span
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]

_PIECE = 48  # bits of nanoseconds
_PIECE_NS = 1 << _PIECE

# Events that last longer than half of an axis are told apart: their crowds would not fit on it, whatever the others do.
_LONG_NS = TICK_LIMIT // 2000
_ENDLESS_NS = TICK_LIMIT // 2

_LATEST_NS = (1 << 63) - 1

_Extent = tuple[int, int, int, int, int, int, bool]  # as `_native.chunk_extents` describes it


class Length(IntEnum):
    """Length class of events."""

    SHORT = 0  # below half of an axis of picoseconds: 13 days
    LONG = 1
    ENDLESS = 2  # from half of an axis of nanoseconds on: 36 years


class Crowd(Struct, frozen=True):
    """Events of one file that begin not far from each other."""

    length: Length
    span: Span
    events: int  # without flow ends


class Census(Struct):
    """All events of a file, in crowds. Flow ends are counted apart: they are no crowds but where nothing else is."""

    _crowds: dict[int, tuple[Span, int]] = field(default_factory=dict)  # by piece and length
    _flow_ends: Census | None = None
    _arrival_ns: int | None = None  # first flow end that belongs to the slice behind it

    def __iter__(self) -> Iterator[Crowd]:
        if not self._crowds and self._flow_ends is not None:
            yield from self._flow_ends
        for key, (span, events) in self._crowds.items():
            yield Crowd(Length(key & 3), structs.replace(span), events)

    def span(self) -> Span:
        """From when to when the events last; of a file without any, its flow ends.

        A flow end that belongs to the slice behind it is not before the span. Others may be beside it: they belong to
        no slice.
        """
        if not self._crowds:
            return self.flow_span()
        whole = _whole(self._crowds)
        whole.any_ps |= self.flow_span().any_ps
        if self._arrival_ns is not None and whole.first_ns is not None:
            whole.first_ns = min(whole.first_ns, self._arrival_ns)
        return whole

    def flow_span(self) -> Span:
        """From when to when flow ends are."""
        return Span() if self._flow_ends is None else _whole(self._flow_ends._crowds)

    def copy(self) -> Census:
        """As it is now."""
        crowds = {key: (structs.replace(span), events) for key, (span, events) in self._crowds.items()}
        return Census(crowds, None if self._flow_ends is None else self._flow_ends.copy(), self._arrival_ns)

    def add(self, chunk: EventChunk) -> int:
        """Counts a chunk. Returns how many events it has, without flow ends."""
        columns = chunk.phase, chunk.time_ns, chunk.time_ps, chunk.duration_ns, chunk.duration_ps, chunk.flags
        events, flow_ends, arrival_ns = _native.chunk_extents(*columns)
        if arrival_ns is not None:
            self._arrival_ns = arrival_ns if self._arrival_ns is None else min(arrival_ns, self._arrival_ns)
        if flow_ends[0]:
            self._flow_ends = self._flow_ends or Census()
            if not self._flow_ends._add_extent(flow_ends, 0):
                self._flow_ends._add_apart(_rows(chunk, chunk.phase >= Phase.FLOW_START))
        if events[0] and not self._add_extent(events, events[0]):
            self._add_apart(_rows(chunk, chunk.phase < Phase.FLOW_START))
        return events[0]

    def _add_extent(self, extent: _Extent, events: int) -> bool:
        """Counts rows of which only this is known; False when that is not enough to put them into one crowd."""
        _, first, latest, longest, last, last_ps, any_ps = extent
        if first >> _PIECE != latest >> _PIECE or longest >= _LONG_NS or latest + longest >= _LATEST_NS:
            return False
        self._count((first >> _PIECE) << 2 | Length.SHORT, Span(first, last, last_ps, any_ps), events)
        return True

    def add_span(self, span: Span, events: int) -> bool:
        """Counts events of which only this is known; False when that is not enough to put them into one crowd."""
        if span.first_ns is None:
            return True
        if span.last_ns - span.first_ns >= _PIECE_NS:
            return False
        self._count((span.first_ns >> _PIECE) << 2 | Length.SHORT, span, events)
        return True

    def _count(self, key: int, span: Span, events: int) -> None:
        crowd_span, before = self._crowds.get(key) or (Span(), 0)
        crowd_span.join(span)
        self._crowds[key] = crowd_span, before + events

    def _add_apart(self, chunk: EventChunk) -> None:
        length = chunk.duration_ns
        counted = chunk.phase < Phase.FLOW_START
        key = (chunk.time_ns >> _PIECE) << 2 | ((length >= _LONG_NS).astype(np.int64) + (length >= _ENDLESS_NS))
        order = np.argsort(key, kind="stable")
        key, start = key[order], chunk.time_ns[order]
        end, beyond = _ends(chunk)
        end = end[order]
        first = np.flatnonzero(np.diff(key, prepend=key[0] - 1))
        count = np.diff(first, append=len(key))
        last = np.maximum.reduceat(end, first)
        ps = np.zeros(len(key), np.int64) if beyond is None else beyond[order]
        last_ps = np.maximum.reduceat(np.where(end == np.repeat(last, count), ps, 0), first)
        finer = np.zeros(len(key), np.bool_)
        for column in (chunk.time_ps, chunk.duration_ps):
            if column is not None:
                finer |= column[order] != 0
        spans = zip(
            np.minimum.reduceat(start, first).tolist(),
            last.tolist(),
            last_ps.tolist(),
            np.logical_or.reduceat(finer, first).tolist(),
            strict=True,
        )
        events_of = np.add.reduceat(counted[order].astype(np.int64), first).tolist()
        for which, span, events in zip(key[first].tolist(), spans, events_of, strict=True):
            self._count(which, Span(*span), events)


def _whole(crowds: Mapping[int, tuple[Span, int]]) -> Span:
    whole = Span()
    for span, _ in crowds.values():
        whole.join(span)
    return whole


def _rows(chunk: EventChunk, which: NDArray[np.bool_]) -> EventChunk:
    """Times of these rows; all other columns stay as they are."""
    return replace(
        chunk,
        phase=chunk.phase[which],
        time_ns=chunk.time_ns[which],
        time_ps=None if chunk.time_ps is None else chunk.time_ps[which],
        duration_ns=chunk.duration_ns[which],
        duration_ps=None if chunk.duration_ps is None else chunk.duration_ps[which],
    )


def _ends(chunk: EventChunk) -> tuple[Ints, Ints | None]:
    """Ends of events: nanoseconds, as far as int64 goes, and the picoseconds beyond; None: there are none."""
    end = chunk.time_ns + np.minimum(chunk.duration_ns, _LATEST_NS - np.maximum(chunk.time_ns, 0))
    if chunk.time_ps is None and chunk.duration_ps is None:
        return end, None
    beyond = np.zeros(len(end), np.int64)
    for column in (chunk.time_ps, chunk.duration_ps):
        if column is not None:
            beyond += column
    return end + np.minimum(beyond // 1000, _LATEST_NS - np.maximum(end, 0)), beyond % 1000
