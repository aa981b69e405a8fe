"""Columns of integers of 64 bits as planes of bytes: above their least, or the difference to the one before.

All is counted modulo 2^64, so that any values fit.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native

Ints = NDArray[np.int64]

_HEAD: Final = struct.Struct("<BBq")  # whether they are differences, bytes of each; the first value, or else the least
_STEP: Final = struct.Struct("<q")  # the least difference
_LENGTH: Final = struct.Struct("<I")


def pack_integers(values: Ints | NDArray[np.uint8]) -> bytes:
    """The bytes of a column, whose length is to be known when it is read."""
    integers: Ints = values.astype(np.int64)
    if not len(integers):
        return _HEAD.pack(0, 0, 0)
    plain, base = _above_least(integers)
    size = _bytes_needed(plain)
    if size and len(integers) > 1:
        steps, least_step = _above_least(np.diff(integers))
        step_size = _bytes_needed(steps)
        if step_size < size:
            head = _HEAD.pack(1, step_size, int(integers[0])) + _STEP.pack(least_step)
            return head + _planes(steps, step_size)
    return _HEAD.pack(0, size, base) + _planes(plain, size)


class IntegerReader:
    """Reads such columns one behind the other. Raises ValueError where the bytes do not hold them."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def length(self) -> int:
        """A number of 32 bits."""
        return int.from_bytes(self._take(_LENGTH.size), "little")

    def integers(self, count: int) -> Ints:
        """The next column, shape (count,)."""
        are_steps, size, base = _HEAD.unpack(self._take(_HEAD.size))
        if are_steps > 1 or size > 8 or (are_steps and count < 2):
            raise ValueError("a column of integers of no size")
        if not are_steps:
            return self._planes(size, count, base, None)
        (least,) = _STEP.unpack(self._take(_STEP.size))
        return self._planes(size, count - 1, least, base)

    def small_integers(self, count: int, most: int) -> NDArray[np.uint8]:
        """The next column, of integers from 0 to `most`, at most 255. Raises ValueError where one is beyond."""
        start = self._position
        are_steps, size, base = _HEAD.unpack(self._take(_HEAD.size))
        if not are_steps and size <= 1 and 0 <= base <= most:  # as a rule
            if not size:
                return np.full(count, base, np.uint8)
            above = np.frombuffer(self._take(count), np.uint8)
            if int(above.max(initial=0)) <= most - base:
                return above + np.uint8(base)
        self._position = start
        integers = self.integers(count)
        if count and not 0 <= int(integers.min()) <= int(integers.max()) <= most:
            raise ValueError("a value out of range")
        return integers.astype(np.uint8)

    def texts(self, lengths: Ints) -> list[str]:
        """Texts of these lengths in bytes, up to the end of the data."""
        if len(lengths) and int(lengths.min()) < 0:
            raise ValueError("a text of no length")
        ends = np.cumsum(lengths)
        rest = self._data[self._position :]
        if (int(ends[-1]) if len(ends) else 0) != len(rest):
            raise ValueError(f"{len(rest):,} bytes of texts")
        starts = (ends - lengths).tolist()
        return [rest[start:end].decode() for start, end in zip(starts, ends.tolist(), strict=True)]

    def _planes(self, size: int, count: int, least: int, first: int | None) -> Ints:
        integers: Ints = _native.unpacked_integers(self._data, self._position, size, count, least, first)
        self._position += size * count
        return integers

    def _take(self, size: int) -> bytes:
        piece = self._data[self._position : self._position + size]
        if len(piece) < size:
            raise ValueError("it is cut short")
        self._position += size
        return piece


def _above_least(values: Ints) -> tuple[NDArray[np.uint64], int]:
    least = int(values.min())
    return values.view(np.uint64) - np.array(least, np.int64).view(np.uint64), least


def _bytes_needed(values: NDArray[np.uint64]) -> int:
    return -(-int(values.max()).bit_length() // 8)


def _planes(values: NDArray[np.uint64], size: int) -> bytes:
    return values.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :size].T.tobytes()
