"""Pieces of chunks that are of one track, and their events joined on the run's time axis.

A file of ten million events on 150 tracks has a hundred thousand pieces: none of them is looked at in Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import EventChunk
from tilescope.tiler.indexing.reading.piece import part_of
from tilescope.tiler.indexing.reading.timed import FileAxis, TimedEvents, timed_events
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]

# Joined at a time: their chunks stay as long.
_PIECES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class ChunkInPieces:
    """A chunk whose events are sorted by track."""

    chunk: EventChunk
    columns: _native.ChunkColumns

    @classmethod
    def of(cls, chunk: EventChunk) -> ChunkInPieces:
        """The chunk, and its columns for native code."""
        columns = _native.ChunkColumns(
            chunk.phase,
            chunk.time_ns,
            chunk.time_ps,
            chunk.duration_ns,
            chunk.duration_ps,
            chunk.name,
            chunk.key,
            chunk.value,
            chunk.flags,
            chunk.args_end,
            chunk.args,
        )
        return cls(chunk, columns)


class ChunkPiece(NamedTuple):
    """Rows [start, stop) of a chunk."""

    of: ChunkInPieces
    start: int
    stop: int

    def events(self, track: int) -> EventChunk:
        """The rows, which are of this track."""
        return part_of(self.of.chunk, self.start, self.stop, track)


def join_pieces(pieces: list[ChunkPiece], track: int, axis: FileAxis, scratch: Scratch) -> TimedEvents:
    """The events of all pieces, one behind the other. The list is empty afterwards."""
    pieces.reverse()
    if axis.timeline.window is not None:
        rows = sum(piece.stop - piece.start for piece in pieces)
        return timed_events((piece.events(track) for piece in _taken(pieces)), rows, axis, scratch)
    rows, args_bytes, keys, values = _native.piece_sizes(*_columns(pieces))

    def column(dtype: DTypeLike) -> NDArray[np.generic]:
        return scratch.empty(rows, dtype)

    joined = TimedEvents(
        cast("NDArray[np.uint8]", column(np.uint8)),
        cast(Ints, column(np.int64)),
        cast(Ints, column(np.int64)),
        cast("NDArray[np.int32]", column(np.int32)),
        cast(Ints, column(np.int64)) if keys else None,
        cast("NDArray[np.float64]", column(np.float64)) if values else None,
        cast("NDArray[np.uint8]", column(np.uint8)),
        cast(Ints, column(np.int64)),
        cast("NDArray[np.uint8]", scratch.empty(args_bytes, np.uint8)),
    )
    timeline = axis.timeline
    from_ns = (timeline.origin_ns - axis.base_ns) % (1 << 64)
    at = args_at = 0
    while pieces:
        some = [pieces.pop() for _ in range(min(_PIECES_AT_ONCE, len(pieces)))]
        at, args_at = _native.join_pieces(
            *_columns(some),
            from_ns,
            timeline.tick_ps == 1,
            timeline.rounds,
            axis.names,
            at,
            args_at,
            joined.phase,
            joined.start,
            joined.duration,
            joined.name,
            joined.key,
            joined.value,
            joined.flags,
            joined.args_end,
            joined.args,
        )
    return joined


def _columns(pieces: list[ChunkPiece]) -> tuple[list[_native.ChunkColumns], Ints, Ints]:
    starts = np.array([piece.start for piece in pieces], np.int64)
    return [piece.of.columns for piece in pieces], starts, np.array([piece.stop for piece in pieces], np.int64)


def _taken(pieces: list[ChunkPiece]) -> Iterator[ChunkPiece]:
    """The pieces from the last to the first. Each is forgotten when it has been used."""
    while pieces:
        yield pieces.pop()
