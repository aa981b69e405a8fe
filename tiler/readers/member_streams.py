"""The bytes of an archive's members, as the streams that a `ByteSource` reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final, Protocol, cast

from isal import isal_zlib

from tilescope.tiler.readers.compression import CompressedMember
from tilescope.tiler.readers.inflation import Inflation
from tilescope.tiler.readers.source import StreamDamage
from tilescope.tiler.readers.stream_member import (
    MAX_WINDOW_BYTES,
    WindowTooLarge,
    bzip2_member,
    xz_member,
    zip_lzma_member,
    zstd_member,
)
from tilescope.tiler.readers.tar_stream import TarReader
from tilescope.tiler.readers.zip_directory import BZIP2, DEFLATED, LZMA, STORED, XZ, ZSTD, ZipEntry

_RAW_DEFLATE_WBITS: Final = -15
_STORED_READ_BYTES: Final = 32 * 1024
_InflateError = cast(type[Exception], isal_zlib.error)  # its stub says that it is an instance


class FileSlice:
    """A part of a file, which must stay open. Several slices of one file may be read at the same time."""

    def __init__(self, file: int, offset: int, size_bytes: int, problem: str | None = None) -> None:
        """`problem` is a clause that says what is wrong with the archive when the file ends before the slice."""
        self._file = file
        self._position = offset
        self._end = offset + size_bytes
        self._problem = problem

    def read(self, n: int, /) -> bytes:
        """Up to `n` bytes."""
        data = (
            os.pread(self._file, max(0, min(n, self._end - self._position)), self._position)
            if self._position < self._end
            else b""
        )
        if not data and n > 0 and self._position < self._end:
            raise damage(self._problem)
        self._position += len(data)
        return data

    def close(self) -> None:
        """The file is somebody else's."""


class ZipStream:
    """A member of a zip archive: inflated, and compared with its checksum at the end."""

    def __init__(self, entry: ZipEntry, stored: FileSlice, inflation: Inflation) -> None:
        self._entry = entry
        self._stored = stored
        self._inflation = inflation
        self._member = None if entry.method == STORED else _new_member(entry.method)
        self._crc = 0
        self._given = 0
        self._waiting = b""  # stored bytes that the member did not take yet
        self._ended = False

    def read(self, n: int, /) -> bytes:
        """Up to `n` bytes. Raises StreamDamage."""
        if n <= 0 or self._ended:
            return b""
        data = self._stored.read(n) if self._member is None else self._inflate(self._member, n)
        self._crc = isal_zlib.crc32(data, self._crc)
        self._given += len(data)
        if not data:
            self._ended = True
            if self._crc != self._entry.crc or self._given != self._entry.size_bytes:
                raise damage("size or checksum of this member do not agree")
        return data

    def close(self) -> None:
        """The archive is somebody else's."""

    def _inflate(self, member: CompressedMember, n: int) -> bytes:
        while not member.ended:
            if not self._waiting and member.needs_input:
                self._waiting = self._stored.read(_STORED_READ_BYTES)
                at_end = not self._waiting
            else:
                at_end = False
            try:
                data = member.inflate(self._waiting, n)
            except WindowTooLarge:
                raise damage(f"this member takes a window of more than {MAX_WINDOW_BYTES >> 20} MiB") from None
            self._waiting = member.rest
            self._inflation.add(len(data))
            if data:
                return data
            if at_end:
                break
        if member.problem is not None:
            raise damage(member.problem)
        return b""


class _RawDeflate:
    """Stream of a deflated member: a `CompressedMember` without head and checksum."""

    needs_input = True

    def __init__(self) -> None:
        self.ended = False
        self.problem: str | None = None
        self.rest = b""
        self._inflater = isal_zlib.decompressobj(_RAW_DEFLATE_WBITS)

    def inflate(self, data: bytes, most: int) -> bytes:
        """Up to `most` bytes."""
        try:
            piece = self._inflater.decompress(data, most)
        except _InflateError as error:
            self.ended, self.problem = True, str(error).strip()
            return b""
        self.rest, self.ended = self._inflater.unconsumed_tail, self._inflater.eof
        return piece


_NEW_MEMBERS: Final[Mapping[int, Callable[[], CompressedMember]]] = {
    DEFLATED: _RawDeflate,
    BZIP2: bzip2_member,
    LZMA: zip_lzma_member,
    ZSTD: zstd_member,
    XZ: xz_member,
}


def _new_member(method: int) -> CompressedMember:
    try:
        return _NEW_MEMBERS[method]()
    except ImportError as error:
        raise damage(f"this Python was built without {error.name}, which this member is compressed with") from error


class TapeStream:
    """The member that a `TarReader` is at."""

    def __init__(self, tape: TarReader) -> None:
        self._tape = tape

    def read(self, n: int, /) -> bytes:
        """Up to `n` bytes. Raises StreamDamage where the archive ends within the member."""
        data = self._tape.read(n)
        if not data and n > 0 and self._tape.member_left:
            raise damage(self._tape.problem)
        return data

    def close(self) -> None:
        """The archive is somebody else's."""


class Readable(Protocol):
    """Stream that gives bytes from front to back."""

    def read(self, n: int, /) -> bytes: ...


class JoinedStream:
    """A stream of which the first bytes have been read."""

    def __init__(self, head: bytes, rest: Readable) -> None:
        self._head = head
        self._rest = rest

    def read(self, n: int, /) -> bytes:
        """Up to `n` bytes. Raises StreamDamage."""
        data, self._head = self._head[:n], self._head[n:]
        return data or self._rest.read(n)

    def close(self) -> None:
        """The stream is somebody else's."""


def damage(problem: str | None) -> StreamDamage:
    """The error that a member raises because of its archive."""
    return StreamDamage(f"the archive is damaged: {problem or 'it is cut short'}")
