"""Tar archives block by block, as no tool would write them."""

from __future__ import annotations

BLOCK = 512


def header(
    name: bytes = b"host0.json",
    size: int | bytes = 0,
    type_flag: bytes = b"0",
    *,
    checksum: int | None = None,
    magic: bytes = b"ustar\x0000",
) -> bytes:
    """One header; `size` as bytes is written as it is."""
    field = size if isinstance(size, bytes) else b"%011o\0" % size
    block = bytearray(BLOCK)
    block[:100] = name.ljust(100, b"\0")[:100]
    block[100:124] = b"0000644\0" * 3
    block[124:136] = field.ljust(12, b"\0")
    block[136:148] = b"00000000000\0"
    block[148:156] = b" " * 8
    block[156:157] = type_flag
    block[257:265] = magic
    block[148:156] = b"%06o\0 " % (sum(block) if checksum is None else checksum)
    return bytes(block)


def padded(data: bytes) -> bytes:
    """Up to the next block."""
    return data + bytes(-len(data) % BLOCK)


def member(data: bytes, name: bytes = b"host0.json") -> bytes:
    """A whole member."""
    return header(name, len(data)) + padded(data)


def extension(data: bytes, type_flag: bytes = b"x") -> bytes:
    """A header that describes the next member."""
    return header(b"extension", len(data), type_flag) + padded(data)


def record(key: bytes, value: bytes) -> bytes:
    """A record of an extended header."""
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest) + 1
    while len(b"%d" % length) + len(rest) != length:
        length += 1
    return b"%d" % length + rest


END = bytes(2 * BLOCK)
