"""Tar from front to back: the members of a plain or compressed archive in one pass, whatever state it is in.

What Python's tarfile reads may be as long as the archive says: names, extended headers, its list of members. Here
memory is bounded, and damage ends the pass with a reason instead of an exception from within a parser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.source import ByteSource

_BLOCK: Final = 512
_ZERO_BLOCK: Final = bytes(_BLOCK)
_MAGIC_AT: Final = 257
_MAGIC: Final = b"ustar"
_MAX_EXTENSION_BYTES: Final = 1 << 20  # of a long name or an extended header; longer ones say nothing
_SKIPPED_AT_ONCE: Final = 64 << 20  # inflated in the tenth part of a second


class TarKind(StrEnum):
    """Kind of a member, in words that follow "is"."""

    FILE = "a file"
    FOLDER = "a folder"
    LINK = "a link"
    SPARSE = "a sparse file"
    OTHER = "no file"


_KINDS: Final = {
    b"0": TarKind.FILE,
    b"\0": TarKind.FILE,
    b"7": TarKind.FILE,
    b"1": TarKind.LINK,
    b"2": TarKind.LINK,
    b"5": TarKind.FOLDER,
    b"S": TarKind.SPARSE,
}
_WITHOUT_DATA: Final = (b"1", b"2", b"3", b"4", b"5", b"6")


class TarMember(Struct, frozen=True):
    """A member, as its header has it."""

    name: str  # as written: may be absolute, or lead out of the archive
    kind: TarKind
    size_bytes: int
    offset: int  # of its data in the uncompressed archive


class _Extension(Struct):
    """Facts about a member from the headers before it."""

    name: bytes | None = None
    size_bytes: int | None = None
    is_sparse: bool = False


def is_tar(head: bytes) -> bool:
    """True if a file that begins so is a tar archive."""
    return head[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)] == _MAGIC


class TarReader:
    """Reads the members of an archive one after the other. `problem` is a clause: why it ended early, if it did."""

    def __init__(self, source: ByteSource, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called now and then while members are left out, and may raise."""
        self._source = source
        self._check = check
        self._position = 0
        self._member_left = 0
        self.problem: str | None = None

    def members(self) -> Iterator[TarMember]:
        """The members in their order. The data of one can be read until the next is asked for."""
        extension = _Extension()
        while (block := self._next_header()) is not None:
            type_flag = block[156:157]
            size_bytes = _number(block[124:136])
            if size_bytes is None or size_bytes < 0:
                self.problem = f"the header at byte {self._position - _BLOCK:,} says no size"
                return
            if type_flag in (b"x", b"X", b"g", b"L", b"K"):
                data = self._extension_data(size_bytes)
                if type_flag == b"L" and data:
                    extension.name = data.split(b"\0", 1)[0]
                elif type_flag in (b"x", b"X"):
                    _apply(data, extension)
                continue
            yield self._begin(block, type_flag, size_bytes, extension)
            extension = _Extension()
            end = self._position + self._member_left
            self._skip(self._member_left)
            self._member_left = 0
            self._skip(-end % _BLOCK)

    def read(self, n: int) -> bytes:
        """Up to `n` bytes of the member at hand; fewer only at its end, or where the archive is cut short."""
        data = self._take(min(n, self._member_left))
        self._member_left -= len(data)
        return data

    @property
    def member_left(self) -> int:
        """Number of bytes of the member at hand that have not been read."""
        return self._member_left

    def _begin(self, block: bytes, type_flag: bytes, size_bytes: int, extension: _Extension) -> TarMember:
        kind = _KINDS.get(type_flag, TarKind.OTHER)
        name = _text(block[:100])
        if block[_MAGIC_AT : _MAGIC_AT + 6] == b"ustar\0" and block[345] != 0:
            name = _text(block[345:500]) + b"/" + name
        if extension.name is not None:
            name = extension.name
        if kind is TarKind.FILE and name.endswith(b"/"):
            kind = TarKind.FOLDER
        if kind is TarKind.FILE and extension.is_sparse:
            kind = TarKind.SPARSE
        if extension.size_bytes is not None:
            size_bytes = extension.size_bytes
        if type_flag == b"S":
            more = block[482] != 0
            while more:
                table = self._take(_BLOCK)
                more = len(table) == _BLOCK and table[504] != 0
        self._member_left = 0 if type_flag in _WITHOUT_DATA else size_bytes
        return TarMember(name.decode("utf-8", "replace"), kind, self._member_left, self._position)

    def _next_header(self) -> bytes | None:
        """The next block, if it is a header; None at the end, and where there is damage."""
        position = self._position
        block = self._take(_BLOCK)
        if block == _ZERO_BLOCK or self.problem is not None:
            return None
        if len(block) < _BLOCK:
            self.problem = self._source.problem or "it is cut short"
            return None
        if not _agrees(block):
            self.problem = f"there is no header at byte {position:,}"
            return None
        return block

    def _extension_data(self, size_bytes: int) -> bytes:
        """The data of a header that describes the next member; nothing, where there is too much of it."""
        data = b""
        if size_bytes <= _MAX_EXTENSION_BYTES:
            data = self._take(size_bytes)
        else:
            self._skip(size_bytes)
        self._skip(-size_bytes % _BLOCK)
        return data

    def _take(self, n: int) -> bytes:
        data = self._source.read(n)
        self._position += len(data)
        return data

    def _skip(self, n: int) -> None:
        while n > 0:
            self._check()
            step = min(n, _SKIPPED_AT_ONCE)
            skipped = self._source.skip(step)
            self._position += skipped
            n -= step
            if skipped < step:
                self.problem = self._source.problem or "it is cut short"
                return


def _number(field: bytes) -> int | None:
    """A number in octal digits, or in binary where that would be too long; None for what is no number."""
    if field[0] in (0x80, 0xFF):
        return int.from_bytes(field[1:], "big") - (1 << 8 * (len(field) - 1) if field[0] == 0xFF else 0)
    digits = field.split(b"\0", 1)[0].strip()
    if not digits:
        return 0
    return int(digits, 8) if digits.isdigit() and not set(digits) & set(b"89") else None


def _agrees(block: bytes) -> bool:
    """True if the checksum of a header is right. Old tools summed signed bytes."""
    expected = _number(block[148:156])
    unsigned = sum(block) - sum(block[148:156]) + 8 * 32
    return expected == unsigned or expected == unsigned - 256 * sum(byte > 127 for byte in block[:148] + block[156:])


def _text(field: bytes) -> bytes:
    return field.split(b"\0", 1)[0]


def _apply(data: bytes, extension: _Extension) -> None:
    """Takes over the records of an extended header, as far as they are well-formed."""
    offset = 0
    while offset < len(data):
        space = data.find(b" ", offset, offset + 20)
        if space < 0 or not data[offset:space].isdigit():
            return
        end = offset + int(data[offset:space])
        if not space < end <= len(data) or data[end - 1] != ord("\n"):
            return
        key, _, value = data[space + 1 : end - 1].partition(b"=")
        if key == b"path" and value:
            extension.name = value
        elif key == b"size" and value.isdigit() and len(value) < 20:
            extension.size_bytes = int(value)
        elif key.startswith(b"GNU.sparse."):
            extension.is_sparse = True
        offset = end
