"""Answers of SQL as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from tilescope.client.tables import Table
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tables.batch import Column
from tilescope.tiler.words import Words

if TYPE_CHECKING:
    from tilescope.tiler.sql import SqlAnswer, SqlColumn
    from tilescope.tiler.sql.answer import Cell

_INTEGERS: Final = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"})
_MORE_INTEGERS: Final = frozenset({"UINTEGER", "UBIGINT", "UHUGEINT"})
_REALS: Final = frozenset({"FLOAT", "DOUBLE"})


def sql_table(answer: SqlAnswer) -> Table:
    """The rows; of columns of one name the last counts. Raises UsageError where there are more rows than these."""
    if answer.is_cut:
        raise UsageError(f"there are more rows than {len(answer.rows):,}, or they are too large: limit them")
    columns = zip(answer.columns, zip(*answer.rows, strict=True), strict=True) if answer.rows else ()
    empty = {column.name: _column(column, ()) for column in answer.columns}
    return Table(empty | {column.name: _column(column, cells) for column, cells in columns})


def _column(column: SqlColumn, cells: Sequence[Cell]) -> Column:
    if column.type in _INTEGERS | _MORE_INTEGERS:
        whole = [None if cell is None else int(cell) for cell in cells]
        fits = all(cell is not None and -(1 << 63) <= cell < 1 << 63 for cell in whole)
        return np.array(whole, np.int64 if fits else object)
    if column.type in _REALS:
        return np.array(cells, np.float64)  # None becomes NaN
    if column.type == "BOOLEAN" and None not in cells:
        return np.array(cells, np.bool_)
    return Words.from_texts([None if cell is None else str(cell) for cell in cells])
