"""One gzip member, written piece by piece, by whatever process has what the last one left."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final

_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # Deflate, no name, no time, of no known system
_LEVEL: Final = 6


@dataclass(slots=True)
class GzipStream:
    """Gzip stream of all pieces so far. Each ends at a byte, and nothing after it looks back beyond it."""

    size: int = 0
    crc: int = 0
    begun: bool = False

    def piece(self, data: bytes, *, last: bool) -> bytes:
        """The data compressed, behind what came before; with `last`, the member ends."""
        packer = zlib.compressobj(_LEVEL, wbits=-zlib.MAX_WBITS)
        self.size += len(data)
        self.crc = zlib.crc32(data, self.crc)
        head = b"" if self.begun else _HEAD
        self.begun = True
        body = packer.compress(data) + packer.flush(zlib.Z_FINISH if last else zlib.Z_FULL_FLUSH)
        return head + body + (struct.pack("<II", self.crc, self.size & 0xFFFFFFFF) if last else b"")
