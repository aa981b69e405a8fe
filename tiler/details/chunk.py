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
from tilescope.tiler.pages import compress

# A chunk is inflated for one click, and its neighbours' arguments help to compress it: at 256 KiB that costs about a
# millisecond, and a typical value fills an LMDB page run without waste.
_CHUNK_BYTES = 256 * 1024
_CHUNK_EVENTS = 8192

_HEAD = struct.Struct("<IBB")
_ROWS, _COLUMNS = 0, 1


def split(
    args_end: NDArray[np.int64],
    args: NDArray[np.uint8],
    *,
    columns: bool = False,
    texts: _native.PackedTexts | None = None,
) -> Iterator[tuple[int, bytes]]:
    """The compressed chunks of a track's arguments, each with the ordinal of its first event.

    `args_end` has shape (n,): event k's arguments are args[args_end[k-1]:args_end[k]]. `texts` has packed them, and
    they are unpacked here, a chunk at a time.
    """
    if texts is not None:
        yield from _split_packed(args_end, args, texts)
        return
    first = 0
    start = 0
    while first < len(args_end):
        last = int(np.searchsorted(args_end, start + _CHUNK_BYTES, side="right"))
        last = min(max(last, first + 1), first + _CHUNK_EVENTS, len(args_end))
        ends = args_end[first:last]
        stop = int(ends[-1])
        lengths = np.diff(ends, prepend=start).astype("<u4")
        body = _native.transpose_by_length(ends, start, args) if columns else args[start:stop].tobytes()
        yield first, _compressed(lengths, _COLUMNS if columns else _ROWS, body)
        first, start = last, stop


def _split_packed(
    args_end: NDArray[np.int64], args: NDArray[np.uint8], texts: _native.PackedTexts
) -> Iterator[tuple[int, bytes]]:
    first = 0
    while first < len(args_end):
        lengths, body = texts.unpack(args_end, args, first, _CHUNK_BYTES, _CHUNK_EVENTS)
        yield first, _compressed(lengths.astype("<u4", copy=False), _ROWS, body)
        first += len(lengths)


def _compressed(lengths: NDArray[np.uint32], order: int, body: bytes) -> bytes:
    width = max(1, (int(lengths.max()).bit_length() + 7) // 8)
    planes = lengths.view(np.uint8).reshape(-1, 4)[:, :width].T.tobytes()
    return compress(_HEAD.pack(len(lengths), order, width) + planes + body)


@dataclass(frozen=True, slots=True)
class Chunk:
    """An inflated chunk: the arguments of event `first + k` are args[ends[k-1]:ends[k]]."""

    first: int  # ordinal of its first event
    ends: NDArray[np.int64]
    args: NDArray[np.uint8]

    @classmethod
    def parse(cls, data: bytes, first: int = 0) -> Chunk:
        """Raises DamagedStore."""
        if len(data) < _HEAD.size:
            raise DamagedStore("a chunk of arguments is damaged")
        n, order, width = _HEAD.unpack_from(data)
        body = _HEAD.size + n * width
        if order not in (_ROWS, _COLUMNS) or not 1 <= width <= 4 or body > len(data):
            raise DamagedStore("a chunk of arguments is damaged")
        planes = np.frombuffer(data, np.uint8, n * width, _HEAD.size).reshape(width, n).astype(np.int64)
        ends = np.cumsum((planes << (8 * np.arange(width))[:, None]).sum(axis=0))
        if int(ends[-1] if n else 0) != len(data) - body:
            raise DamagedStore("a chunk of arguments is damaged")
        args = np.frombuffer(data, np.uint8, offset=body)
        return cls(first, ends, _native.restored_by_length(ends, args) if order == _COLUMNS else args)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def stop(self) -> int:
        """The ordinal after that of its last event."""
        return self.first + len(self)

    def of(self, ordinal: int) -> bytes:
        """The arguments of this event. Raises DamagedStore when they are not here."""
        at = ordinal - self.first
        if not 0 <= at < len(self):
            raise DamagedStore("a chunk of arguments is damaged")
        begin = int(self.ends[at - 1]) if at else 0
        return self.args[begin : int(self.ends[at])].tobytes()
