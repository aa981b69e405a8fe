"""Check that frames of a WebSocket client are masked, as RFC 6455 demands (5.1): aiohttp does not look."""

from __future__ import annotations

from typing import Any, Final

_MASK: Final = 0x80
_LENGTH_BYTES: Final = {126: 2, 127: 8}  # that follow, by the length in the second byte
_NO_FRAME: Final = b"\xf0\x80"  # with reserved bits: what a reader of frames answers with 1002, protocol error


class MaskedFrames:
    """Stands before a reader of frames. In place of a frame without a mask, the reader sees one that it refuses."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._part_of_head = b""
        self._payload_left = 0

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        """As the reader's: whether this is the end, and what is behind it."""
        checked = self._checked(self._part_of_head + data)
        result: tuple[bool, bytes] = self._reader.feed_data(checked) if checked else (False, b"")
        return result

    def feed_eof(self) -> None:
        """The connection has ended."""
        self._reader.feed_eof()

    def _checked(self, data: bytes) -> bytes:
        """Bytes that may go to the reader; an incomplete head is kept for the next call."""
        self._part_of_head = b""
        position = 0
        while True:
            step = min(self._payload_left, len(data) - position)
            self._payload_left -= step
            position += step
            if position == len(data):
                return data
            if len(data) - position >= 2:
                length = data[position + 1] & ~_MASK
                if length == data[position + 1]:
                    return data[:position] + _NO_FRAME
                payload_at = position + 2 + _LENGTH_BYTES.get(length, 0) + 4
                if payload_at <= len(data):
                    more = data[position + 2 : payload_at - 4]
                    self._payload_left = int.from_bytes(more) if more else length
                    position = payload_at
                    continue
            self._part_of_head = data[position:]
            return data[:position]
