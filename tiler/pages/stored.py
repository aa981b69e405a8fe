"""Stored form of a page: the page and its residual, each a gzip member of its own, in one value.

They lie together because a store has no room to waste on two small values, and are sent one by one.
"""

from __future__ import annotations

import struct

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.key import Part

_PAGE_LENGTH = struct.Struct("<I")


def join_parts(page: bytes, residual: bytes) -> bytes:
    """The stored value. `residual` is empty when there is none."""
    return b"".join((_PAGE_LENGTH.pack(len(page)), page, residual))  # copies each once


def part_of(value: bytes | memoryview, part: int) -> bytes | None:
    """A copy of the page or the residual in a stored value; None when there is no such part. Raises DamagedStore."""
    if len(value) < _PAGE_LENGTH.size:
        raise DamagedStore(f"a stored page of {len(value)} bytes is damaged")
    start = _PAGE_LENGTH.size
    end = start + _PAGE_LENGTH.unpack_from(value)[0]
    if end > len(value):
        raise DamagedStore(f"a stored page says that it ends {end - len(value)} bytes beyond its value")
    if part == Part.PAGE:
        return bytes(value[start:end])
    return bytes(value[end:]) or None if part == Part.RESIDUAL else None
