"""`ProfileResponse`, read while it comes: the trace passes through, so that its size costs no memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tilescope.capture.failures import CaptureCause, Fault
from tilescope.profiler import profiler_pb2 as pb

MOST_KEPT_BYTES: Final = 64_000_000  # of all that is not the trace
MOST_TOOLS: Final = 100  # each becomes a file

_TOOL_DATA: Final = 6
_EMPTY_TRACE: Final = 7
_XSPACE: Final = 8

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT: Final = 10  # bytes
_DEEPEST_NUMBER: Final = (1 << 29) - 1  # of a field


@dataclass(slots=True)
class ProfileAnswer:
    """Answer of a server to `Profile` or `GetSnapshot`, but for the trace, which was passed on."""

    empty_trace: bool = False
    xspace_bytes: int = 0
    tool_data: dict[str, bytes] = field(default_factory=dict)  # by name


class AnswerReader:
    """Takes the bytes of one `ProfileResponse` as they come, and passes those of the trace to `take_xspace`.

    A trace that comes in several fields is passed on as one: protobuf defines that it means the same.
    """

    def __init__(self, take_xspace: Callable[[memoryview], None]) -> None:
        self.answer = ProfileAnswer()
        self._take_xspace = take_xspace
        self._head = bytearray()  # of a field whose tag and length are not complete
        self._number = 0  # of the field that is open
        self._left = 0  # bytes until it ends
        self._kept = bytearray()
        self._kept_bytes = 0  # of all fields

    def feed(self, data: bytes | memoryview) -> None:
        """Reads the next bytes. Raises `Fault`, and whatever `take_xspace` raises."""
        view = memoryview(data)
        position = 0
        while position < len(view):
            if self._left:
                end = min(position + self._left, len(view))
                self._take(view[position:end])
                self._left -= end - position
                position = end
                if not self._left:
                    self._close()
            else:
                self._head.append(view[position])
                position += 1
                self._open()

    def finish(self) -> ProfileAnswer:
        """The answer, when all bytes have come. Raises `Fault` if it ends within a field."""
        if self._left or self._head:
            raise _bad("it ends within a field")
        return self.answer

    def _open(self) -> None:
        """Looks whether the tag, and what tells the length, are complete."""
        tag = _varint(self._head, 0)
        if tag is None:
            return
        number, kind = tag.value >> 3, tag.value & 7
        if not 1 <= number <= _DEEPEST_NUMBER:
            raise _bad(f"there is no field {number}")
        if kind in (_FIXED64, _FIXED32):
            self._begin(0, 8 if kind == _FIXED64 else 4)
            return
        if kind not in (_VARINT, _BYTES):
            raise _bad(f"field {number} is of wire type {kind}")
        value = _varint(self._head, tag.end)
        if value is None:
            return
        if kind == _VARINT:
            if number == _EMPTY_TRACE:
                self.answer.empty_trace = value.value != 0
            self._head.clear()
        else:
            self._begin(number, value.value)

    def _begin(self, number: int, size_bytes: int) -> None:
        self._head.clear()
        self._number, self._left = number, size_bytes
        if number == _TOOL_DATA:
            self._kept_bytes += size_bytes
            if self._kept_bytes > MOST_KEPT_BYTES:
                what = f"data of tools of more than {MOST_KEPT_BYTES // 1_000_000} MB"
                raise Fault(CaptureCause.TOO_LARGE, what)
        if not size_bytes:
            self._close()

    def _take(self, part: memoryview) -> None:
        if self._number == _XSPACE:
            self.answer.xspace_bytes += len(part)
            self._take_xspace(part)
        elif self._number == _TOOL_DATA:
            self._kept += part

    def _close(self) -> None:
        if self._number == _TOOL_DATA:
            try:
                data = pb.ProfileToolData.FromString(bytes(self._kept))
            except Exception:  # protobuf's own DecodeError, whose class differs between its implementations
                raise _bad("data of a tool is damaged") from None
            self.answer.tool_data[data.name] = data.data
            if len(self.answer.tool_data) > MOST_TOOLS:
                raise Fault(CaptureCause.TOO_LARGE, f"data of more than {MOST_TOOLS} tools")
            self._kept = bytearray()
        self._number = 0


@dataclass(frozen=True, slots=True)
class _Varint:
    value: int
    end: int  # the place behind it


def _varint(data: bytearray, position: int) -> _Varint | None:
    """The number that begins there; None if it is not complete."""
    value = 0
    for k in range(position, len(data)):
        if k - position >= _LONGEST_VARINT:
            raise _bad("a number is too long")
        value |= (data[k] & 0x7F) << 7 * (k - position)
        if data[k] < 0x80:
            return _Varint(value, k + 1)
    return None


def _bad(why: str) -> Fault:
    return Fault(CaptureCause.BAD_ANSWER, why)
