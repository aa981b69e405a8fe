"""Chunks of event arguments: what is read when somebody clicks an event."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress

# A chunk is inflated for one click, and its neighbours' arguments help to compress it: at 256 KiB that costs about a
# millisecond, and a typical value fills an LMDB page run without waste.
_CHUNK_BYTES = 256 * 1024
_CHUNK_EVENTS = 8192

_COUNT = struct.Struct("<I")


def split(args_end: NDArray[np.int64], args: NDArray[np.uint8]) -> Iterator[tuple[int, bytes]]:
    """The compressed chunks of a track's arguments, each with the ordinal of its first event.

    `args_end` has shape (n,): event k's arguments are args[args_end[k-1]:args_end[k]].
    """
    first = 0
    start = 0
    while first < len(args_end):
        last = int(np.searchsorted(args_end, start + _CHUNK_BYTES, side="right"))
        last = min(max(last, first + 1), first + _CHUNK_EVENTS, len(args_end))
        ends = (args_end[first:last] - start).astype("<u8")
        stop = int(args_end[last - 1])
        yield first, compress(_COUNT.pack(last - first) + ends.tobytes() + args[start:stop].tobytes())
        first, start = last, stop


def event_args(chunk: bytes, position: int) -> bytes:
    """The arguments of the event at this position of a compressed chunk. Raises DamagedStore."""
    data = decompress(chunk)
    n = _COUNT.unpack_from(data)[0] if len(data) >= _COUNT.size else -1
    blob = _COUNT.size + 8 * n
    if not 0 <= position < n or blob > len(data):
        raise DamagedStore("a chunk of arguments is damaged")
    ends = np.frombuffer(data, "<u8", n, _COUNT.size)
    start = int(ends[position - 1]) if position else 0
    stop = int(ends[position])
    if not start <= stop <= len(data) - blob:
        raise DamagedStore("a chunk of arguments is damaged")
    return data[blob + start : blob + stop]
