"""What records hold, whatever isal writes: of equal contents that differs once in a million members or so.

Seen in stores that were built on busy machines (2026-11-27): a repetition was missed, and 3 bytes more were written.
The same member was the same 2.5 million times when nothing but members was written, by six threads and from any memory.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec.structs import replace

from tilescope.tiler.pages.compress import MEMBER_HEADER, decompress
from tilescope.tiler.pages.key import Part
from tilescope.tiler.pages.shape import Shape
from tilescope.tiler.pages.stored import join_parts, part_of
from tilescope.tiler.store import keys


def contents(records: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """By key; without the manifest, which says when the store was built."""
    return {bytes(key): _content(bytes(key), bytes(value)) for key, value in records if key != keys.MANIFEST}


def _content(key: bytes, value: bytes) -> bytes:
    match key[:1]:
        case b"P":
            page, residual = part_of(value, Part.PAGE), part_of(value, Part.RESIDUAL)
            assert page is not None
            return join_parts(decompress(page), b"" if residual is None else decompress(residual))
        case b"S":
            shape = Shape.decode(decompress(value))
            # Checksums of what is compressed: zero still says where there is none.
            page_crc, residual_crc = (np.sign(crc) for crc in (shape.page_crc, shape.residual_crc))
            return replace(shape, page_crc=page_crc, residual_crc=residual_crc).encode()
    return decompress(value) if value.startswith(MEMBER_HEADER) else value
