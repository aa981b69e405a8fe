"""Batches for pyarrow, which is in extras: columns as they are, without a copy where there is no need for one.

Arrays are made of buffers: where pandas is installed, `pyarrow.array` imports it first, which takes 0.28 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.tables.batch import Batch, Column, fits
from tilescope.tiler.tables.column import ColumnType
from tilescope.tiler.tables.table import TableKind
from tilescope.tiler.words import Words

if TYPE_CHECKING:
    import pyarrow


def load_pyarrow() -> Any:
    """The module. Raises UsageError where it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise UsageError("pyarrow is not installed: pip install pyarrow") from None
    return pyarrow


def pyarrow_array(column: Column) -> Any:
    """A column: texts are dictionary-encoded, what is missing is null."""
    pyarrow = load_pyarrow()
    if isinstance(column, Words):
        return pyarrow.DictionaryArray.from_arrays(_values(column.codes, column.codes < 0), _texts(column.words))
    if isinstance(column, np.ma.MaskedArray):
        return _values(column.data, np.ma.getmaskarray(column))
    if column.dtype == object:
        return pyarrow.array(column.tolist(), pyarrow.int64() if fits(column) else pyarrow.decimal128(38))
    return _values(column, np.isnan(column) if column.dtype.kind == "f" else None)  # no value is null, not NaN


def _values(values: NDArray[Any], is_null: NDArray[np.bool_] | None) -> Any:
    """Values with nulls; flags and what is null are bits."""
    pyarrow = load_pyarrow()
    present = None if is_null is None or not is_null.any() else pyarrow.py_buffer(_bits(~is_null))
    data = _bits(values) if values.dtype == bool else np.ascontiguousarray(values)
    kind = pyarrow.from_numpy_dtype(values.dtype)
    return pyarrow.Array.from_buffers(kind, len(values), [present, pyarrow.py_buffer(data)])


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")


def _texts(texts: Sequence[str]) -> Any:
    """Texts one behind the other, and where each ends. Raises UsageError for 2 GiB of them."""
    pyarrow = load_pyarrow()
    encoded = [text.encode() for text in texts]
    ends = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=ends[1:])
    if ends[-1] >= 1 << 31:
        raise UsageError("texts of 2 GiB and more do not fit into one batch")
    buffers = [None, pyarrow.py_buffer(ends.astype(np.int32)), pyarrow.py_buffer(b"".join(encoded))]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(encoded), buffers)


def pyarrow_schema(table: TableKind, columns: Sequence[str], metadata: Mapping[str, str], *, coded: bool) -> Any:
    """The schema of chosen columns; texts are dictionary-encoded if they are to be `coded`."""
    pyarrow = load_pyarrow()
    types = {
        ColumnType.INTEGER: pyarrow.int64(),
        ColumnType.REAL: pyarrow.float64(),
        ColumnType.FLAG: pyarrow.bool_(),
        ColumnType.TEXT: pyarrow.dictionary(pyarrow.int32(), pyarrow.string()) if coded else pyarrow.string(),
    }
    described = {column.name: column for column in table.columns}
    fields = [
        pyarrow.field(name, types[described[name].type], described[name].is_nullable, {"doc": described[name].doc})
        for name in columns
    ]
    return pyarrow.schema(fields, metadata=dict(metadata))


def pyarrow_batches(batches: Iterable[Batch], schema: pyarrow.Schema) -> Iterator[pyarrow.RecordBatch]:
    """Batches of this schema."""
    pyarrow = load_pyarrow()
    for batch in batches:
        arrays = [pyarrow_array(batch.columns[field.name]) for field in schema]
        plain = [
            array if array.type == field.type else array.dictionary_decode()
            for array, field in zip(arrays, schema, strict=True)
        ]
        yield pyarrow.record_batch(plain, schema=schema)


class ScanStream:
    """Rows of a scan for DuckDB, which scans them anew as often as a plan asks for them.

    `failure`: what a scan raised; DuckDB reports it as an error of its own.
    """

    def __init__(self, scan: Callable[[], Iterable[Batch]], schema: pyarrow.Schema) -> None:
        self._scan = scan
        self._schema = schema
        self.failure: Exception | None = None

    def __arrow_c_schema__(self) -> object:
        schema: object = self._schema.__arrow_c_schema__()
        return schema

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        reader = load_pyarrow().RecordBatchReader.from_batches(self._schema, self._batches())
        stream: object = reader.__arrow_c_stream__(requested_schema)
        return stream

    def _batches(self) -> Iterator[pyarrow.RecordBatch]:
        try:
            yield from pyarrow_batches(self._scan(), self._schema)
        except Exception as error:
            self.failure = error
            raise
