"""Pieces: chunks whose events are all of one track, or some of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import EventChunk
from tilescope.tiler.indexing.reading.arguments import gather_args
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]
_T = TypeVar("_T", bound=np.generic)


def one_track(track: int, n: int) -> NDArray[np.int32]:
    """The column `track` of n events of one track, which takes no memory."""
    return np.broadcast_to(np.int32(track), n)


def native_columns(chunk: EventChunk) -> _native.ChunkColumns:
    """Its columns for native code: all but `track`."""
    return _native.ChunkColumns(
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


def part_of(chunk: EventChunk, start: int, stop: int, track: int) -> EventChunk:
    """Events [start, stop), as views. They are of this track."""

    def optional(column: NDArray[_T] | None) -> NDArray[_T] | None:
        return None if column is None else column[start:stop]

    if start == 0 and stop == len(chunk):
        return replace(chunk, track=one_track(track, stop))
    args_first = int(chunk.args_end[start - 1]) if start else 0
    args_end = chunk.args_end[start:stop]
    return EventChunk(
        one_track(track, stop - start),
        chunk.phase[start:stop],
        chunk.time_ns[start:stop],
        optional(chunk.time_ps),
        chunk.duration_ns[start:stop],
        optional(chunk.duration_ps),
        chunk.name[start:stop],
        optional(chunk.key),
        optional(chunk.value),
        chunk.flags[start:stop],
        args_end - args_first if args_first else args_end,
        chunk.args[args_first : int(args_end[-1])],
    )


def select(piece: EventChunk, rows: Ints, scratch: Scratch) -> EventChunk:
    """Some rows of a piece, in this order."""
    track = one_track(int(piece.track[0]) if len(piece) else 0, len(rows))
    return in_order(piece, track, rows, gather_args(scratch, piece.args_end, piece.args, rows), scratch)


def in_order(
    chunk: EventChunk,
    track: NDArray[np.int32],
    order: Ints,
    args: tuple[Ints, NDArray[np.uint8]],
    scratch: Scratch,
) -> EventChunk:
    """The rows that `order` names; their tracks and arguments are in that order already."""

    def optional(column: NDArray[_T] | None) -> NDArray[_T] | None:
        return None if column is None else scratch.pick(column, order)

    return EventChunk(
        track,
        scratch.pick(chunk.phase, order),
        scratch.pick(chunk.time_ns, order),
        optional(chunk.time_ps),
        scratch.pick(chunk.duration_ns, order),
        optional(chunk.duration_ps),
        scratch.pick(chunk.name, order),
        optional(chunk.key),
        optional(chunk.value),
        scratch.pick(chunk.flags, order),
        *args,
    )


def kept(chunk: EventChunk, scratch: Scratch) -> EventChunk:
    """The chunk, in scratch files where there is no room for it in memory: all but `track`."""

    def optional(column: NDArray[_T] | None) -> NDArray[_T] | None:
        return None if column is None else scratch.keep(column)

    return EventChunk(
        chunk.track,
        scratch.keep(chunk.phase),
        scratch.keep(chunk.time_ns),
        optional(chunk.time_ps),
        scratch.keep(chunk.duration_ns),
        optional(chunk.duration_ps),
        scratch.keep(chunk.name),
        optional(chunk.key),
        optional(chunk.value),
        scratch.keep(chunk.flags),
        scratch.keep(chunk.args_end),
        scratch.keep(chunk.args),
    )
