"""Gathers chunks per track: from the order of the file to the order of the tracks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
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

    span: Span = field(default_factory=Span)
    events: int = 0  # without flow ends
    _pieces: dict[int, list[TrackEvents]] = field(default_factory=dict)

    def add(self, chunk: EventChunk) -> None:
        """Takes a chunk. Its arrays are kept."""
        if not len(chunk):
            return
        self.span.add(chunk)
        self.events += int(np.count_nonzero(chunk.phase < Phase.FLOW_START))
        first = int(chunk.track[0])
        if not (chunk.track != first).any():
            self._pieces.setdefault(first, []).append(_select(chunk, None))
            return
        order = np.argsort(chunk.track, kind="stable")
        tracks = chunk.track[order]
        starts = np.flatnonzero(np.diff(tracks, prepend=tracks[0] - 1))
        for start, stop in zip(starts, np.append(starts[1:], len(tracks)), strict=True):
            self._pieces.setdefault(int(tracks[start]), []).append(_select(chunk, order[start:stop]))

    def take(self, track: int) -> TrackEvents | None:
        """The events of a track, which are forgotten here."""
        pieces = self._pieces.pop(track, None)
        return None if pieces is None else _join(pieces)


def _select(chunk: EventChunk, order: NDArray[np.int64] | None) -> TrackEvents:
    def pick(column: NDArray[_T]) -> NDArray[_T]:
        return column if order is None else column[order]

    def pick_optional(column: NDArray[_T] | None) -> NDArray[_T] | None:
        return None if column is None else pick(column)

    if order is None:
        args_end, args = chunk.args_end, chunk.args
    else:
        args_end, args = _native.gather_bytes(chunk.args_end, chunk.args, order)
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


def _join(pieces: list[TrackEvents]) -> TrackEvents:
    if len(pieces) == 1:
        return pieces[0]
    offsets = np.cumsum([0, *(len(piece.args) for piece in pieces[:-1])])
    return TrackEvents(
        np.concatenate([p.phase for p in pieces]),
        np.concatenate([p.time_ns for p in pieces]),
        _join_optional([(len(p), p.time_ps) for p in pieces], np.int16(0)),
        np.concatenate([p.duration_ns for p in pieces]),
        _join_optional([(len(p), p.duration_ps) for p in pieces], np.int16(0)),
        np.concatenate([p.name for p in pieces]),
        _join_optional([(len(p), p.key) for p in pieces], np.int64(-1)),
        _join_optional([(len(p), p.value) for p in pieces], np.float64(np.nan)),
        np.concatenate([p.flags for p in pieces]),
        np.concatenate([p.args_end + offset for p, offset in zip(pieces, offsets, strict=True)]),
        np.concatenate([p.args for p in pieces]),
    )


def _join_optional(columns: list[tuple[int, NDArray[_T] | None]], missing: _T) -> NDArray[_T] | None:
    """The columns in one; `missing` stands for the values of those that are not there."""
    if all(column is None for _, column in columns):
        return None
    return np.concatenate([np.full(n, missing) if column is None else column for n, column in columns])
