"""Tables of answers for pyarrow, which is in the extra `notebook`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools.answer import FLOAT_KINDS, ID_KINDS, INTEGER_KINDS, Column, Table, values_of

if TYPE_CHECKING:
    import pyarrow

_INT64 = 1 << 63


def arrow_table(table: Table) -> pyarrow.Table:
    """Columns by id; a field's metadata has its kind, title and unit. Raises UsageError without pyarrow."""
    try:
        import pyarrow
    except ImportError:
        raise UsageError("pyarrow is not installed: pip install pyarrow") from None
    arrays = [_array(pyarrow, column) for column in table.columns]
    fields = [
        pyarrow.field(column.id, array.type, metadata={"kind": column.kind, "title": column.title, "unit": column.unit})
        for column, array in zip(table.columns, arrays, strict=True)
    ]
    return pyarrow.table(arrays, schema=pyarrow.schema(fields))


def ipc_stream(table: Table) -> bytes:
    """The table as an Arrow IPC stream. Raises UsageError without pyarrow."""
    from io import BytesIO

    found = arrow_table(table)
    import pyarrow

    sink = BytesIO()
    with pyarrow.ipc.new_stream(sink, found.schema) as writer:
        writer.write_table(found)
    return sink.getvalue()


def _array(pyarrow: Any, column: Column) -> Any:
    values = values_of(column)
    if column.kind in INTEGER_KINDS | ID_KINDS:
        fits = all(value is None or -_INT64 <= int(value) < _INT64 for value in values)
        return pyarrow.array(values, pyarrow.int64() if fits else pyarrow.decimal128(38))
    if column.kind in FLOAT_KINDS:
        return pyarrow.array(values, pyarrow.float64(), from_pandas=True)
    if column.kind == "flag":
        return pyarrow.array(values, pyarrow.bool_())
    return pyarrow.array(values, pyarrow.string()).dictionary_encode()
