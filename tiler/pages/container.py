"""The column container: how everything that is read in bulk is laid out. See docs/page-format.md.

Native code writes and reads the columns (`tiler/native/pages`).
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
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
SPREAD_MAGIC = b"TSSD"
PAGE_NAMES_MAGIC = b"TSPN"
OPERATIONS_MAGIC = b"TSOP"
OPERATION_SUMS_MAGIC = b"TSOS"
STEP_SUMS_MAGIC = b"TSSS"
WRITTEN_FLOWS_MAGIC = b"TSFW"
ARCHIVE_DIRECTORY_MAGIC = b"TSAD"
_MAGIC_PREFIX = b"TS"  # of all kinds: codecs look at the rest, and may name a kind of their own

_VERSION = 1
_HEAD = struct.Struct("<4sBBHII")
_COLUMN_HEAD = struct.Struct("<BBxxI16x")  # id, byte planes, values
MAX_ROWS = MAX_DECODED_BYTES // 8  # of all columns together

Column = NDArray[np.int64] | NDArray[np.float64]


class Container(Struct, frozen=True):
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


def decode(data: bytes, only: Sequence[int] | None = None, max_rows: int = MAX_ROWS) -> Container:
    """The container in `data`, with all its columns or some. Raises DamagedStore, for more rows than that too."""
    try:
        columns = _native.container_columns(data, max_rows, only)
    except _native.DamagedContainer as error:
        raise DamagedStore(str(error)) from None
    magic, version, level, _, n_tiles, block = _HEAD.unpack_from(data)
    if not magic.startswith(_MAGIC_PREFIX) or version != _VERSION:
        raise DamagedStore(f"a record begins with {magic!r} version {version}, which is no column container")
    decoded: dict[int, Column] = {
        column: values.view(np.float64) if is_float else values for column, is_float, values in columns
    }
    return Container(magic, level, n_tiles, block, decoded)


def with_columns(data: bytes, columns: Collection[int], most_bytes: int) -> bytes | None:
    """The container in `data` with these columns alone, undecoded; None where they take more, or its end is missing."""
    if len(data) < _HEAD.size:
        return None
    *head, n_columns, n_tiles, block = _HEAD.unpack_from(data)
    heads = data[_HEAD.size : _HEAD.size + n_columns * _COLUMN_HEAD.size]
    if len(heads) < n_columns * _COLUMN_HEAD.size:
        return None
    start = _HEAD.size + len(heads)
    headers, bodies, size = [], [], 0
    for place, (column, planes, n) in enumerate(_COLUMN_HEAD.iter_unpack(heads)):
        end = start + planes * n
        if column in columns:
            headers.append(heads[place * _COLUMN_HEAD.size : (place + 1) * _COLUMN_HEAD.size])
            bodies.append(slice(start, end))
            size += end - start
        start = end
    if size > most_bytes or start != len(data):
        return None
    return b"".join((_HEAD.pack(*head, len(headers), n_tiles, block), *headers, *(data[body] for body in bodies)))


Ints = NDArray[np.int64] | NDArray[np.uint32]


def encode(magic: bytes, level: int, n_tiles: int, block: int, columns: Mapping[int, Ints]) -> bytes:
    """A container of integer columns, each stored as differences between neighbours where those are smaller."""
    of_each = [(int(column), _as_they_are_read(values)) for column, values in columns.items()]
    return _native.encode_container(magic, level, n_tiles, block, of_each)


def _as_they_are_read(values: Ints) -> Ints:
    if values.dtype == np.uint32:
        return np.ascontiguousarray(values, np.uint32)
    return np.ascontiguousarray(values, np.int64)
