"""Protobuf's wire format: single fields, and columns of varints at once.

Nothing of the project's readers is used: a generator that shared their code would hide their mistakes.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

Value = int | float | str | bytes
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_VARINT_BYTES = 10


def varint(value: int) -> bytes:
    """Negative numbers as 64-bit two's complement."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(raw)) + raw


def message(field: int, *parts: bytes) -> bytes:
    return text(field, b"".join(parts))


def packed(field: int, values: list[int]) -> bytes:
    return message(field, *map(varint, values)) if values else b""


def stat(field: int, key: int, value: Value) -> bytes:
    """An XStat; an int as int64, a negative or very large one as uint64."""
    if isinstance(value, float):
        encoded = varint(2 << 3 | 1) + struct.pack("<d", value)
    elif isinstance(value, int):
        encoded = number(3 if value >= 1 << 63 else 4, value)
    else:
        encoded = text(5 if isinstance(value, str) else 6, value)
    return message(field, number(1, key), encoded)


class Cells:
    """Rows of bytes of different lengths: what some fields take in each of many messages."""

    def __init__(self, cells: Bytes, used: NDArray[np.bool_]) -> None:
        self._cells = cells
        self._used = used

    @classmethod
    def constant(cls, rows: int, content: bytes) -> Cells:
        cells = np.tile(np.frombuffer(content, np.uint8), (rows, 1))
        return cls(cells, np.ones(cells.shape, np.bool_))

    @classmethod
    def varints(cls, values: Ints) -> Cells:
        """Cells of numbers that are not negative."""
        unsigned = values.astype(np.uint64)[:, None]
        parts = unsigned >> (np.arange(_VARINT_BYTES, dtype=np.uint64) * np.uint64(7))[None, :]
        more = parts >= 0x80
        cells = ((parts & np.uint64(0x7F)) | np.where(more, 0x80, 0).astype(np.uint64)).astype(np.uint8)
        used = np.concatenate([np.ones((len(values), 1), np.bool_), more[:, :-1]], axis=1)
        return cls(cells, used)

    @property
    def lengths(self) -> Ints:
        lengths: Ints = self._used.sum(axis=1, dtype=np.int64)
        return lengths

    def only(self, rows: NDArray[np.bool_]) -> Cells:
        """Nothing in the other rows."""
        return Cells(self._cells, self._used & rows[:, None])

    def then(self, *others: Cells) -> Cells:
        blocks = (self, *others)
        return Cells(
            np.concatenate([block._cells for block in blocks], axis=1),
            np.concatenate([block._used for block in blocks], axis=1),
        )

    def joined(self) -> bytes:
        """Row after row."""
        return self._cells[self._used].tobytes()


def numbers(field: int, values: Ints) -> Cells:
    """A varint field in each row."""
    return Cells.constant(len(values), varint(field << 3)).then(Cells.varints(values))


def messages(field: int, content: Cells, rows: int) -> Cells:
    """A message in each row."""
    return Cells.constant(rows, varint(field << 3 | 2)).then(Cells.varints(content.lengths), content)
