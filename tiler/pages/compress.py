"""Compression of everything that is stored: one gzip member, which browsers inflate themselves.

isal is several times faster than zlib at nearly its ratio; `bench/` measures the levels.
"""

from __future__ import annotations

import zlib

from isal import igzip
from isal.igzip_lib import IsalError

from tilescope.tiler.errors import DamagedStore

_LEVEL = 2

# No name, no time, no system: equal data gives equal bytes, and a changed byte of the header is noticed.
MEMBER_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


def compress(data: bytes) -> bytes:
    """One gzip member."""
    return MEMBER_HEADER + igzip.compress(data, compresslevel=_LEVEL, mtime=0)[len(MEMBER_HEADER) :]


def decompress(member: bytes) -> bytes:
    """The content of a member. Raises DamagedStore when it is damaged (gzip carries a CRC)."""
    if member[: len(MEMBER_HEADER)] != MEMBER_HEADER:
        raise DamagedStore("a compressed record has a damaged header")
    try:
        data: bytes = igzip.decompress(member)  # type: ignore[no-untyped-call]
    except (OSError, EOFError, zlib.error, IsalError) as error:  # type: ignore[misc]  # its hints call the class a value
        raise DamagedStore(f"a compressed record is damaged: {error}") from error
    return data
