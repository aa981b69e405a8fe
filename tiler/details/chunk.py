"""Chunks of event arguments: what is read when somebody clicks an event.

A chunk holds the arguments of neighbouring events: u32 how many, u8 the order of the bytes, u8 how many bytes a length
has, then the lengths, plane by plane (all lowest bytes first), then the arguments: one after the other, or by classes
of equal length and column by column within a class, or as texts of a few shapes. Of those, the lengths are how many
texts an event has, one behind the other, and `native/columns/text_chunk.hpp` says how they are written.

Stats of an XSpace are of few kinds: columns take 0.6 of the room, measured on synthetic TPU traces. Texts of a trace of
PyTorch take a fifth of the room as shapes, and less time, for there is so much less to compress.

Of operations of devices, how long they took is in their records (`pages/operations.py`), and what is left of their
arguments is in columns: between the lengths and these come, u32 both, the checksum of those durations, and how many
bytes follow that restore what was taken out (`native/xspace/operation_args.hpp`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from isal import isal_zlib
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress

# A chunk is inflated for one click, and its neighbours' arguments help to compress it: at 256 KiB that costs about a
# millisecond, and a typical value fills an LMDB page run without waste.
CHUNK_BYTES = 256 * 1024
CHUNK_EVENTS = 8192
_CHUNK_TEXT_BYTES = 512 * 1024  # packed texts and their shapes: about as much text
_MOST_TEXT_BYTES = 1 << 28  # of a chunk that is read: arguments of two events of 64 MiB and more

_HEAD = struct.Struct("<IBB")
_THIN_HEAD = struct.Struct("<II")
_TAKEN = struct.Struct("<BqBq")  # the stats that are in records
_CHECKSUM = struct.Struct("<I")
_ORDERS = _ROWS, _COLUMNS, _THIN, _SHAPES = 0, 1, 2, 3

# The durations of so many operations from this one on, in picoseconds of the device. May raise DamagedStore.
DurationsOf = Callable[[int, int], NDArray[np.int64]]


def split(
    args_end: NDArray[np.int64],
    args: NDArray[np.uint8],
    *,
    columns: bool = False,
    texts: _native.PackedTexts | None = None,
) -> Iterator[tuple[int, bytes]]:
    """The compressed chunks of a track's arguments, each with the ordinal of its first event.

    `args_end` has shape (n,): event k's arguments are args[args_end[k-1]:args_end[k]]. `texts` has packed them: each
    chunk then has the shapes that it needs.
    """
    if texts is not None:
        yield from _split_packed(args_end, args, texts)
        return
    first = 0
    start = 0
    while first < len(args_end):
        last = int(np.searchsorted(args_end, start + CHUNK_BYTES, side="right"))
        last = min(max(last, first + 1), first + CHUNK_EVENTS, len(args_end))
        ends = args_end[first:last]
        stop = int(ends[-1])
        if columns:
            yield first, compress(_native.column_chunk(ends, start, args))
        else:
            yield first, _compressed(_lengths(ends, start), _ROWS, args[start:stop].tobytes())
        first, start = last, stop


def operation_chunks(
    chunks: Iterable[tuple[int, int, int, NDArray[np.uint8]]], duration: NDArray[np.int64]
) -> Iterator[tuple[int, bytes]]:
    """The same of operations, which take so long on the device: `chunks` are those of `_native.Operations`."""
    for first, count, checksum_at, data in chunks:
        _CHECKSUM.pack_into(data.data, checksum_at, _checksum(duration[first : first + count]))
        yield first, compress(data)


def _lengths(ends: NDArray[np.int64], begin: int) -> NDArray[np.uint32]:
    """Lengths of strings one behind the other, the first of which begins there."""
    lengths = np.empty(len(ends), "<u4")
    lengths[0] = ends[0] - begin
    np.subtract(ends[1:], ends[:-1], out=lengths[1:], casting="unsafe")
    return lengths


def _lengths_of(data: bytes) -> tuple[NDArray[np.int64], int]:
    """The lengths at the beginning of a chunk, and where they end. Raises DamagedStore."""
    n, _, width = _HEAD.unpack_from(data)
    body = _HEAD.size + n * width
    if not 1 <= width <= 4 or body > len(data):
        raise DamagedStore("a chunk of arguments is damaged")
    planes = np.frombuffer(data, np.uint8, n * width, _HEAD.size).reshape(width, n).astype(np.int64)
    lengths: NDArray[np.int64] = (planes << (8 * np.arange(width))[:, None]).sum(axis=0)
    return lengths, body


def _checksum(duration: NDArray[np.int64]) -> int:
    return isal_zlib.crc32(np.ascontiguousarray(duration, "<i8"))


def _split_packed(
    args_end: NDArray[np.int64], args: NDArray[np.uint8], texts: _native.PackedTexts
) -> Iterator[tuple[int, bytes]]:
    chunks = _native.TextChunks(texts)
    first = 0
    while first < len(args_end):
        counts, body = chunks.next(args_end, args, first, _CHUNK_TEXT_BYTES, CHUNK_EVENTS)
        yield first, _compressed(counts.astype("<u4", copy=False), _SHAPES, body)
        first += len(counts)


def _compressed(lengths: NDArray[np.uint32], order: int, body: bytes) -> bytes:
    width = max(1, (int(lengths.max()).bit_length() + 7) // 8)
    planes = lengths.view(np.uint8).reshape(-1, 4)[:, :width].T.tobytes()
    return compress(_HEAD.pack(len(lengths), order, width) + planes + body)


class Chunk(Struct, frozen=True):
    """An inflated chunk: the arguments of event `first + k` are args[ends[k-1]:ends[k]]."""

    first: int  # ordinal of its first event
    ends: NDArray[np.int64]
    args: NDArray[np.uint8]

    @classmethod
    def parse(cls, data: bytes, first: int = 0, durations: DurationsOf | None = None) -> Chunk:
        """`durations`: of the track's operations, where it has any. Raises DamagedStore."""
        if len(data) < _HEAD.size:
            raise DamagedStore("a chunk of arguments is damaged")
        n, order, _ = _HEAD.unpack_from(data)
        if order not in _ORDERS:
            raise DamagedStore("a chunk of arguments is damaged")
        lengths, body = _lengths_of(data)
        if order == _SHAPES:
            return cls._of_shapes(lengths.astype(np.uint32), np.frombuffer(data, np.uint8, offset=body), first)
        ends = np.cumsum(lengths)
        if order == _THIN:
            return cls(first, *_whole(ends, data[body:], first, durations))
        if int(ends[-1] if n else 0) != len(data) - body:
            raise DamagedStore("a chunk of arguments is damaged")
        args = np.frombuffer(data, np.uint8, offset=body)
        return cls(first, ends, _native.restored_by_length(ends, args) if order == _COLUMNS else args)

    @classmethod
    def _of_shapes(cls, counts: NDArray[np.uint32], body: NDArray[np.uint8], first: int) -> Chunk:
        try:
            ends, texts = _native.texts_of_chunk(counts, body, _MOST_TEXT_BYTES)
        except ValueError as error:
            raise DamagedStore("a chunk of arguments is damaged") from error
        return cls(first, ends, np.frombuffer(texts, np.uint8))

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def stop(self) -> int:
        """The ordinal after that of its last event."""
        return self.first + len(self)

    def arguments(self, ordinal: int) -> bytes:
        """The arguments of this event. Raises DamagedStore when they are not here."""
        index = ordinal - self.first
        if not 0 <= index < len(self):
            raise DamagedStore("a chunk of arguments is damaged")
        begin = int(self.ends[index - 1]) if index else 0
        return self.args[begin : int(self.ends[index])].tobytes()


class RestOfChunk(Struct, frozen=True):
    """Arguments of a chunk without the stats that are in records of operations, and the ids of these."""

    chunk: Chunk
    taken: list[int]

    @classmethod
    def parse(cls, data: bytes, first: int) -> RestOfChunk:
        """Rest of an inflated chunk; of other events all arguments. Raises DamagedStore."""
        if len(data) < _HEAD.size or _HEAD.unpack_from(data)[1] != _THIN:
            return cls(Chunk.parse(data, first), [])
        lengths, body = _lengths_of(data)
        if len(data) < body + _THIN_HEAD.size + _TAKEN.size:
            raise DamagedStore("a chunk of arguments is damaged")
        _, size = _THIN_HEAD.unpack_from(data, body)
        tags_and_ids = _TAKEN.unpack_from(data, body + _THIN_HEAD.size)
        left = np.frombuffer(data, np.uint8, offset=body + _THIN_HEAD.size)[size:]
        ends = np.cumsum(lengths)
        taken = [stat for tag, stat in zip(tags_and_ids[::2], tags_and_ids[1::2], strict=True) if tag]
        return cls(Chunk(first, ends, _native.restored_by_length(ends, left)), taken)


class RowShapes(Struct, frozen=True):
    """The shape of each event of a chunk of texts."""

    first: int  # ordinal of its first event
    shapes: list[bytes]
    rows: NDArray[np.int32]  # places of shapes; -1 without arguments, -2 with several texts, or one without a shape

    @classmethod
    def parse(cls, data: bytes, first: int) -> RowShapes | None:
        """Shapes of an inflated chunk; None for one of another order. Raises DamagedStore."""
        if len(data) < _HEAD.size or (order := _HEAD.unpack_from(data)[1]) not in _ORDERS:
            raise DamagedStore("a chunk of arguments is damaged")
        if order != _SHAPES:
            return None
        lengths, body = _lengths_of(data)
        texts = np.frombuffer(data, np.uint8, offset=body)
        try:
            return cls(first, *_native.row_shapes_of_chunk(lengths.astype(np.uint32), texts))
        except ValueError as error:
            raise DamagedStore("a chunk of arguments is damaged") from error

    @property
    def stop(self) -> int:
        """The ordinal after that of its last event."""
        return self.first + len(self.rows)


def count_of(data: bytes) -> int:
    """Number of events whose arguments a chunk has, as far as it can be told without other records.

    Raises DamagedStore.
    """
    if len(data) >= _HEAD.size and _HEAD.unpack_from(data)[1] == _THIN:
        return int(_HEAD.unpack_from(data)[0])
    return len(Chunk.parse(data))


def _whole(
    left_end: NDArray[np.int64], body: bytes, first: int, durations: DurationsOf | None
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The arguments of operations. Raises DamagedStore."""
    if len(body) < _THIN_HEAD.size or durations is None:
        raise DamagedStore("a chunk of arguments is damaged")
    checksum, size = _THIN_HEAD.unpack_from(body)
    taken = np.frombuffer(body, np.uint8, offset=_THIN_HEAD.size)[:size]
    left = np.frombuffer(body, np.uint8, offset=_THIN_HEAD.size)[size:]
    duration = durations(first, len(left_end))
    if len(duration) != len(left_end) or _checksum(duration) != checksum:
        raise DamagedStore("a chunk of arguments is of other operations")
    try:
        return _native.whole_args(left_end, _native.restored_by_length(left_end, left), taken, duration)
    except ValueError as error:
        raise DamagedStore(f"a chunk of arguments is damaged: {error}") from error
