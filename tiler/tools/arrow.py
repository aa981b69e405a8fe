"""Tables of answers for pyarrow, which is in the extra `notebook`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools.answer import FLOAT_KINDS, ID_KINDS, INTEGER_KINDS, Column, Table, Values, values_of
from tilescope.tiler.words import Words

if TYPE_CHECKING:
    import pyarrow

_INT64 = 1 << 63


def arrow_table(table: Table) -> pyarrow.Table:
    """Columns by id; fields have kind, title and unit in their metadata, the schema `more`. Raises UsageError."""
    try:
        import pyarrow
    except ImportError:
        raise UsageError("pyarrow is not installed: pip install pyarrow") from None
    arrays = [_array(pyarrow, column) for column in table.columns]
    fields = [
        pyarrow.field(column.id, array.type, metadata={"kind": column.kind, "title": column.title, "unit": column.unit})
        for column, array in zip(table.columns, arrays, strict=True)
    ]
    more = None if table.more is None else {"more": table.more}
    return pyarrow.table(arrays, schema=pyarrow.schema(fields, metadata=more))


def ipc_stream(table: Table) -> bytes:
    """The table as an Arrow IPC stream. Raises UsageError without pyarrow."""
    from io import BytesIO

    arrow = arrow_table(table)
    import pyarrow

    sink = BytesIO()
    with pyarrow.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    return sink.getvalue()


def read_stream(data: bytes, name: str) -> Table:
    """The table of that id from an Arrow IPC stream, as `ipc_stream` writes it; its title is not known."""
    import pyarrow

    with pyarrow.ipc.open_stream(data) as reader:
        arrow = reader.read_all().combine_chunks()
    columns = [_read(field, arrow.column(k)) for k, field in enumerate(arrow.schema)]
    more = (arrow.schema.metadata or {}).get(b"more")
    return Table(name, "", columns, more=None if more is None else more.decode())


def _read(field: Any, column: Any) -> Column:
    metadata = {key.decode(): value.decode() for key, value in field.metadata.items()}
    return Column(
        field.name, metadata["title"], metadata["kind"], _read_values(column, metadata["kind"]), metadata["unit"]
    )


def _read_values(column: Any, kind: str) -> Values:
    import pyarrow

    data = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if pyarrow.types.is_dictionary(data.type):
        codes = data.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return Words(codes.astype(np.int32), data.dictionary.to_pylist())
    if pyarrow.types.is_int64(data.type):
        values: NDArray[np.int64] = data.fill_null(0).to_numpy(zero_copy_only=False)
        return np.ma.MaskedArray(values, data.is_null().to_numpy(zero_copy_only=False)) if data.null_count else values
    if kind in FLOAT_KINDS:
        reals: NDArray[np.float64] = data.to_numpy(zero_copy_only=False)
        return reals
    listed = data.to_pylist()
    if kind in INTEGER_KINDS:
        return np.array([None if value is None else int(value) for value in listed], object)
    flags: Values = listed if data.null_count else np.array(listed, np.bool_)
    return flags


def _array(pyarrow: Any, column: Column) -> Any:
    data = column.values
    if isinstance(data, Words):
        codes = pyarrow.array(data.codes, pyarrow.int32(), mask=data.codes < 0)
        return pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(data.words, pyarrow.string()))
    if isinstance(data, np.ndarray) and data.dtype == np.int64:
        return pyarrow.array(np.ma.getdata(data), mask=np.ma.getmaskarray(data))
    values = values_of(column)
    if column.kind in INTEGER_KINDS | ID_KINDS:
        fits = all(value is None or -_INT64 <= int(value) < _INT64 for value in values)
        return pyarrow.array(values, pyarrow.int64() if fits else pyarrow.decimal128(38))
    if column.kind in FLOAT_KINDS:
        return pyarrow.array(values, pyarrow.float64(), from_pandas=True)
    if column.kind == "flag":
        return pyarrow.array(values, pyarrow.bool_())
    return pyarrow.array(values, pyarrow.string()).dictionary_encode()
