"""The column container: how everything that is read in bulk is laid out. See docs/page-format.md.

Native code writes pages (`tiler/native/pages/container.cpp`); this is the reader, and the writer of what is small.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.compress import MAX_DECODED_BYTES

PAGE_MAGIC = b"TSPG"
SHAPE_MAGIC = b"TSSH"
FLOWS_MAGIC = b"TSFL"
FLOW_BINS_MAGIC = b"TSFB"
RESIDUAL_MAGIC = b"TSRD"
HISTOGRAM_MAGIC = b"TSHG"
OVERVIEW_MAGIC = b"TSOV"
STEPS_MAGIC = b"TSST"
_MAGICS = (
    PAGE_MAGIC,
    RESIDUAL_MAGIC,
    SHAPE_MAGIC,
    FLOWS_MAGIC,
    FLOW_BINS_MAGIC,
    HISTOGRAM_MAGIC,
    OVERVIEW_MAGIC,
    STEPS_MAGIC,
)

_VERSION = 1
_HEAD = struct.Struct("<4sBBHII")
_COLUMN = struct.Struct("<BBBxIqQ")
_MAX_ROWS = MAX_DECODED_BYTES // 8  # of all columns together
_DELTA, _ZIGZAG, _FLOAT64 = 1, 2, 4

Column = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Container:
    """A decoded container: columns by id."""

    magic: bytes
    level: int
    n_tiles: int
    block: int
    columns: Mapping[int, Column]

    def ints(self, column: int) -> NDArray[np.int64]:
        """The column's values; empty when it was left out."""
        values = self.columns.get(column)
        return np.zeros(0, np.int64) if values is None else values.view(np.int64)

    def floats(self, column: int) -> NDArray[np.float64]:
        """The same for a float64 column."""
        values = self.columns.get(column)
        return np.zeros(0, np.float64) if values is None else values.view(np.float64)


def decode(data: bytes) -> Container:
    """The container in `data`. Raises DamagedStore."""
    if len(data) < _HEAD.size:
        raise DamagedStore(f"a record of {len(data)} bytes is too short for a column container")
    magic, version, level, n_columns, n_tiles, block = _HEAD.unpack_from(data)
    if magic not in _MAGICS or version != _VERSION:
        raise DamagedStore(f"a record begins with {magic!r} version {version}, which is no column container")
    at = _HEAD.size + n_columns * _COLUMN.size
    rows = 0
    columns: dict[int, Column] = {}
    for k in range(n_columns):
        if _HEAD.size + (k + 1) * _COLUMN.size > len(data):
            raise DamagedStore("a column container ends inside its headers")
        column, planes, flags, n, base, scale = _COLUMN.unpack_from(data, _HEAD.size + k * _COLUMN.size)
        if planes > 8 or at + planes * n > len(data):
            raise DamagedStore(f"column {column} of a container lies beyond its end")
        rows += n
        if rows > _MAX_ROWS:  # a column of equal values takes no bytes, whatever its length
            raise DamagedStore(f"a column container says that it has more than {_MAX_ROWS:,} values")
        columns[column] = _decode_column(data, at, planes, flags, n, base, scale)
        at += planes * n
    if at != len(data):
        raise DamagedStore(f"{len(data) - at} bytes follow a column container")
    return Container(magic, level, n_tiles, block, columns)


def _decode_column(data: bytes, at: int, planes: int, flags: int, n: int, base: int, scale: int) -> Column:
    raw = np.zeros((n, 8), np.uint8)
    if planes:
        raw[:, :planes] = np.frombuffer(data, np.uint8, planes * n, at).reshape(planes, n).T
    values: NDArray[np.uint64] = raw.reshape(-1).view("<u8")
    if flags & _FLOAT64:
        return values.view(np.float64)
    if flags & _ZIGZAG:
        values = (values >> np.uint64(1)) ^ (np.uint64(0) - (values & np.uint64(1)))
    if scale != 1:
        values = values * np.uint64(scale)
    if flags & _DELTA:
        values = np.cumsum(values, dtype=np.uint64)
    return (values + np.uint64(base & 0xFFFF_FFFF_FFFF_FFFF)).view(np.int64)


def encode(magic: bytes, level: int, n_tiles: int, block: int, columns: Mapping[int, NDArray[np.int64]]) -> bytes:
    """A container of integer columns, each stored as differences between neighbours where those are smaller."""
    headers, bodies = [], []
    for column, values in columns.items():
        if len(values) == 0:
            continue
        planes, flags, base, body = _encode_column(np.ascontiguousarray(values, np.int64))
        headers.append(_COLUMN.pack(column, planes, flags, len(values), base, 1))
        bodies.append(body)
    head = _HEAD.pack(magic, _VERSION, level, len(headers), n_tiles, block)
    return b"".join([head, *headers, *bodies])


def _encode_column(values: NDArray[np.int64]) -> tuple[int, int, int, bytes]:
    plain = (values - values.min()).view(np.uint64)
    step = np.diff(values, prepend=values[:1])
    delta = step.view(np.uint64) if step.min() >= 0 else ((step << 1) ^ (step >> 63)).view(np.uint64)
    zigzag = 0 if step.min() >= 0 else _ZIGZAG
    if int(delta.max()) < int(plain.max()):
        raw, flags, base = delta, _DELTA | zigzag, int(values[0])
    else:
        raw, flags, base = plain, 0, int(values.min())
    planes = (int(raw.max()).bit_length() + 7) // 8
    body = np.ascontiguousarray(raw.view(np.uint8).reshape(-1, 8)[:, :planes].T).tobytes()
    return planes, flags, base, body
