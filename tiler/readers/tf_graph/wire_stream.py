"""Fields of protobuf as they come out of a file: of constants, which nobody asks for, none is in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilescope.tiler.details.wire import WireDamage, varint
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.tf_graph.damage import GraphTooLarge

MAX_BYTES: Final = 512 << 20  # more than a message of protobuf may hold there is none; weights may be in it
MAX_FIELDS: Final = 10_000_000  # each takes a microsecond, and may have two bytes

_PIECE_BYTES: Final = 1 << 20
_VARINT_BYTES: Final = 10
_FIXED: Final = {1: 8, 5: 4}  # bytes of a value, by its wire type


class CutShort(Exception):
    """The file ends within a field."""


class WireStream:
    """`place`: bytes of the file before what is read next."""

    def __init__(self, source: ByteSource) -> None:
        self.place = 0
        self._source = source
        self._pending = b""
        self._position = 0
        self._fields = 0

    @property
    def is_over(self) -> bool:
        """True if the file ends here."""
        return not self._has(1)

    def fields(self, end: int | None = None) -> Iterator[tuple[int, int]]:
        """Number and length of each field up to a place that has a length: the payload follows, and may be read.

        Raises CutShort, WireDamage, GraphTooLarge.
        """
        while not (self.is_over if end is None else self.place >= end):
            self._fields += 1
            if self._fields > MAX_FIELDS:
                raise GraphTooLarge(f"has more than {MAX_FIELDS:,} fields")
            tag = self._varint()
            if tag & 7 == 2:
                length = self._varint()
                stop = self.place + length
                _must_end(stop, end)
                yield tag >> 3, length
                _must_end(self.place, stop)
                self._skip(stop - self.place)
            elif tag & 7 == 0:
                self._varint()
            elif tag & 7 in _FIXED:
                self._skip(_FIXED[tag & 7])
            else:
                raise WireDamage("a field of no wire type")
        _must_end(self.place, end)

    def payload(self, length: int) -> bytes:
        """The next bytes. Raises CutShort."""
        if self._has(length):
            data = self._pending[self._position : self._position + length]
            self._position += length
        else:
            data = self._pending[self._position :]
            self._pending, self._position = b"", 0
            data += self._source.read(length - len(data))
        self._move(len(data))
        if len(data) < length:
            raise CutShort
        return data

    def _skip(self, length: int) -> None:
        while length > 0:
            length -= len(self.payload(min(length, _PIECE_BYTES)))

    def _varint(self) -> int:
        self._has(_VARINT_BYTES)
        try:
            value, end = varint(self._pending, self._position)
        except WireDamage:
            if len(self._pending) - self._position < _VARINT_BYTES:
                raise CutShort from None
            raise
        self._move(end - self._position)
        self._position = end
        return value

    def _move(self, length: int) -> None:
        self.place += length
        if self.place > MAX_BYTES:
            raise GraphTooLarge(f"is a model graph of more than {MAX_BYTES:,} bytes")

    def _has(self, length: int) -> bool:
        """True if so many bytes, of at most a piece, are pending, once more were read."""
        if len(self._pending) - self._position < length <= _PIECE_BYTES:
            self._pending = self._pending[self._position :] + self._source.read(_PIECE_BYTES)
            self._position = 0
        return len(self._pending) - self._position >= length


def _must_end(place: int, end: int | None) -> None:
    if end is not None and place > end:
        raise WireDamage("a field is longer than what it lies in")
