"""The members of the object that holds trace events, byte for byte as they stand in the file.

Values may be larger than memory: they are compressed as they come, into a spill that leaves memory when it grows.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final

from msgspec import Struct, field

from tilescope.tiler import _native
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.readers.attached import MAX_ATTACHED_BYTES, Attached

JSON: Final = "application/json"
MEMBER_PREFIX: Final = "json/"  # of the names under which members are kept

_PIECE_BYTES: Final = 256 << 10
_IN_MEMORY_BYTES: Final = 1 << 20
_KEPT_NAMES: Final = 256


class _Value(Struct):
    name: str
    object: int
    size_bytes: int = 0
    pieces: list[tuple[int, int]] = field(default_factory=list)  # offset and length in the spill
    pending: bytearray = field(default_factory=bytearray)
    is_whole: bool = False
    is_too_large: bool = False


class JsonFields:
    """Takes what the stream has read, after each block. `folder` is where the spill lies.

    It goes with the last attachment that refers to it: the reader may be closed before.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._spill: IO[bytes] | None = None
        self._values: list[_Value] = []
        self._open: _Value | None = None
        self._spilled_bytes = 0
        self.names: set[str] = set()  # of the first members, of whatever object

    def take(self, stream: _native.TraceEventStream) -> None:
        """Takes the members that have come since the last time."""
        for name, number, is_last, piece in stream.member_pieces():
            if name is not None:
                self._open = _Value(name, number)
                if len(self.names) < _KEPT_NAMES:
                    self.names.add(name)
                self._values.append(self._open)
            if self._open is not None:
                self._add(self._open, piece, is_last)
        dropped = set(stream.dropped_objects())
        if dropped:
            self._values = [value for value in self._values if value.object not in dropped]
            self._open = None if self._open is None or self._open.object in dropped else self._open

    def text_of(self, name: str, most_bytes: int) -> str | None:
        """The value of the first member of that name, as it stands in the file; None before it has come."""
        for value in self._values:
            if value.name == name and value.is_whole and not value.is_too_large and value.size_bytes <= most_bytes:
                return b"".join(self._pieces_of(value)()).decode(errors="replace")
        return None

    def attach(self, attached: Attached, stream: _native.TraceEventStream) -> None:
        """All of them, when the file has been read."""
        for value in self._values:
            name = f"{MEMBER_PREFIX}{value.name}"
            if not value.is_whole:
                attached.leave_out(name, "it is cut short")
            elif value.is_too_large:
                attached.leave_out(name, f"with it there are more than {MAX_ATTACHED_BYTES:,} bytes")
            elif value.size_bytes:
                attached.add(name, value.name, JSON, value.size_bytes, self._pieces_of(value))
        attached.leave_out_more(stream.more_members)
        for _ in range(min(stream.unnamed_members, 1)):
            attached.leave_out("a value beside the events", "its name is too long")
        attached.leave_out_more(max(stream.unnamed_members - 1, 0))

    def _add(self, value: _Value, piece: bytes, is_last: bool) -> None:
        value.size_bytes += len(piece)
        value.is_whole = is_last
        self._spilled_bytes += len(piece)
        if self._spilled_bytes > MAX_ATTACHED_BYTES:
            value.is_too_large = True
            value.pending.clear()
            value.pieces.clear()
            return
        value.pending += piece
        while len(value.pending) >= _PIECE_BYTES or (is_last and value.pending):
            self._write(value, bytes(value.pending[:_PIECE_BYTES]))
            del value.pending[:_PIECE_BYTES]

    def _write(self, value: _Value, piece: bytes) -> None:
        if self._spill is None:
            folder = None if self._folder is None else str(self._folder)
            self._spill = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES, dir=folder, prefix="scratch-")  # noqa: SIM115
            weakref.finalize(self, self._spill.close)
        member = compress(piece)
        value.pieces.append((self._spill.seek(0, 2), len(member)))
        self._spill.write(member)

    def _pieces_of(self, value: _Value) -> Callable[[], Iterator[bytes]]:
        def pieces() -> Iterator[bytes]:
            assert self._spill is not None
            for offset, length in value.pieces:
                self._spill.seek(offset)
                yield decompress(self._spill.read(length))

        return pieces
