"""Tables as numpy columns, and their ways to Arrow (DuckDB, polars) and, with an extra, to pyarrow and pandas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tilescope.client.table_text import html_table, text_table
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tables.batch import Column, fits
from tilescope.tiler.tables.pyarrow_batches import load_pyarrow, pyarrow_array
from tilescope.tiler.words import Words

if TYPE_CHECKING:
    import pandas
    import pyarrow

_ADVICE = "is not installed: pip install"


class Framed:
    """Base of objects that have a table, for those who read frames."""

    __slots__ = ()

    @property
    def table(self) -> Table:
        """The table."""
        raise NotImplementedError

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in their order."""
        return self.table.columns

    def to_arrow(self) -> pyarrow.Table:
        """Texts are dictionary-encoded. Raises UsageError without pyarrow."""
        return self.table.to_arrow()

    def to_pandas(self) -> pandas.DataFrame:
        """Texts are categories. Raises UsageError without pandas."""
        return self.table.to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """For DuckDB, polars and whatever else reads the Arrow PyCapsule interface."""
        return self.table.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


class Tabular(Framed):
    """Base of objects that have a table, and can be used as one."""

    __slots__ = ()
    __contains__: ClassVar[None] = None  # a name of a column, or a row? Ask `columns`

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, as dicts of Python's own types."""
        return iter(self.table)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.table[name]

    def rows(self) -> list[dict[str, Any]]:
        """All rows, as dicts of Python's own types."""
        return self.table.rows()


class Table(Tabular):
    """Named columns of equal length. `table["start"]` is a numpy array, iterating gives rows."""

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = dict(columns)

    @property
    def table(self) -> Table:
        """This."""
        return self

    @property
    def columns(self) -> list[str]:
        """Their names, in their order."""
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            raise UsageError(f"there is no column {name!r}: there are {', '.join(self._columns) or 'none'}")
        column = self._columns[name]
        if isinstance(column, np.ma.MaskedArray):
            return np.array(column.tolist(), object)
        return column.array() if isinstance(column, Words) else column

    def __iter__(self) -> Iterator[dict[str, Any]]:
        lists = {name: _values(self[name]) for name in self._columns}
        for row in zip(*lists.values(), strict=True):
            yield dict(zip(lists, row, strict=True))

    def rows(self) -> list[dict[str, Any]]:
        """All rows, as dicts of Python's own types."""
        return list(self)

    def take(self, rows: slice) -> Table:
        """Some of the rows, without a copy."""
        return Table({name: column[rows] for name, column in self._columns.items()})

    def to_arrow(self) -> pyarrow.Table:
        """Texts are dictionary-encoded. Raises UsageError without pyarrow."""
        pyarrow = load_pyarrow()
        return pyarrow.table({name: pyarrow_array(column) for name, column in self._columns.items()})

    def to_pandas(self) -> pandas.DataFrame:
        """Texts are categories. Raises UsageError without pandas."""
        try:
            import pandas
        except ImportError:
            raise UsageError(f"pandas {_ADVICE} pandas") from None

        def converted(column: Column) -> Any:
            if isinstance(column, Words):
                return pandas.Categorical.from_codes(column.codes, categories=pandas.Index(column.words, dtype="str"))
            if isinstance(column, np.ma.MaskedArray):
                return pandas.arrays.IntegerArray(column.data, np.ma.getmaskarray(column).copy())
            if column.dtype == object and fits(column):
                return pandas.array(column.tolist(), dtype="Int64")
            return column

        return pandas.DataFrame({name: converted(column) for name, column in self._columns.items()})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """For DuckDB, polars and whatever else reads the Arrow PyCapsule interface. Needs no pyarrow."""
        from tilescope.tiler.tables.arrow import c_stream

        return c_stream(self._columns, requested_schema)

    def __repr__(self) -> str:
        return text_table(*self._shown())

    def _repr_html_(self) -> str:
        """HTML for notebooks: the first and last rows."""
        return html_table(*self._shown())

    def _shown(self) -> tuple[int, list[str], list[list[Any]], list[list[Any]]]:
        """Number of rows, names of the columns, and the first and last rows."""
        count = len(self)
        first, last = (slice(0, count), slice(0, 0)) if count <= 2 * _SHOWN_ROWS else _ENDS
        parts = ([list(row.values()) for row in self.take(rows)] for rows in (first, last))
        return (count, self.columns, *parts)  # type: ignore[return-value]  # two parts


_SHOWN_ROWS = 5
_ENDS = slice(0, _SHOWN_ROWS), slice(-_SHOWN_ROWS, None)


def _values(column: NDArray[Any]) -> list[Any]:
    """Python's own values; None, not NaN, is no value."""
    values: list[Any] = column.tolist()
    return [None if value != value else value for value in values] if column.dtype.kind == "f" else values
