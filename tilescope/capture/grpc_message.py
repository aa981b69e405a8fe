"""The one message of a unary answer: a prefix of five bytes, then as many as it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilescope.capture.failures import CaptureCause, Fault

if TYPE_CHECKING:
    from tilescope.capture.grpc_call import Taker

_PREFIX_BYTES: Final = 5  # whether it is compressed, and its length


class MessageReader:
    """Hands on the bytes of the message, and holds the server to the length that it told."""

    def __init__(self, taker: Taker) -> None:
        self._taker = taker
        self._prefix = bytearray()
        self._size_bytes = 0
        self.received_bytes = 0  # with the prefix

    def feed(self, data: memoryview) -> None:
        """Takes the next bytes. Raises `Fault`, and what the taker raises."""
        self.received_bytes += len(data)
        missing = _PREFIX_BYTES - len(self._prefix)
        if missing:
            self._prefix += data[:missing]
            data = data[missing:]
            if len(self._prefix) < _PREFIX_BYTES:
                return
            if self._prefix[0]:
                raise Fault(CaptureCause.BAD_ANSWER, "it is compressed, which was not asked for")
            self._size_bytes = int.from_bytes(self._prefix[1:], "big")
            self._taker.begin(self._size_bytes)
        if self.received_bytes > _PREFIX_BYTES + self._size_bytes:
            raise Fault(CaptureCause.BAD_ANSWER, f"it goes on after the {self._size_bytes:,} bytes that it was to have")
        if data:
            self._taker.feed(data)

    def finish(self) -> None:
        """The server says that this was all. Raises `Fault` if it was not."""
        if len(self._prefix) < _PREFIX_BYTES:
            raise Fault(CaptureCause.BAD_ANSWER, "it ends without a message")
        if self.received_bytes != _PREFIX_BYTES + self._size_bytes:
            raise Fault(CaptureCause.BAD_ANSWER, f"it ends after {self.how_far()}")

    def how_far(self) -> str:
        """Amount that has come: "4 of 1,000 bytes"."""
        return f"{max(self.received_bytes - _PREFIX_BYTES, 0):,} of {self._size_bytes:,} bytes"
