"""Pieces of records: in an archive, what was rounded off the bins of a page lies apart from the page.

Timelines are drawn from pages alone, and of the coarse ones the rest is two thirds. The record of the store is one
piece behind the other, whatever bytes it has.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

from tilescope.tiler.records.catalogue import RECORDS, record_of
from tilescope.tiler.records.record import Available, Record
from tilescope.tiler.records.tiles import PAGE

RESIDUAL: Final = Record(
    "p",
    " ".join(PAGE.numbers),
    "what was rounded off the page of block {block}, level {level}, tile {tile}, slot {slot}",
    Available.WITH_BLOCK,
    doc="what was rounded off the bins of a page: the rest of its record",
    proof="the pages",
)

PIECES: Final[Mapping[int, Record]] = {record.letter[0]: record for record in (*RECORDS, RESIDUAL)}

_PAGE_SIZE: Final = struct.Struct("<I")


def piece_of(key: bytes) -> Record | None:
    """The kind of piece with this key; None for a letter or a length that no kind has."""
    if key[:1] != RESIDUAL.letter:
        return record_of(key)
    return RESIDUAL if len(key) == RESIDUAL.key_bytes else None


def residual_key(page_key: bytes) -> bytes:
    """The key of the second piece of a page."""
    return RESIDUAL.letter + page_key[1:]


def record_key(key: bytes) -> bytes:
    """The key of the record in a store that has the piece with this key."""
    return PAGE.letter + key[1:] if key[:1] == RESIDUAL.letter else key


def first_bytes(record: Record, value: bytes) -> int:
    """The length of the first piece of a value; what is behind it is the second."""
    if record is not PAGE or len(value) < _PAGE_SIZE.size:
        return len(value)
    page_bytes: int = _PAGE_SIZE.unpack_from(value)[0]
    return min(len(value), _PAGE_SIZE.size + page_bytes)
