"""Some events of one track, with the columns of `EventChunk`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.indexing.reading.arguments import gather_args
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]
_T = TypeVar("_T", bound=np.generic)


class Piece(Protocol):
    """Columns as in `EventChunk`, of one track."""

    @property
    def phase(self) -> NDArray[np.uint8]: ...
    @property
    def time_ns(self) -> Ints: ...
    @property
    def time_ps(self) -> NDArray[np.int16] | None: ...
    @property
    def duration_ns(self) -> Ints: ...
    @property
    def duration_ps(self) -> NDArray[np.int16] | None: ...
    @property
    def name(self) -> NDArray[np.int32]: ...
    @property
    def key(self) -> Ints | None: ...
    @property
    def value(self) -> NDArray[np.float64] | None: ...
    @property
    def flags(self) -> NDArray[np.uint8]: ...
    @property
    def args_end(self) -> Ints: ...
    @property
    def args(self) -> NDArray[np.uint8]: ...


@dataclass(slots=True)
class TrackEvents:
    """All events of one track of one file, in file order, or some of them. Columns as in `EventChunk`."""

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


def select(piece: Piece, rows: Ints, scratch: Scratch) -> TrackEvents:
    """Some rows of a piece, in this order."""

    def optional(column: NDArray[_T] | None) -> NDArray[_T] | None:
        return None if column is None else scratch.pick(column, rows)

    args_end, args = gather_args(scratch, piece.args_end, piece.args, rows)
    return TrackEvents(
        scratch.pick(piece.phase, rows),
        scratch.pick(piece.time_ns, rows),
        optional(piece.time_ps),
        scratch.pick(piece.duration_ns, rows),
        optional(piece.duration_ps),
        scratch.pick(piece.name, rows),
        optional(piece.key),
        optional(piece.value),
        scratch.pick(piece.flags, rows),
        args_end,
        args,
    )
