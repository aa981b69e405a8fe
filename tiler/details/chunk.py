"""Chunks of event arguments: what is read when somebody clicks an event.

A chunk holds the arguments of neighbouring events: u32 how many, u8 the order of the bytes, u8 how many bytes a length
has, then the lengths, plane by plane (all lowest bytes first), then the arguments: one after the other, or by classes
of equal length and column by column within a class. Stats of an XSpace are of few kinds: columns take 0.6 of the room,
measured on synthetic TPU traces. Text does better as it stands.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress

# A chunk is inflated for one click, and its neighbours' arguments help to compress it: at 256 KiB that costs about a
# millisecond, and a typical value fills an LMDB page run without waste.
_CHUNK_BYTES = 256 * 1024
_CHUNK_EVENTS = 8192

_HEAD = struct.Struct("<IBB")
_ROWS, _COLUMNS = 0, 1


def split(
    args_end: NDArray[np.int64], args: NDArray[np.uint8], *, columns: bool = False
) -> Iterator[tuple[int, bytes]]:
    """The compressed chunks of a track's arguments, each with the ordinal of its first event.

    `args_end` has shape (n,): event k's arguments are args[args_end[k-1]:args_end[k]].
    """
    first = 0
    start = 0
    while first < len(args_end):
        last = int(np.searchsorted(args_end, start + _CHUNK_BYTES, side="right"))
        last = min(max(last, first + 1), first + _CHUNK_EVENTS, len(args_end))
        ends = args_end[first:last]
        stop = int(ends[-1])
        lengths = np.diff(ends, prepend=start).astype("<u4")
        width = max(1, (int(lengths.max()).bit_length() + 7) // 8)
        planes = lengths.view(np.uint8).reshape(-1, 4)[:, :width].T.tobytes()
        body = _native.transpose_by_length(ends, start, args) if columns else args[start:stop].tobytes()
        yield first, compress(_HEAD.pack(last - first, _COLUMNS if columns else _ROWS, width) + planes + body)
        first, start = last, stop


@dataclass(frozen=True, slots=True)
class Chunk:
    """An inflated chunk."""

    lengths: NDArray[np.int64]  # (n,) of the arguments of each event
    in_columns: bool
    body: NDArray[np.uint8]

    @classmethod
    def parse(cls, data: bytes) -> Chunk:
        """Raises DamagedStore."""
        if len(data) < _HEAD.size:
            raise DamagedStore("a chunk of arguments is damaged")
        n, order, width = _HEAD.unpack_from(data)
        body = _HEAD.size + n * width
        if order not in (_ROWS, _COLUMNS) or not 1 <= width <= 4 or body > len(data):
            raise DamagedStore("a chunk of arguments is damaged")
        planes = np.frombuffer(data, np.uint8, n * width, _HEAD.size).reshape(width, n).astype(np.int64)
        lengths = (planes << (8 * np.arange(width))[:, None]).sum(axis=0)
        if int(lengths.sum()) != len(data) - body:
            raise DamagedStore("a chunk of arguments is damaged")
        return cls(lengths, order == _COLUMNS, np.frombuffer(data, np.uint8, offset=body))

    def __len__(self) -> int:
        return len(self.lengths)

    def args(self, position: int) -> bytes:
        """The arguments of the event at this position. Raises DamagedStore."""
        if not 0 <= position < len(self):
            raise DamagedStore("a chunk of arguments is damaged")
        length = int(self.lengths[position])
        if not self.in_columns:
            start = int(self.lengths[:position].sum())
            return self.body[start : start + length].tobytes()
        alike = self.lengths == length
        first = int(self.lengths[self.lengths < length].sum())
        place, count = int(np.count_nonzero(alike[:position])), int(np.count_nonzero(alike))
        return self.body[first + place : first + count * length : count].tobytes() if length else b""

    def every(self) -> list[bytes]:
        """The arguments of all events, in their order."""
        if not self.in_columns:
            ends = np.cumsum(self.lengths)
            body = self.body.tobytes()
            return [body[start:end] for start, end in zip((ends - self.lengths).tolist(), ends.tolist(), strict=True)]
        args = [b""] * len(self)
        order = np.argsort(self.lengths, kind="stable").tolist()
        first = done = 0
        for length, count in zip(*(a.tolist() for a in np.unique(self.lengths, return_counts=True)), strict=True):
            rows = self.body[first : first + count * length].reshape(length, count).T.tobytes()
            for k in range(count):
                args[order[done + k]] = rows[k * length : (k + 1) * length]
            first += count * length
            done += count
        return args

    def take(self, positions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """The arguments of the events at these positions: where those of each end, and all of them in one piece."""
        if len(positions) and not (positions.min() >= 0 and positions.max() < len(self)):
            raise DamagedStore("a chunk of arguments is damaged")
        lengths = self.lengths[positions]
        ends = np.cumsum(lengths)
        begins = ends - lengths
        out = np.empty(int(lengths.sum()), np.uint8)
        if not self.in_columns:
            starts = np.cumsum(self.lengths) - self.lengths
            return ends, self.body[np.repeat(starts[positions] - begins, lengths) + np.arange(len(out))]
        for length in np.unique(lengths[lengths > 0]).tolist():
            alike = self.lengths == length
            count = int(np.count_nonzero(alike))
            first = int(self.lengths[self.lengths < length].sum())
            which = np.flatnonzero(lengths == length)
            place = (np.cumsum(alike) - 1)[positions[which]]
            of_class = self.body[first : first + count * length].reshape(length, count)
            out[begins[which][:, None] + np.arange(length)] = of_class[:, place].T
        return ends, out


def event_args(chunk: bytes, position: int) -> bytes:
    """The arguments of the event at this position of a compressed chunk. Raises DamagedStore."""
    return Chunk.parse(decompress(chunk)).args(position)
