"""Events of one track on the run's time axis, gathered from pieces in file order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import numpy as np
from msgspec import Struct
from numpy.typing import DTypeLike, NDArray

from tilescope.tiler.columns import EventChunk, Phase, SliceColumns, SliceFlowEnds
from tilescope.tiler.indexing.reading.excluded_events import ExcludedEvents, split
from tilescope.tiler.indexing.reading.timeline import Timeline
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]


class TimedEvents(Struct, frozen=True):
    """A track's events in file order, columns of shape (n,): times in ticks, names by their ids in the run."""

    phase: NDArray[np.uint8]
    start: Ints
    duration: Ints
    name: NDArray[np.int32]
    key: Ints | None
    value: NDArray[np.float64] | None
    flags: NDArray[np.uint8]
    args_end: Ints
    args: NDArray[np.uint8]
    flow_ends: SliceFlowEnds | None = None  # of slices, which have no rows then
    has_correlation_keys: bool = False  # of all slices, as far as they have a correlation
    excluded: ExcludedEvents | None = None  # what is not among them: it does not lie within the run's window

    def __len__(self) -> int:
        return len(self.phase)

    @classmethod
    def of_slices(cls, slices: SliceColumns) -> TimedEvents:
        """Slices, and flow ends beside them."""
        phase = np.broadcast_to(np.uint8(Phase.COMPLETE), len(slices.start))
        start, duration, name, flags = slices.start, slices.duration, slices.name, slices.flags
        columns = start, duration, name, slices.key, None, flags, slices.args_end, slices.args
        return cls(phase, *columns, flow_ends=slices.flow_ends, has_correlation_keys=slices.key is not None)


class FileAxis(Struct, frozen=True):
    """Conversion of a file's times and names into those of the run."""

    timeline: Timeline
    base_ns: int  # to be added to the file's times
    names: NDArray[np.int32]  # of the file's name ids


def timed_events(pieces: Iterable[EventChunk], rows: int, axis: FileAxis, scratch: Scratch) -> TimedEvents:
    """The events of all pieces, of which there are `rows`. A piece may be forgotten when the next is asked for."""

    def column(dtype: DTypeLike) -> NDArray[np.generic]:
        return scratch.empty(rows, dtype)

    phase = cast("NDArray[np.uint8]", column(np.uint8))
    start, duration = cast(Ints, column(np.int64)), cast(Ints, column(np.int64))
    name = cast("NDArray[np.int32]", column(np.int32))
    flags = cast("NDArray[np.uint8]", column(np.uint8))
    args_end = cast(Ints, column(np.int64))
    key: Ints | None = None
    value: NDArray[np.float64] | None = None
    args: list[NDArray[np.uint8]] = []
    filled = args_size = read = 0
    excluded = ExcludedEvents()
    for piece in pieces:
        read += len(piece.phase)
        if axis.timeline.window is not None:
            piece, outside = split(piece, axis.timeline.window, axis.base_ns)
            excluded += outside
        part = slice(filled, filled + len(piece.phase))
        phase[part] = piece.phase
        axis.timeline.ticks(piece.time_ns, piece.time_ps, axis.base_ns, start[part])
        axis.timeline.durations(piece.time_ps, piece.duration_ns, piece.duration_ps, duration[part])
        np.take(axis.names, piece.name, out=name[part], mode="wrap")  # -1, no name, stands last
        flags[part] = piece.flags
        np.add(piece.args_end, args_size, out=args_end[part])
        args.append(piece.args)
        args_size += len(piece.args)
        if piece.key is not None:
            if key is None:
                key = cast(Ints, column(np.int64))
                key[:filled] = -1
            key[part] = piece.key
        elif key is not None:
            key[part] = -1
        if piece.value is not None:
            if value is None:
                value = cast("NDArray[np.float64]", column(np.float64))
                value[:filled] = np.nan
            value[part] = piece.value
        elif value is not None:
            value[part] = np.nan
        filled = part.stop
    if read != rows:
        raise ValueError(f"{read} rows were read where {rows} had been counted")
    joined = _joined(args, args_size, scratch)
    if filled == rows:
        return TimedEvents(phase, start, duration, name, key, value, flags, args_end, joined)
    phase, start, duration, name, flags = (
        phase[:filled],
        start[:filled],
        duration[:filled],
        name[:filled],
        flags[:filled],
    )
    key, value = None if key is None else key[:filled], None if value is None else value[:filled]
    return TimedEvents(phase, start, duration, name, key, value, flags, args_end[:filled], joined, excluded=excluded)


def _joined(parts: list[NDArray[np.uint8]], size: int, scratch: Scratch) -> NDArray[np.uint8]:
    """All parts in one; they are dropped on the way."""
    if len(parts) == 1:
        return parts[0]
    out = cast("NDArray[np.uint8]", scratch.empty(size, np.uint8))
    offset = 0
    for number, part in enumerate(parts):
        out[offset : offset + len(part)] = part
        offset += len(part)
        parts[number] = out[:0]
    return out
