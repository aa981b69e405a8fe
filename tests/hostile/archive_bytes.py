"""Gzip, zip and tar, byte by byte where libraries refuse to write what is wrong."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable

from tests.hostile.case import Case, Indexed, Refused, put

Members = Iterable[tuple[str, bytes]]


def gz(data: bytes, *, flags: int = 0, extra: bytes = b"", method: int = 8, level: int = 6) -> bytes:
    """One gzip member; `extra` is what follows the fixed part of its head."""
    deflated = zlib.compressobj(level, wbits=-15)
    body = deflated.compress(data) + deflated.flush()
    return struct.pack("<BBBBLBB", 0x1F, 0x8B, method, flags, 0, 0, 255) + extra + body + gz_end(data)


def gz_end(data: bytes) -> bytes:
    """The checksum and the size of a member."""
    return struct.pack("<LL", zlib.crc32(data), len(data) & 0xFFFF_FFFF)


def zipped(
    members: Members, *, method: int = zipfile.ZIP_DEFLATED, change: Callable[[zipfile.ZipInfo], None] | None = None
) -> bytes:
    """A zip; `change` may alter how a member is described before it is written."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            info = zipfile.ZipInfo("x")
            info.filename = name
            info.compress_type = method
            if change is not None:
                change(info)
            archive.writestr(info, data)
    return out.getvalue()


def tar_head(
    name: bytes,
    size: int | bytes,
    kind: bytes = b"0",
    *,
    link: bytes = b"",
    magic: bytes = b"ustar\x0000",
    mode: bytes = b"0000644\0",
) -> bytes:
    """One header with a right checksum; a size of bytes is written as it is."""
    number = size if isinstance(size, bytes) else b"%011o\0" % size
    head = struct.pack(
        "100s8s8s8s12s12s8s1s100s8s",
        name,
        mode,
        b"0000000\0",
        b"0000000\0",
        number,
        b"0" * 11 + b"\0",
        b" " * 8,
        kind,
        link,
        magic,
    )
    head = head.ljust(512, b"\0")
    return head[:148] + b"%06o\0 " % sum(head) + head[156:]


def tar_member(name: bytes, data: bytes, kind: bytes = b"0", **more: bytes) -> bytes:
    """A header and its data, padded."""
    return tar_head(name, len(data), kind, **more) + data + bytes(-len(data) % 512)


TAR_END = bytes(1024)


def tarred(*members: tuple[str, bytes], form: int = tarfile.USTAR_FORMAT) -> bytes:
    """A tar as tools write it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tgz(tar: bytes) -> bytes:
    """Compressed, always alike."""
    return gzip.compress(tar, 6, mtime=0)


def case(name: str, about: str, file: str, data: bytes | Callable[[], bytes], *accepted: Indexed | Refused) -> Case:
    """A case of one small archive."""
    return Case(name, about, put(file, data), accepted)
