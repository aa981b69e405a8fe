"""Gathers chunks per track: from the order of the file to the order of the tracks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.build.arguments import gather_args
from tilescope.tiler.build.scratch import Scratch
from tilescope.tiler.build.timeline import Span
from tilescope.tiler.columns import EventChunk, Phase

_T = TypeVar("_T", bound=np.generic)


@dataclass(slots=True)
class TrackEvents:
    """All events of one track of one file, in file order. Columns as in `EventChunk`."""

    phase: NDArray[np.uint8]
    time_ns: NDArray[np.int64]
    time_ps: NDArray[np.int16] | None
    duration_ns: NDArray[np.int64]
    duration_ps: NDArray[np.int16] | None
    name: NDArray[np.int32]
    key: NDArray[np.int64] | None
    value: NDArray[np.float64] | None
    flags: NDArray[np.uint8]
    args_end: NDArray[np.int64]
    args: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.phase)


@dataclass(slots=True)
class Gatherer:
    """Takes a file's chunks, gives its tracks."""

    scratch: Scratch = field(default_factory=Scratch)
    span: Span = field(default_factory=Span)
    events: int = 0  # without flow ends
    _pieces: dict[int, list[TrackEvents]] = field(default_factory=dict)

    def add(self, chunk: EventChunk) -> None:
        """Takes a chunk. Its arrays are kept."""
        if not len(chunk):
            return
        self.span.add(chunk)
        self.events += int(np.count_nonzero(chunk.phase < Phase.FLOW_START))
        order = _order_by_track(chunk.track)
        tracks = chunk.track if order is None else chunk.track[order]
        events = _select(self.scratch, chunk, order)
        starts = np.flatnonzero(np.diff(tracks, prepend=tracks[0] - 1))
        for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(tracks)], strict=True):
            self._pieces.setdefault(int(tracks[start]), []).append(_part(events, start, stop))

    def take(self, track: int) -> TrackEvents | None:
        """The events of a track, which are forgotten here."""
        pieces = self._pieces.pop(track, None)
        return None if pieces is None else _join(self.scratch, pieces)


def _order_by_track(track: NDArray[np.int32]) -> NDArray[np.int64] | None:
    """The order that brings events of one track together and leaves each track's in file order; None: they are."""
    if (track[1:] >= track[:-1]).all():
        return None
    # numpy sorts 16-bit integers in linear time, wider ones several times slower.
    narrow = track.astype(np.uint16) if track.min() >= 0 and track.max() < 1 << 16 else track
    return np.argsort(narrow, kind="stable")


def _part(events: TrackEvents, start: int, stop: int) -> TrackEvents:
    """Events [start, stop), as views."""
    if start == 0 and stop == len(events):
        return events

    def optional(column: NDArray[_T] | None) -> NDArray[_T] | None:
        return None if column is None else column[start:stop]

    args_first = int(events.args_end[start - 1]) if start else 0
    args_end = events.args_end[start:stop]
    return TrackEvents(
        events.phase[start:stop],
        events.time_ns[start:stop],
        optional(events.time_ps),
        events.duration_ns[start:stop],
        optional(events.duration_ps),
        events.name[start:stop],
        optional(events.key),
        optional(events.value),
        events.flags[start:stop],
        args_end - args_first if args_first else args_end,
        events.args[args_first : int(args_end[-1])],
    )


def _select(scratch: Scratch, chunk: EventChunk, order: NDArray[np.int64] | None) -> TrackEvents:
    """The chunk's events in this order; None: all of them."""

    def pick(column: NDArray[_T]) -> NDArray[_T]:
        return scratch.keep(column) if order is None else scratch.pick(column, order)

    def pick_optional(column: NDArray[_T] | None) -> NDArray[_T] | None:
        return None if column is None else pick(column)

    if order is None:
        args_end, args = scratch.keep(chunk.args_end), scratch.keep(chunk.args)
    else:
        args_end, args = gather_args(scratch, chunk.args_end, chunk.args, order)
    return TrackEvents(
        pick(chunk.phase),
        pick(chunk.time_ns),
        pick_optional(chunk.time_ps),
        pick(chunk.duration_ns),
        pick_optional(chunk.duration_ps),
        pick(chunk.name),
        pick_optional(chunk.key),
        pick_optional(chunk.value),
        pick(chunk.flags),
        args_end,
        args,
    )


def _join(scratch: Scratch, pieces: list[TrackEvents]) -> TrackEvents:
    """The pieces in one. They are emptied on the way, so that a column is there twice for a moment only."""
    if len(pieces) == 1:
        return pieces[0]
    offset = 0
    for piece in pieces:
        if offset:
            piece.args_end = scratch.fill(len(piece), np.dtype(np.int64), _shifted(piece.args_end, offset))
        offset += len(piece.args)
    lengths = [len(piece) for piece in pieces]

    def join(column: str, missing: float = 0) -> NDArray[Any]:
        columns = [getattr(piece, column) for piece in pieces]
        dtype = next(c.dtype for c in columns if c is not None)
        sizes = lengths if column != "args" else [len(c) for c in columns]
        out = scratch.empty(sum(sizes), dtype)
        at = 0
        for piece, values, size in zip(pieces, columns, sizes, strict=True):
            out[at : at + size] = missing if values is None else values
            setattr(piece, column, None)
            at += size
        return out

    def join_optional(column: str, missing: float) -> NDArray[Any] | None:
        return None if all(getattr(piece, column) is None for piece in pieces) else join(column, missing)

    return TrackEvents(
        join("phase"),
        join("time_ns"),
        join_optional("time_ps", 0),
        join("duration_ns"),
        join_optional("duration_ps", 0),
        join("name"),
        join_optional("key", -1),
        join_optional("value", np.nan),
        join("flags"),
        join("args_end"),
        join("args"),
    )


def _shifted(ends: NDArray[np.int64], offset: int) -> Callable[[slice], NDArray[np.int64]]:
    return lambda part: ends[part] + offset
