"""Batches for pyarrow, which is in extras: columns as they are, without a copy where there is no need for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

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
        codes = pyarrow.array(column.codes, pyarrow.int32(), mask=column.codes < 0)
        return pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(column.words, pyarrow.string()))
    if isinstance(column, np.ma.MaskedArray):
        return pyarrow.array(column.data, mask=np.ma.getmaskarray(column))
    if column.dtype == object:
        return pyarrow.array(column.tolist(), pyarrow.int64() if fits(column) else pyarrow.decimal128(38))
    return pyarrow.array(column, from_pandas=True)  # no value is null, not NaN


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
