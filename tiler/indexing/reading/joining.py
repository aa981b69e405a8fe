"""Pieces of chunks that are of one track, and their events joined on the run's time axis.

A file of ten million events on 150 tracks has a hundred thousand pieces: none of them is looked at in Python.
`piece_table.py` knows which there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np
from msgspec import Struct
from numpy.typing import DTypeLike, NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import EventChunk
from tilescope.tiler.indexing.reading.piece import native_columns, part_of
from tilescope.tiler.indexing.reading.timed import FileAxis, TimedEvents, timed_events
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]

# Joined at a time: their chunks stay as long.
_PIECES_AT_ONCE = 64


class ChunkInPieces(Struct, frozen=True):
    """A chunk whose events are sorted by track."""

    chunk: EventChunk
    columns: _native.ChunkColumns

    @classmethod
    def from_chunk(cls, chunk: EventChunk) -> ChunkInPieces:
        """The chunk, and its columns for native code."""
        return cls(chunk, native_columns(chunk))


class ChunkPiece(NamedTuple):
    """Rows [start, stop) of a chunk."""

    source: ChunkInPieces
    start: int
    stop: int

    def events(self, track: int) -> EventChunk:
        """The rows, which are of this track."""
        return part_of(self.source.chunk, self.start, self.stop, track)


class TrackPieces(Struct, frozen=True):
    """The pieces of one track: rows [start, stop) of the chunks with these numbers."""

    chunks: Sequence[ChunkInPieces | None]  # of all tracks
    numbers: list[int]
    start: Ints
    stop: Ints
    used: Callable[[list[int]], None]  # told of chunks of which a piece is not needed any more

    @property
    def rows(self) -> int:
        """Number of rows of all pieces together."""
        return int((self.stop - self.start).sum())

    def columns(self, batch: slice) -> tuple[list[_native.ChunkColumns], Ints, Ints]:
        """Columns and bounds of a batch of pieces, for native code."""
        chunks = [chunk.columns for chunk in map(self.chunks.__getitem__, self.numbers[batch]) if chunk is not None]
        return chunks, self.start[batch], self.stop[batch]

    def events(self, track: int) -> Iterator[EventChunk]:
        """Events of all pieces. Each is forgotten when the next is asked for."""
        for number, start, stop in zip(self.numbers, self.start.tolist(), self.stop.tolist(), strict=True):
            chunk = self.chunks[number]
            assert chunk is not None
            yield part_of(chunk.chunk, start, stop, track)
            self.used([number])


def join_pieces(pieces: TrackPieces, track: int, axis: FileAxis, scratch: Scratch) -> TimedEvents:
    """The events of all pieces, one behind the other. They are used up."""
    if axis.timeline.window is not None:
        return timed_events(pieces.events(track), pieces.rows, axis, scratch)
    rows, args_bytes, keys, values = _native.piece_sizes(*pieces.columns(slice(None)))

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
    end = args_at = 0
    for first in range(0, len(pieces.numbers), _PIECES_AT_ONCE):
        batch = slice(first, first + _PIECES_AT_ONCE)
        end, args_at = _native.join_pieces(
            *pieces.columns(batch),
            from_ns,
            timeline.tick_ps == 1,
            timeline.rounds,
            axis.names,
            end,
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
        pieces.used(pieces.numbers[batch])
    return joined
