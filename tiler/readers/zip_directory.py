"""The directory of a zip archive, read entry by entry: memory does not depend on how many there are.

Python's zipfile makes an object of half a kilobyte of each, and has to be asked again for each member.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

_END: Final = struct.Struct("<4s4H2LH")
_LOCATOR_64: Final = struct.Struct("<4sLQL")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_MAX_COMMENT_BYTES: Final = 65_535
_READ_BYTES: Final = 1 << 20
_ENCRYPTED: Final = 1
_UTF8: Final = 1 << 11
STORED: Final = 0
DEFLATED: Final = 8
BZIP2: Final = 12
LZMA: Final = 14
ZSTD: Final = 93
XZ: Final = 95
_READ_METHODS: Final = frozenset((STORED, DEFLATED, BZIP2, LZMA, ZSTD, XZ))
_OTHER_METHODS: Final = {
    1: "Shrink",
    6: "Implode",
    9: "Deflate64",
    10: "the Implode of PKWARE's library",
    94: "MP3",
    96: "JPEG",
    97: "WavPack",
    98: "PPMd",
}

MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")


class ZipDamage(Exception):
    """The archive cannot be read from here on. The text is a clause that says why."""


class ZipEntry(Struct, frozen=True):
    """A member, as the directory has it."""

    name: str
    stored_bytes: int
    size_bytes: int
    crc: int
    method: int  # of compression
    header_offset: int
    obstacle: str = ""  # why it cannot be read, in words that follow its name

    def data_offset(self, file: int) -> int:
        """Offset at which its data begins. Raises ZipDamage and OSError."""
        within = self.header_offset < os.fstat(file).st_size
        header = os.pread(file, _LOCAL.size, self.header_offset) if within else b""
        if len(header) < _LOCAL.size or not header.startswith(MAGICS[0]):
            raise ZipDamage(f"there is no member at byte {self.header_offset:,}")
        name_bytes, extra_bytes = _LOCAL.unpack(header)[-2:]
        return self.header_offset + _LOCAL.size + int(name_bytes) + int(extra_bytes)


def zip_entries(file: int) -> Iterator[ZipEntry]:
    """The entries of the directory in their order. Raises ZipDamage and OSError."""
    position, size_bytes, shift = _directory(file)
    end = position + size_bytes
    data = b""
    used = 0
    while position < end:
        if len(data) - used < _ENTRY.size + 3 * 65_535:
            data = data[used:] + os.pread(
                file, min(_READ_BYTES, end - position - (len(data) - used)), position + len(data) - used
            )
            used = 0
        fields = _ENTRY.unpack_from(data, used) if len(data) - used >= _ENTRY.size else (b"",) * 17
        name_bytes, extra_bytes, comment_bytes = fields[10:13]
        if (
            fields[0] != b"PK\x01\x02"
            or position + (length := _ENTRY.size + name_bytes + extra_bytes + comment_bytes) > end
        ):
            raise ZipDamage(f"there is no entry of its directory at byte {position:,}")
        name = data[used + _ENTRY.size : used + _ENTRY.size + name_bytes]
        extra = data[used + _ENTRY.size + name_bytes : used + _ENTRY.size + name_bytes + extra_bytes]
        yield _entry(fields, name, extra, shift)
        used += length
        position += length


def _directory(file: int) -> tuple[int, int, int]:
    """Offset and length of the directory, and the amount by which all offsets are too small."""
    size = os.fstat(file).st_size
    tail_at = max(0, size - _END.size - _MAX_COMMENT_BYTES)
    tail = os.pread(file, size - tail_at, tail_at)
    end_record = tail.rfind(MAGICS[1], 0, max(0, len(tail) - _END.size + 4))
    if end_record < 0:
        raise ZipDamage("the directory at its end is missing: it is cut short")
    _, disk, first_disk, _, _, directory_bytes, offset, _ = _END.unpack_from(tail, end_record)
    end = tail_at + end_record
    locator = os.pread(file, _LOCATOR_64.size, end - _LOCATOR_64.size) if end >= _LOCATOR_64.size else b""
    if locator.startswith(b"PK\x06\x07"):
        end_64 = min(_LOCATOR_64.unpack(locator)[2], size)
        record = os.pread(file, _END_64.size, end_64)
        if not record.startswith(b"PK\x06\x06"):
            # Something stands before the archive. The record is right before its locator, without extensions.
            end_64 = max(0, end - _LOCATOR_64.size - _END_64.size)
            record = os.pread(file, _END_64.size, end_64)
        if len(record) < _END_64.size or not record.startswith(b"PK\x06\x06"):
            raise ZipDamage("its 64-bit directory is missing")
        disk, first_disk, _, _, directory_bytes, offset = _END_64.unpack(record)[4:]
        end = end_64
    if disk or first_disk:
        raise ZipDamage("it is one part of several")
    begin = end - directory_bytes
    if begin < offset:
        raise ZipDamage("its directory is not where it should be")
    return begin, directory_bytes, begin - offset


def _entry(fields: tuple[Any, ...], name: bytes, extra: bytes, shift: int) -> ZipEntry:
    flags, method, crc, stored_bytes, size_bytes, header_offset = *fields[3:5], *fields[7:10], fields[16]
    size_bytes, stored_bytes, header_offset = _wide(extra, size_bytes, stored_bytes, header_offset)
    obstacle = ""
    if flags & _ENCRYPTED:
        obstacle = "is encrypted: unpack it with its password"
    elif method not in _READ_METHODS:
        how = _OTHER_METHODS.get(method, f"method {method}")
        obstacle = f"is compressed with {how}, which is not read: unpack it, or pack it again with Deflate"
    return ZipEntry(
        name.split(b"\0", 1)[0].decode("utf-8" if flags & _UTF8 else "cp437", "replace"),
        stored_bytes,
        size_bytes,
        crc,
        method,
        header_offset + shift,
        obstacle,
    )


def _wide(extra: bytes, *values: int) -> Iterator[int]:
    """The values, those that do not fit in 32 bits from the extra field that has them."""
    wide = b""
    offset = 0
    while offset + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, offset)
        if kind == 1:
            wide = extra[offset + 4 : offset + 4 + length]
        offset += 4 + length
    for value in values:
        if value == 0xFFFFFFFF and len(wide) >= 8:
            value, wide = int.from_bytes(wide[:8], "little"), wide[8:]
        yield value
