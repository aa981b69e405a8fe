"""The bytes of an archive's members, as the streams that a `ByteSource` reads."""

from __future__ import annotations

import os
from typing import Final, cast

from isal import isal_zlib

from tilescope.tiler.readers.inflation import Inflation
from tilescope.tiler.readers.source import StreamDamage
from tilescope.tiler.readers.tar_stream import TarReader
from tilescope.tiler.readers.zip_directory import ZipEntry

_RAW_DEFLATE_WBITS: Final = -15
_STORED_READ_BYTES: Final = 32 * 1024
_InflateError = cast(type[Exception], isal_zlib.error)  # its stub says that it is an instance


class FileSlice:
    """A part of a file, which must stay open. Several slices of one file may be read at the same time."""

    def __init__(self, file: int, offset: int, size_bytes: int, problem: str | None = None) -> None:
        """`problem` is a clause that says what is wrong with the archive when the file ends before the slice."""
        self._file = file
        self._at = offset
        self._end = offset + size_bytes
        self._problem = problem

    def read(self, n: int, /) -> bytes:
        """Up to `n` bytes."""
        data = os.pread(self._file, max(0, min(n, self._end - self._at)), self._at) if self._at < self._end else b""
        if not data and n > 0 and self._at < self._end:
            raise damage(self._problem)
        self._at += len(data)
        return data

    def close(self) -> None:
        """The file is somebody else's."""


class ZipStream:
    """A member of a zip archive: inflated, and compared with its checksum at the end."""

    def __init__(self, entry: ZipEntry, stored: FileSlice, inflation: Inflation) -> None:
        self._entry = entry
        self._stored = stored
        self._inflation = inflation
        self._inflater = isal_zlib.decompressobj(_RAW_DEFLATE_WBITS) if entry.is_deflated else None
        self._crc = 0
        self._given = 0
        self._ended = False

    def read(self, n: int, /) -> bytes:
        """Up to `n` bytes. Raises StreamDamage."""
        if n <= 0 or self._ended:
            return b""
        data = self._stored.read(n) if self._inflater is None else self._inflate(n)
        self._crc = isal_zlib.crc32(data, self._crc)
        self._given += len(data)
        if not data:
            self._ended = True
            if self._crc != self._entry.crc or self._given != self._entry.size_bytes:
                raise damage("size or checksum of this member do not agree")
        return data

    def close(self) -> None:
        """The archive is somebody else's."""

    def _inflate(self, n: int) -> bytes:
        assert self._inflater is not None
        while not self._inflater.eof:
            stored = self._inflater.unconsumed_tail or self._stored.read(_STORED_READ_BYTES)
            try:
                data = self._inflater.decompress(stored, n)
            except _InflateError as error:
                raise damage(str(error).strip()) from None
            if data:
                self._inflation.add(len(data))
                return data
            if not stored:
                break
        return b""


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


def damage(problem: str | None) -> StreamDamage:
    """What a member raises because of its archive."""
    return StreamDamage(f"the archive is damaged: {problem or 'it is cut short'}")
