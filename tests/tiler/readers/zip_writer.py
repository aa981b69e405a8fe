"""Writes a zip archive of one member, by any method."""

from __future__ import annotations

import struct
import zlib


def zip_of(name: str, data: bytes, stored: bytes, method: int, flags: int = 0) -> bytes:
    """`stored` is `data` as the method compresses it."""
    encoded = name.encode()
    common = struct.pack("<4H3L2H", flags, method, 0, 0, zlib.crc32(data), len(stored), len(data), len(encoded), 0)
    local = b"PK\x03\x04" + struct.pack("<H", 63) + common + encoded + stored
    central = b"PK\x01\x02" + struct.pack("<2H", 63, 63) + common + struct.pack("<3H2L", 0, 0, 0, 0, 0) + encoded
    end = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end
