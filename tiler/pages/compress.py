"""Compression of everything that is stored: one gzip member, which browsers inflate themselves.

isal is several times faster than zlib at nearly its ratio; `bench/` measures the levels.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
from isal import igzip_lib, isal_zlib
from isal.igzip_lib import IsalError
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.profile import unlocked

# Level 2 takes 2 % longer, and 0.06 % less room (2026-11-26).
_LEVEL = 1
_GZIP_WBITS = 31

# Of one record. The largest that were seen are chunks of arguments with programs in them, of some megabytes.
MAX_DECODED_BYTES = 2**30
_ROOM_BYTES = 1 << 20  # at first, as a damaged length may be any
_MAX_RATIO = 1032  # the best that deflate can do: 258 bytes for 2 bits

# No name, no time, no system, and a changed byte of the header is noticed. What follows it may differ for equal data:
# isal 1.9.1 misses a repetition in one of a million members or so that busy machines write (2026-11-27). The same data,
# with any bytes behind it, under signals and beside other threads, gave the same 2.6 million times: why is not known.
MEMBER_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

# Of nothing: what ends the blocks of a member.
_LAST_BLOCK = b"\x03\x00"


def compress(data: bytes | NDArray[np.uint8]) -> bytes:
    """One gzip member."""
    with unlocked("deflate"):
        return MEMBER_HEADER + igzip_lib.compress(data, _LEVEL, igzip_lib.COMP_GZIP_NO_HDR)


def compress_container(data: bytes) -> bytes:
    """The same of a column container. Planes in which nothing comes again are written by ourselves.

    So is what is short beside them. A code for each takes less room than one for all, and to look for repetitions would
    take most of the time. What compression would hardly shorten stands there as it is: such a page is inflated in half
    the time.
    """
    own = _native.blocks_without_matches(data, MAX_DECODED_BYTES // 8)
    if not own:
        return compress(data)
    # One for all stretches: to begin anew takes less than another one does.
    packer = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, -zlib.MAX_WBITS)
    view = memoryview(data)
    parts: list[bytes] = [MEMBER_HEADER]
    position = 0
    for first, last, blocks in own:
        # The flush ends with a byte. Nothing behind it refers to what is before, which would be further away then.
        if position < first:
            with unlocked("deflate"):
                parts += [packer.compress(view[position:first]), packer.flush(isal_zlib.Z_FULL_FLUSH)]
        parts.append(blocks)
        position = last
    if position < len(data):
        with unlocked("deflate"):
            parts += [packer.compress(view[position:]), packer.flush(isal_zlib.Z_FINISH)]
    else:
        parts.append(_LAST_BLOCK)
    parts.append(struct.pack("<II", isal_zlib.crc32(data), len(data) & 0xFFFF_FFFF))
    return b"".join(parts)


def decompress(member: bytes, limit: int | None = None) -> bytes:
    """The content of a member. Raises DamagedStore when it is damaged (gzip carries a CRC), or larger than `limit`.

    The limit is MAX_DECODED_BYTES where none is given.
    """
    limit = MAX_DECODED_BYTES if limit is None else limit
    if member[: len(MEMBER_HEADER)] != MEMBER_HEADER:
        raise DamagedStore("a compressed record has a damaged header")
    try:
        # The plain call is twice as fast, and a short member cannot become too long. That of `igzip` would hold
        # Python's lock all the while: a second thread could not inflate anything.
        if len(member) > limit // _MAX_RATIO:
            return _inflate(member, limit)
        length = int.from_bytes(member[-4:], "little")  # what a member ends with
        # With a byte to spare: room that is full is doubled before the end is seen, which took a third of the time.
        data = bytes(isal_zlib.decompress(member, _GZIP_WBITS, min(length, _ROOM_BYTES) + 1))
    except (OSError, EOFError, zlib.error, IsalError) as error:  # type: ignore[misc]  # its hints call the class a value
        raise DamagedStore(f"a compressed record is damaged: {error}") from error
    if len(data) != length:
        raise DamagedStore("a compressed record is damaged: it does not end where it should")
    return data


def _inflate(member: bytes, limit: int) -> bytes:
    """Stops at the limit: a store may come from somebody who wants our memory."""
    inflater = isal_zlib.decompressobj(_GZIP_WBITS)
    data = inflater.decompress(member, limit + 1)
    if len(data) > limit:
        raise DamagedStore(f"a compressed record holds more than {limit:,} bytes")
    if not inflater.eof or inflater.unused_data:
        raise DamagedStore("a compressed record is damaged: it does not end where it should")
    return data
