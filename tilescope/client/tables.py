"""Tables as numpy columns, and their way to pyarrow and pandas, which are the extra `notebook`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError

if TYPE_CHECKING:
    import pandas
    import pyarrow

_ADVICE = "is not installed: pip install"


@dataclass(frozen=True, slots=True)
class Words:
    """A column of texts of which many are equal: row k has `words[codes[k]]`."""

    codes: NDArray[np.int32]
    words: Sequence[str]

    def __len__(self) -> int:
        return len(self.codes)

    def array(self) -> NDArray[np.object_]:
        """The texts themselves."""
        return np.array([*self.words, ""], object)[self.codes]


Column = NDArray[Any] | Words


class Table:
    """Named columns of equal length. `table["start"]` is a numpy array."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = dict(columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> NDArray[Any]:
        column = self._columns[name]
        return column.array() if isinstance(column, Words) else column

    @property
    def column_names(self) -> list[str]:
        """In their order."""
        return list(self._columns)

    def to_arrow(self) -> pyarrow.Table:
        """Texts are dictionary-encoded. Raises UsageError without pyarrow."""
        try:
            import pyarrow
        except ImportError:
            raise UsageError(f"pyarrow {_ADVICE} pyarrow") from None

        def converted(column: Column) -> Any:
            if isinstance(column, Words):
                codes = pyarrow.array(column.codes, pyarrow.int32())
                return pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(column.words, pyarrow.string()))
            if column.dtype == object:  # sums beyond 64 bits
                return pyarrow.array(column.tolist(), pyarrow.decimal128(38))
            return pyarrow.array(column, from_pandas=True)  # no value is null, not NaN

        return pyarrow.table({name: converted(column) for name, column in self._columns.items()})

    def to_pandas(self) -> pandas.DataFrame:
        """Texts are categories. Raises UsageError without pandas."""
        try:
            import pandas
        except ImportError:
            raise UsageError(f"pandas {_ADVICE} pandas") from None

        def converted(column: Column) -> Any:
            if isinstance(column, Words):
                return pandas.Categorical.from_codes(column.codes, categories=pandas.Index(column.words, dtype="str"))
            return column

        return pandas.DataFrame({name: converted(column) for name, column in self._columns.items()})

    def rows(self) -> list[dict[str, Any]]:
        """One dict per row, in Python's own types."""
        lists = {name: self[name].tolist() for name in self._columns}
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]

    def __repr__(self) -> str:
        return f"<Table of {len(self):,} rows: {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        """How notebooks show it: the first and last rows."""
        try:
            return str(self.to_pandas()._repr_html_())
        except UsageError:
            return f"<code>&lt;{repr(self)[1:-1]}&gt;</code>"
