"""One gzip member, inflated piece by piece.

The gzip modes of libraries throw away what they have just inflated when the checksum behind it is wrong, and that of
isal refuses a head that has a checksum of its own. So heads and checksums are read here; isal gets what is between.
"""

from __future__ import annotations

import struct
from typing import cast

from isal import isal_zlib

_FIXED_HEAD_BYTES = 10
_MOST_HEAD_BYTES = 1 << 20
_HAS_CHECKSUM, _HAS_EXTRA, _HAS_NAME, _HAS_COMMENT, _RESERVED = 0x02, 0x04, 0x08, 0x10, 0xE0
_END = struct.Struct("<LL")  # checksum and size of what was compressed
_InflateError = cast(type[Exception], isal_zlib.error)  # its stub says that it is an instance


class GzipMember:
    """Feed it with `inflate` until `ended`; `rest` is what is to be fed again, or lies behind the member."""

    needs_input = True  # what it does not take is `rest`

    def __init__(self) -> None:
        self.ended = False
        self.problem: str | None = None  # what is wrong with it; it has ended then
        self.rest = b""
        self._head: bytes | None = b""  # as far as it is read; None when it is complete
        self._inflater = isal_zlib.decompressobj(-15)
        self._end = b""
        self._checksum = 0
        self._size = 0

    def inflate(self, data: bytes, most: int) -> bytes:
        """Up to `most` bytes of what the member holds. What is inflated before any damage is returned."""
        self.rest = b""
        if self._head is not None:
            data = self._read_head(self._head + data)
        piece = b""
        if self._head is None and self.problem is None and not self._inflater.eof:
            try:
                piece = self._inflater.decompress(data, most)
            except _InflateError as error:
                self._fail(str(error).strip())
                return b""
            self._checksum = isal_zlib.crc32(piece, self._checksum)
            self._size += len(piece)
            self.rest = self._inflater.unconsumed_tail
            data = self._inflater.unused_data
        if self._inflater.eof and not self.ended:
            self._read_end(data)
        return piece

    def _read_head(self, head: bytes) -> bytes:
        """Bytes behind the head; none as long as it is not complete."""
        size = _head_bytes(head)
        if size is None:
            self._head = head
            if len(head) > _MOST_HEAD_BYTES:
                self._fail(f"its head is longer than {_MOST_HEAD_BYTES:,} bytes")
            return b""
        self._head = None
        if head[3] & _RESERVED:
            self._fail("its head has flags that no standard knows")
        return head[size:]

    def _read_end(self, data: bytes) -> None:
        missing = _END.size - len(self._end)
        self._end += data[:missing]
        if len(self._end) < _END.size:
            return
        self.ended, self.rest = True, data[missing:]
        checksum, size = _END.unpack(self._end)
        if checksum != self._checksum:
            self._fail("its checksum is wrong")
        elif size != self._size & 0xFFFF_FFFF:
            self._fail("its size is not what it says")

    def _fail(self, problem: str) -> None:
        self.ended, self.problem = True, problem


def _head_bytes(head: bytes) -> int | None:
    """Length of a member's head; None if more of it is needed to tell."""
    if len(head) < _FIXED_HEAD_BYTES:
        return None
    flags, offset = head[3], _FIXED_HEAD_BYTES
    if flags & _HAS_EXTRA:
        if len(head) < offset + 2:
            return None
        offset += 2 + int.from_bytes(head[offset : offset + 2], "little")
    for text in (_HAS_NAME, _HAS_COMMENT):
        if flags & text:
            end = head.find(b"\0", offset)
            if end < 0:
                return None
            offset = end + 1
    offset += 2 if flags & _HAS_CHECKSUM else 0
    return offset if offset <= len(head) else None
