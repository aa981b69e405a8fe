"""The checksum of its key and its value that every record is stored with.

Whoever reads a record gets it as it was written, or DamagedStore: a changed byte is noticed before it is sent to
anybody, and so is a value that is found under another key.
"""

from __future__ import annotations

import struct
from typing import Final

from isal import isal_zlib

from tilescope.tiler.errors import DamagedStore, StoreError, StoreVersion
from tilescope.tiler.records.catalogue import describe

# Stands before the value. The native reader takes it off without a copy.
_CHECKSUM: Final = struct.Struct("<I")
CHECKSUM_BYTES: Final = _CHECKSUM.size

# Of stores up to version 7, whose records have none, but are gzip members.
_GZIP_HEAD: Final = int.from_bytes(b"\x1f\x8b\x08\x00", "little")


def checksum(key: bytes, value: bytes) -> int:
    """CRC-32 of both: a microsecond for a page."""
    return int(isal_zlib.crc32(value, isal_zlib.crc32(key)))


def sealed(key: bytes, value: bytes) -> bytes:
    """The bytes that are stored: checksum and value."""
    return _CHECKSUM.pack(checksum(key, value)) + value


def mismatch(where: str, key: bytes, stored: int) -> StoreError:
    """The error for a record with another checksum than the `stored` one."""
    if stored == _GZIP_HEAD:
        return StoreVersion(f"{where}: written by an earlier version of Tilescope (index the trace again)")
    return DamagedStore(f"{where}: {describe(key)}: its bytes have been altered (index the trace again)")
