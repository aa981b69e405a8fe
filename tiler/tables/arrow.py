"""Columns in Arrow's C data interface, which DuckDB, polars, pandas and others read.

Made with nanoarrow: 3 MB that are loaded in 12 ms, when a stream is asked for; pyarrow has 170 MB, and takes 170 ms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import nanoarrow
import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.tables.batch import fits
from tilescope.tiler.words import Words

if TYPE_CHECKING:
    from tilescope.tiler.tables.batch import Column

_TYPES: Final[dict[str, Any]] = {
    "i1": nanoarrow.int8,
    "i2": nanoarrow.int16,
    "i4": nanoarrow.int32,
    "i8": nanoarrow.int64,
    "u1": nanoarrow.uint8,
    "u2": nanoarrow.uint16,
    "u4": nanoarrow.uint32,
    "u8": nanoarrow.uint64,
    "f4": nanoarrow.float32,
    "f8": nanoarrow.float64,
}
_DECIMAL_BYTES: Final = 16
_DIGITS: Final = 38  # of a decimal of so many bytes


def c_stream(columns: Mapping[str, Column], requested_schema: object | None) -> object:
    """A capsule `arrow_array_stream` with one batch."""
    batch = _batch(columns, len(next(iter(columns.values()), ())))
    return nanoarrow.c_array_stream(batch).__arrow_c_stream__(requested_schema)


def c_array(columns: Mapping[str, Column], count: int, requested_schema: object | None) -> tuple[object, object]:
    """Capsules `arrow_schema` and `arrow_array` of a batch of so many rows."""
    capsules: tuple[object, object] = _batch(columns, count).__arrow_c_array__(requested_schema)
    return capsules


def _batch(columns: Mapping[str, Column], count: int) -> Any:
    arrays = {name: _array(column) for name, column in columns.items()}
    schema = nanoarrow.struct({name: array.schema for name, array in arrays.items()}, nullable=False)
    return nanoarrow.c_array_from_buffers(schema, count, [None], null_count=0, children=arrays.values())


def _array(column: Column) -> Any:
    """Texts in UTF-8; what is not recorded, NaN or None, is null."""
    if isinstance(column, Words):
        return _texts(column)
    if isinstance(column, np.ma.MaskedArray):
        plain = np.ascontiguousarray(column.data)
        return _made(_TYPES[plain.dtype.str[1:]](), len(plain), plain, is_missing=np.ma.getmaskarray(column))
    if column.dtype == object:
        return _integers(column)
    if column.dtype == np.bool_:
        return _made(nanoarrow.bool_(), len(column), np.packbits(column, bitorder="little"))
    is_missing = np.isnan(column) if column.dtype.kind == "f" else None
    return _made(_TYPES[column.dtype.str[1:]](), len(column), np.ascontiguousarray(column), is_missing=is_missing)


def _texts(column: Words) -> Any:
    encoded = [word.encode("utf-8", "replace") for word in (*column.words, "")]
    word_ends = np.cumsum([len(word) for word in encoded], dtype=np.int64)
    words = np.frombuffer(b"".join(encoded), np.uint8)
    is_missing = column.codes < 0
    # What is missing has the last word, which is empty.
    order = np.where(is_missing, len(encoded) - 1, column.codes).astype(np.int64)
    ends = np.zeros(len(column) + 1, np.int64)
    data = np.empty(_native.gather_ends(word_ends, len(words), order, ends[1:]), np.uint8)
    _native.gather_into(word_ends, words, order, ends[1:], data)
    return _made(nanoarrow.large_string(), len(column), ends, data, is_missing=is_missing)


def _integers(column: NDArray[Any]) -> Any:
    values = column.tolist()
    is_missing = np.array([value is None for value in values], np.bool_)
    present = [0 if value is None else int(value) for value in values]
    if fits(column):
        return _made(nanoarrow.int64(), len(values), np.array(present, np.int64), is_missing=is_missing)
    data = b"".join(value.to_bytes(_DECIMAL_BYTES, "little", signed=True) for value in present)
    return _made(nanoarrow.decimal128(_DIGITS, 0), len(values), data, is_missing=is_missing)


def _made(schema: Any, length: int, *buffers: Any, is_missing: NDArray[np.bool_] | None = None) -> Any:
    missing = 0 if is_missing is None else int(is_missing.sum())
    valid = np.packbits(~is_missing, bitorder="little") if missing and is_missing is not None else None
    return nanoarrow.c_array_from_buffers(schema, length, [valid, *buffers], null_count=missing)
